import { gzipSync } from "node:zlib";
import { send } from "../../provider/http";
import { limits } from "../support/limits";
import { failure, get, ok, post, seen, serve, servers } from "./exchange";

describe("the message of a failed request", () => {
  test("names a server that cannot be reached", async () => {
    const target = await serve((_, response) => ok(response));
    await new Promise((done) => servers.pop()?.close(done));
    expect((await failure(send(target, get))).message).toBe(
      `no connection to ${target.address} (ECONNREFUSED), and nothing was sent (GET /v1/thing). Check the connection's address, that the server runs, and the network between.`,
    );
  });

  test("names the token that the server rejects with 403 or 401", async () => {
    const target = await serve((_, response, count) =>
      response.writeHead(count === 1 ? 403 : 401).end('{"errors":["denied for canary-token"]}'),
    );
    expect((await failure(send(target, get))).message).toBe(
      'denied for [secret] (GET /v1/thing, 403). Check the token of secrets in the connection "default", and what it is allowed to do. It comes from its setting token.',
    );
    expect(await failure(send(target, get))).toMatchObject({ code: "ERR_FORBIDDEN", status: 401 });
  });

  test.each([
    ["plain text", "no luck\n", "no luck (GET /v1/thing, 400)."],
    ["JSON:API", '{"errors":[{"title":"bad","detail":"very"},{"title":"worse"}]}', "bad: very; worse (GET /v1/thing, 400)."],
    ["nothing", "", "the server gave no reason (GET /v1/thing, 400)."],
    ["a web page", "<html>oops</html>", "the server answered with a web page (GET /v1/thing, 400)."],
  ])("contains the server's reason: %s", async (_, body, message) => {
    const target = await serve((_, response) => response.writeHead(400).end(body));
    expect((await failure(send(target, get))).message).toBe(message);
  });

  test("redacts a secret that is cut off or broken across lines", async () => {
    const target = await serve((_, response, count) =>
      response.writeHead(400).end(count === 1 ? `${"x".repeat(492)}canary-token` : "a canary\nline b"),
    );
    expect((await failure(send(target, get))).message).toContain("x[secret]");
    target.secrets = ["canary\nline"];
    expect((await failure(send(target, get))).message).toBe("a [secret] b (GET /v1/thing, 400).");
  });

  test("explains HTML in place of JSON", async () => {
    const target = await serve((_, response) => response.end("<!doctype html><html></html>"));
    expect((await failure(send(target, get))).message).toBe(
      `the server answered with a web page (GET /v1/thing, 200). Check that ${target.address} is the address of the secrets API itself, not of a proxy or login page before it.`,
    );
  });

  test("explains a truncated body", async () => {
    const target = await serve((request, response) => {
      response.writeHead(200, { "content-length": 100 }).write('{"half":');
      setImmediate(() => request.socket.destroy());
    });
    expect((await failure(send(target, { ...post, retry: "never" }))).message).toBe(
      `the connection to ${target.address} broke before the whole answer came (POST /v1/thing). The server may have applied it: run the same again, which goes on from what the server holds.`,
    );
  });

  test.each(["identity", "gzip"])("explains a body of 10 MB, %s", async (encoding) => {
    const page = Buffer.alloc(10 * 1024 * 1024, "x");
    const target = await serve((_, response) => {
      if (encoding === "gzip") response.setHeader("content-encoding", "gzip").end(gzipSync(page));
      else response.end(page);
    });
    expect((await failure(send(target, get))).message).toContain(
      "the server's answer is too large to be one of its API (GET /v1/thing). Check that",
    );
  });

  test("explains a response that stops partway", async () => {
    limits.idleTimeout = 300;
    const target = await serve((_, response) => response.writeHead(200, { "content-length": 100 }).write("{"));
    expect((await failure(send(target, { ...get, retry: "never" }))).message).toContain("did not answer in time");
  });

  test("explains a body that does not match its content-encoding", async () => {
    const target = await serve((_, response, count) => {
      if (count === 1) response.setHeader("content-encoding", "gzip").end("{}");
      else response.writeHead(204, { "content-encoding": "gzip" }).end();
    });
    expect((await failure(send(target, post))).message).toContain("cannot be read (Z_DATA_ERROR) (POST /v1/thing). Check the scheme");
    expect((await send(target, post)).status).toBe(204);
    expect(seen).toHaveLength(2);
  });

  test("removes control characters and redacts the client key", async () => {
    const target = await serve((_, response) => response.writeHead(400).end("\u001b[2Jhello\u202e canary-key"), {});
    target.clientKey = "canary-key";
    // Not used for a connection without TLS, and none the less a secret.
    expect((await failure(send(target, get))).message).toBe("[2Jhello [secret] (GET /v1/thing, 400).");
  });

  test("explains a server that responds too slowly", async () => {
    limits.idleTimeout = 300;
    const target = await serve(() => {});
    expect((await failure(send(target, { ...get, retry: "never" }))).message).toContain(`${target.address} did not answer in time`);
  });

  test("explains a redirect within the server or without a location", async () => {
    for (const headers of [{ location: "/ui/login" }, {}]) {
      const target = await serve((_, response) => response.writeHead(302, headers).end());
      expect((await failure(send(target, get))).message).toBe(
        "the server sends us on to another path, where its API is not (GET /v1/thing, 302). Check the base path of the connection's address, and the mount.",
      );
    }
  });

  test("names the active node of a redirect, to which no credentials are sent", async () => {
    const other = await serve((_, response) => ok(response));
    seen.splice(0);
    const target = await serve((_, response) => response.writeHead(307, { location: `${other.address}/v1/thing?x=canary` }).end());
    expect((await failure(send(target, get))).message).toBe(
      `the server sends us on to ${other.address}, and credentials are not sent after a redirect (GET /v1/thing, 307). If ${other.address} is the active node of this installation, make it the connection's address, or use the address of the load balancer.`,
    );
    expect(seen).toHaveLength(1);
  });
});
