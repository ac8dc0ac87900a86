import { createServer as createHttpServer } from "node:http";
import net, { Socket } from "node:net";
import { Operation } from "../../../provider/contract/operation";
import { send } from "../../../provider/http";
import { limits } from "../../support/limits";
import { failure, refusal } from "../../support/refusal";
import { Answer, connection, get, listen, listenTcp, ok, post, seen, serve } from "./exchange";

const unsent = { code: "ERR_UNREACHABLE", details: { outcomeUnknown: false, nothingSent: true } };

describe("a write that fails before its first byte is sent", () => {
  afterEach(() => jest.restoreAllMocks());

  test.each(["EINVAL", "EADDRNOTAVAIL", "EMFILE", "EACCES", "EPERM", "ECONNRESET", "EHOSTDOWN", "ESOMETHINGNEW"])(
    "because of %s on the connection",
    async (code) => {
      jest.spyOn(net, "connect").mockImplementation(() => new Socket().destroy(Object.assign(new Error("connect"), { code })));
      const error = await failure(send(connection("http://127.0.0.1:1"), post));
      expect(error).toMatchObject({ ...unsent, method: "POST", path: "/v1/thing" });
      expect(error).toEqual(refusal("ERR_UNREACHABLE", { rule: "no-connection" }));
      for (const part of ["http://127.0.0.1:1 ", `(${code})`]) expect(error.message).toContain(part);
    },
  );

  test.each([
    ["a link-local address", async () => "http://[fe80::1]:8200"],
    ["a reset in the TLS handshake", async () => `https://localhost:${await listenTcp((socket) => socket.resetAndDestroy())}`],
  ])("because of %s", async (_, addressOf) => {
    const address = await addressOf();
    const error = await failure(send(connection(address), { ...post, retry: "never" }));
    expect(error).toMatchObject(unsent);
    expect(error.message).toContain(address);
  });

  test("because of a handshake beyond the deadline", async () => {
    await send(await serve((_, response) => ok(response)), get);
    limits.deadline = 300;
    const port = await listenTcp(() => {});
    const begin = Date.now();
    const error = await failure(send(connection(`https://localhost:${port}`), post));
    expect(Date.now() - begin).toBeLessThan(limits.connect / 2);
    expect(error).toMatchObject(unsent);
  });

  test("because of an abort during the handshake", async () => {
    const controller = new AbortController();
    const port = await listenTcp(() => controller.abort());
    const error = await failure(send(connection(`https://localhost:${port}`), { ...post, signal: controller.signal }));
    expect(error).toMatchObject({ code: "ERR_ABORTED", details: { outcomeUnknown: false, nothingSent: true } });
  });

  test("because of an invalid header", async () => {
    const target = await serve((_, response) => ok(response));
    const error = await failure(send(target, { ...post, headers: () => ({ "x-secrets-namespace": "canary\n" }) }));
    expect(error).toMatchObject({ code: "ERR_INVALID_INPUT", details: { ...unsent.details, rule: "header" } });
    expect(error.message).toContain("x-secrets-namespace");
    expect(seen).toEqual([]);
  });
});

/** Starts a server that accepts no connection after its first request. */
async function closing(answer: Answer): Promise<Operation> {
  const server = createHttpServer((request, response) => {
    server.close();
    answer(request, response, seen.push(request));
  });
  return connection(`http://127.0.0.1:${await listen(server)}`);
}

describe("a write that may have been sent", () => {
  const lost = { code: "ERR_NO_RESPONSE", details: { outcomeUnknown: true } };

  test("has an unknown outcome, also on a socket that served another request before", async () => {
    const target = await serve((request, response, count) => (count === 1 ? ok(response) : request.socket.resetAndDestroy()));
    await send(target, post);
    const error = await failure(send(target, { ...post, retry: "never" }));
    expect(error).toMatchObject(lost);
  });

  test("has an unknown outcome even if a later attempt cannot connect", async () => {
    const target = await closing((request) => request.socket.resetAndDestroy());
    const error = await failure(send(target, post));
    expect(error).toMatchObject({ ...lost, method: "POST", path: "/v1/thing" });
    expect(error.message).toContain("(ECONNREFUSED)");
    expect(error.message).not.toContain("nothing was sent");
    expect(seen).toHaveLength(1);
  });

  test("was not applied if an earlier attempt was rejected and a later one cannot connect", async () => {
    const target = await closing((_, response) => response.writeHead(503, { connection: "close" }).end());
    const error = await failure(send(target, post));
    expect(error).toMatchObject({ code: "ERR_UNREACHABLE", details: { outcomeUnknown: false, nothingSent: false } });
    expect(error.message).not.toContain("nothing was sent");
  });

  test("has an unknown outcome if its response cannot be read to the end", async () => {
    const port = await listenTcp((socket) => socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"));
    const error = await failure(send(connection(`http://127.0.0.1:${port}`), post));
    expect(error).toMatchObject({ code: "ERR_UNEXPECTED_RESPONSE", details: { outcomeUnknown: true, rule: "unreadable" } });
  });

  test("was not applied if no HTTP server listens at the address", async () => {
    const port = await listenTcp((socket) => socket.end("\x15\x03\x01\x00\x02\x02\x0a"));
    const error = await failure(send(connection(`http://127.0.0.1:${port}`), post));
    expect(error).toMatchObject({ code: "ERR_UNEXPECTED_RESPONSE", details: { outcomeUnknown: false, rule: "unreadable" } });
  });
});
