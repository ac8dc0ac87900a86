import { gzipSync } from "node:zlib";
import { Operation } from "../../../provider/connection";
import { send } from "../../../provider/http";
import { limits } from "../../support/limits";
import { refusal } from "../../support/refusal";
import { Answer, failure, get, ok, post, seen, serve, servers } from "./exchange";

describe("a failed request", () => {
  test("names a server that cannot be reached", async () => {
    const target = await serve((_, response) => ok(response));
    await new Promise((done) => servers.pop()?.close(done));
    const error = await failure(send(target, get));
    expect(error).toEqual(refusal("ERR_UNREACHABLE", { rule: "no-connection", method: "GET", path: "/v1/thing" }));
    for (const part of [target.server.address, "ECONNREFUSED"]) expect(error.message).toContain(part);
  });

  test("names the token that the server rejects with 403 or 401", async () => {
    const target = await serve((_, response, count) =>
      response.writeHead(count === 1 ? 403 : 401).end('{"errors":["denied for canary-token"]}'),
    );
    const error = await failure(send(target, get));
    expect(error).toMatchObject({ code: "ERR_FORBIDDEN", status: 403, details: { reason: "denied for [secret]" } });
    for (const part of ["secrets", '"default"', "setting token"]) expect(error.message).toContain(part);
    expect(await failure(send(target, get))).toEqual(refusal("ERR_FORBIDDEN", { status: 401 }));
  });

  test.each([
    ["plain text", "no luck\n", "no luck"],
    ["JSON:API", '{"errors":[{"title":"bad","detail":"very"},{"title":"worse"}]}', "bad: very; worse"],
    ["control characters", "\u001b[2Jhello\u202e", "[2Jhello"],
    ["the client key, which is also secret without TLS", "got canary-key", "got [secret]"],
    ["a secret that is broken across lines", "a canary\nline b", "a [secret] b"],
    ["a secret where the reason is truncated", `${"x".repeat(492)}canary-token`, `${"x".repeat(492)}[secret]`],
  ])("shows the server's reason: %s", async (_, body, reason) => {
    const target = await serve((_, response) => response.writeHead(400).end(body));
    Object.assign(target.secrets, { values: ["canary\nline"] });
    Object.assign(target.server.credentials, { clientKey: "canary-key" });
    const error = await failure(send(target, get));
    expect(error).toEqual(refusal("ERR_REJECTED", { method: "GET", path: "/v1/thing", status: 400 }));
    expect(error.message).toBe(`${reason} (GET /v1/thing, 400).`);
  });

  test.each(["", "<html>oops</html>"])("has a default reason if the server's response has none: %j", async (body) => {
    const target = await serve((_, response) => response.writeHead(400).end(body));
    expect((await failure(send(target, get))).message).toMatch(/^the (server|response) .* \(GET \/v1\/thing, 400\)\.$/);
  });

  const page = Buffer.alloc(10 * 1024 * 1024, "x");
  test.each<[string, string, string, Answer]>([
    ["HTML instead of JSON", "ERR_UNEXPECTED_RESPONSE", "web-page", (_, response) => response.end("<!doctype html><html></html>")],
    ["plain text instead of JSON", "ERR_UNEXPECTED_RESPONSE", "not-json", (_, response) => response.end("hello")],
    ["a body of 10 MB", "ERR_UNEXPECTED_RESPONSE", "too-large", (_, response) => response.end(page)],
    [
      "a body of 10 MB, compressed",
      "ERR_UNEXPECTED_RESPONSE",
      "too-large",
      (_, response) => response.setHeader("content-encoding", "gzip").end(gzipSync(page)),
    ],
    [
      "a body that does not match its content-encoding",
      "ERR_UNEXPECTED_RESPONSE",
      "unreadable",
      (_, response) => response.setHeader("content-encoding", "gzip").end("{}"),
    ],
    [
      "a truncated body",
      "ERR_NO_RESPONSE",
      "connection-broken",
      (request, response) => {
        response.writeHead(200, { "content-length": 100 }).write('{"half":');
        setImmediate(() => request.socket.destroy());
      },
    ],
    ["a response that stops partway", "ERR_NO_RESPONSE", "too-late", (_, response) => response.writeHead(200).write("{")],
    ["a server that responds too slowly", "ERR_NO_RESPONSE", "too-late", () => {}],
  ])("may have been applied, after %s", async (_, code, rule, answer) => {
    limits.idleTimeout = 1_000;
    const target = await serve(answer);
    const error = await failure(send(target, { ...post, retry: "never" }));
    const details = { rule, outcomeUnknown: true };
    expect(error).toMatchObject({ code, method: "POST", path: "/v1/thing", details });
    expect(seen).toHaveLength(1);
  });

  test("an empty response needs no content-encoding", async () => {
    const target = await serve((_, response) => response.writeHead(204, { "content-encoding": "gzip" }).end());
    expect((await send(target, post)).status).toBe(204);
  });

  test("explains a redirect within the server or without a location", async () => {
    for (const headers of [{ location: "/ui/login" }, {}]) {
      const target = await serve((_, response) => response.writeHead(302, headers).end());
      const details = { rule: "other-path", method: "GET", path: "/v1/thing", status: 302 };
      expect(await failure(send(target, get))).toEqual(refusal("ERR_REDIRECTED", details));
    }
  });

  test("redacts a secret in the target of a redirect", async () => {
    const target = await serve((_, response) => response.writeHead(302, { location: "https://canary-token.example.com/login" }).end());
    expect((await failure(send(target, get))).message).toContain("redirects to https://[secret].example.com");
  });

  test("names the active node of a redirect, to which no credentials are sent", async () => {
    const other = await serve((_, response) => ok(response));
    const target = await serve((_, response) => response.writeHead(307, { location: `${other.server.address}/v1/thing?x=canary` }).end());
    const error = await failure(send(target, { ...get, retry: "never" }));
    expect(error).toEqual(refusal("ERR_REDIRECTED", { rule: "inactive-node", status: 307 }));
    for (const part of [other.server.address, "/v1/sys/health"]) expect(error.message).toContain(part);
    expect(seen).toHaveLength(1);
  });

  test.each([
    ["a login page", 302, () => "https://login.example/v1/thing"],
    ["a login page that keeps the method", 307, () => "https://login.example/?back=/v1/thing"],
    ["the same host with TLS", 307, (address: string) => `${address.replace("http:", "https:")}/v1/thing`],
  ])("takes no redirect to %s for a standby", async (_, status, location) => {
    const target: Operation = await serve((_, response) => response.writeHead(status, { location: location(target.server.address) }).end());
    expect(await failure(send(target, post))).toEqual(refusal("ERR_REDIRECTED", { rule: "other-server", status }));
    expect(seen).toHaveLength(1);
  });
});
