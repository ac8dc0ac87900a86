import { gzipSync } from "node:zlib";
import { Operation } from "../../../provider/contract/operation";
import { send } from "../../../provider/http";
import { limits } from "../../support/limits";
import { expectRefused, failure, refusal } from "../../support/refusal";
import { Answer, get, ok, post, seen, serve } from "./exchange";

describe("a failed request", () => {
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
    // Pulumi panics at a color that it does not know, and removes all of them from a log without colors.
    ["Pulumi's colors", "limit <{%team%}> <{\u200b%fg 1%}>", "limit <{ %team%}> <{ %fg 1%}>"],
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

  // The body may have a token that the server made.
  test.each(["", "<html>oops</html>", '{"secret_id":"made"}', '{"data":{"id":"made"}}'])(
    "has a default reason if the server's response has none: %j",
    async (body) => {
      const target = await serve((_, response) => response.writeHead(400).end(body));
      expect((await failure(send(target, get))).message).toMatch(/^the (server|response) .* \(GET \/v1\/thing, 400\)\.$/);
    },
  );

  const page = Buffer.alloc(10 * 1024 * 1024, "x");
  test.each<[string, string, string, Answer]>([
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

  test("names the active node of a redirect, to which no credentials are sent", async () => {
    const other = await serve((_, response) => ok(response));
    const target = await serve((_, response) => response.writeHead(307, { location: `${other.server.address}/v1/thing?x=canary` }).end());
    const expected = refusal("ERR_REDIRECTED", { rule: "inactive-node", status: 307 });
    await expectRefused(send(target, { ...get, retry: "never" }), expected, other.server.address, "/v1/sys/health");
    expect(seen).toHaveLength(1);
  });

  test.each<[to: string, status: number, headers: (address: string) => object, rule: string, shown?: string]>([
    ["a path of the server", 302, () => ({ location: "/ui/login" }), "other-path"],
    ["no location", 302, () => ({}), "other-path"],
    ["a host with a secret", 302, () => ({ location: "https://canary-token.example/" }), "other-server", "https://[secret].example"],
    ["a login page", 302, () => ({ location: "https://login.example/v1/thing" }), "other-server"],
    ["a login page that keeps the method", 307, () => ({ location: "https://login.example/?back=/v1/thing" }), "other-server"],
    ["the same host with TLS", 307, (address) => ({ location: `${address.replace("http:", "https:")}/v1/thing` }), "other-server"],
  ])("explains a redirect to %s, and takes it for no standby", async (_, status, headers, rule, shown = "") => {
    const target: Operation = await serve((_, response) => response.writeHead(status, { ...headers(target.server.address) }).end());
    await expectRefused(send(target, post), refusal("ERR_REDIRECTED", { rule, method: "POST", path: "/v1/thing", status }), shown);
    expect(seen).toHaveLength(1);
  });
});
