import { createServer, IncomingMessage, RequestListener, Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { AddressInfo, Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { Connection, connect } from "../../provider/connection";
import { limits, Request, Response, send } from "../../provider/http";
import { certificate, privateKey } from "../certificates";
import { noEngine } from "../engine";

type Answer = (request: IncomingMessage, response: Parameters<RequestListener>[1], count: number) => void;

let servers: Server[] = [];
let seen: IncomingMessage[] = [];
const usual = { ...limits };

beforeEach(() => {
  seen = [];
  limits.firstPause = 5;
});
afterEach(async () => {
  Object.assign(limits, usual);
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
  servers = [];
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return (server.address() as AddressInfo).port;
}

async function serve(answer: Answer, settings: object = {}): Promise<Connection> {
  const port = await listen(createServer((request, response) => answer(request, response, seen.push(request))));
  return connection(`http://127.0.0.1:${port}`, settings);
}

function connection(address: string, settings: object = {}): Connection {
  const config = JSON.stringify({ secrets: { address, token: "canary-token", ...settings } });
  return connect("secrets", "default", { config: () => config, environment: {}, memory: new Map(), engine: noEngine });
}

const get: Request = { method: "GET", path: "/v1/thing", headers: (token) => ({ "x-secrets-token": String(token) }), retry: "idempotent" };
const post: Request = { ...get, method: "POST", body: { value: 1 } };
const ok = (response: Parameters<RequestListener>[1]): unknown =>
  response.setHeader("content-type", "application/json").end('{"fine":true}');
const failure = async (sent: Promise<Response>): Promise<Error> => {
  const error: Error = await sent.then(
    () => Promise.reject(new Error("it succeeded")),
    (reason) => reason,
  );
  expect(error.message).not.toContain("canary");
  expect(JSON.stringify(error)).not.toContain("canary");
  return error;
};

describe("a request", () => {
  test("reads the token once: what is sent is what no error shows", async () => {
    const server = await serve(({ headers }, response) =>
      response.writeHead(400).end(JSON.stringify({ errors: [headers["x-secrets-token"]] })),
    );
    const tokens = ["canary-one", "canary-two"];
    const { message } = await failure(send({ ...server, token: () => tokens.shift() }, get));
    expect(message).toContain("[secret]");
    expect(tokens).toEqual(["canary-two"]);
  });

  test("sends JSON with its headers and reads JSON, compressed or not", async () => {
    const target = await serve((_, response, count) => {
      if (count === 1) ok(response);
      else response.setHeader("content-encoding", "gzip").end(gzipSync('{"zipped":true}'));
    });
    expect((await send(target, { ...post, query: { list: "true" } })).body).toEqual({ fine: true });
    expect(seen[0]).toMatchObject({ method: "POST", url: "/v1/thing?list=true" });
    expect(seen[0]?.headers).toMatchObject({
      "x-secrets-token": "canary-token",
      "content-type": "application/json",
      "accept-encoding": "gzip",
    });
    expect((await send(target, get)).body).toEqual({ zipped: true });
  });

  test("keeps the base path of the address, and takes an empty answer", async () => {
    const target = await serve((_, response) => response.writeHead(204).end());
    expect(await send(connection(`${target.address}/base/`), post)).toMatchObject({ status: 204, body: undefined });
    expect(seen[0]?.url).toBe("/base/v1/thing");
  });

  test("uses its sockets again", async () => {
    const sockets = new Set<Socket>();
    const target = await serve((request, response) => {
      sockets.add(request.socket);
      ok(response);
    });
    for (let count = 0; count < 20; count++) await send(target, get);
    // The pool may open a second one while the first is still being handed back.
    expect(sockets.size).toBeLessThanOrEqual(2);
  });
});

describe("retry class idempotent", () => {
  test("repeats after 503 and 429, as late as Retry-After says", async () => {
    const times: number[] = [];
    const target = await serve((_, response, count) => {
      times.push(Date.now());
      if (count === 1) response.writeHead(503, { "retry-after": "0.3" }).end();
      else if (count === 2) response.writeHead(429, { "retry-after": new Date(Date.now() - 1000).toUTCString() }).end();
      else ok(response);
    });
    expect((await send(target, post)).status).toBe(200);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(290);
    expect(seen).toHaveLength(3);
  });

  test("repeats after a broken connection", async () => {
    const target = await serve((request, response, count) => (count === 1 ? request.socket.destroy() : ok(response)));
    expect((await send(target, post)).status).toBe(200);
    expect(seen).toHaveLength(2);
  });

  test("is patient where Retry-After is nothing, or less", async () => {
    limits.deadline = 400;
    limits.firstPause = 50;
    for (const header of ["0", "-5"]) {
      seen = [];
      const target = await serve((_, response) => response.writeHead(429, { "retry-after": header }).end());
      await failure(send(target, get));
      expect(seen.length).toBeLessThanOrEqual(5);
    }
  });

  test("ends a dripping answer at the deadline", async () => {
    limits.deadline = 500;
    const target = await serve((_, response) => {
      const drip = setInterval(() => response.write(" "), 50);
      response.on("close", () => clearInterval(drip));
    });
    const begin = Date.now();
    expect((await failure(send(target, get))).message).toContain("did not answer in time");
    expect(Date.now() - begin).toBeLessThan(5_000);
  });

  test("gives up after its repetitions, or at its deadline", async () => {
    const target = await serve((_, response) => response.writeHead(503).end('{"errors":["sealed"]}'));
    expect((await failure(send(target, get))).message).toBe(
      "sealed (GET /v1/thing, 503). The server is sealed, starting or overloaded: try again when it serves requests.",
    );
    expect(seen).toHaveLength(1 + limits.repetitions);
    const patient = await serve((_, response) => response.writeHead(429, { "retry-after": "3600" }).end());
    seen = [];
    expect(await failure(send(patient, get))).toMatchObject({ code: "ERR_RATE_LIMITED", status: 429 });
    expect(seen).toHaveLength(1);
  });

  test.each([400, 401, 403, 404, 500, 502, 504])("does not repeat after %d", async (status) => {
    const target = await serve((_, response) => response.writeHead(status).end());
    await failure(send(target, get));
    expect(seen).toHaveLength(1);
  });
});

describe("retry class never", () => {
  test("repeats nothing", async () => {
    const target = await serve((request, response, count) => (count === 1 ? request.socket.destroy() : response.writeHead(503).end()));
    expect(await failure(send(target, { ...post, retry: "never" }))).toMatchObject({ code: "ERR_REPLY_LOST" });
    expect(await failure(send(target, { ...post, retry: "never" }))).toMatchObject({ code: "ERR_UNAVAILABLE" });
    expect(seen).toHaveLength(2);
  });
});

describe("retry class unlessServerFails", () => {
  test("repeats after a broken connection and 429, never after what the server itself failed at", async () => {
    const target = await serve((request, response, count) => {
      if (count === 1) request.socket.destroy();
      else if (count === 2) response.writeHead(429).end();
      else if (count === 3) ok(response);
      else response.writeHead(503, { "retry-after": "0" }).end();
    });
    const question: Request = { ...get, retry: "unlessServerFails" };
    expect((await send(target, question)).status).toBe(200);
    expect(await failure(send(target, question))).toMatchObject({ code: "ERR_UNAVAILABLE" });
    expect(seen).toHaveLength(4);
  });
});

describe("what one request has for itself", () => {
  test("a signal ends it while it waits for an answer, and between two attempts", async () => {
    const controller = new AbortController();
    const target = await serve(() => controller.abort());
    const write: Request = { ...post, signal: controller.signal };
    expect(await failure(send(target, write))).toMatchObject({ code: "ERR_ABORTED", facts: { outcomeUnknown: true } });
    expect(seen).toHaveLength(1);
    const later = new AbortController();
    const busy = await serve((_, response) => {
      response.writeHead(429, { "retry-after": "60" }).end();
      setTimeout(() => later.abort(), 50);
    });
    const begin = Date.now();
    expect(await failure(send(busy, { ...get, signal: later.signal }))).toMatchObject({ code: "ERR_ABORTED" });
    expect(Date.now() - begin).toBeLessThan(5_000);
  });

  test("more patience than others have, and more room", async () => {
    Object.assign(limits, { silence: 100, deadline: 100, bodyBytes: 10 });
    const target = await serve((_, response) => setTimeout(() => ok(response), 2_000));
    const patient = { silence: 10_000, deadline: 10_000, bodyBytes: 1_000 };
    expect((await send(target, { ...get, limits: patient })).body).toEqual({ fine: true });
    expect(await failure(send(target, { ...get, retry: "never" }))).toMatchObject({ code: "ERR_REPLY_LOST" });
  });

  test("a way of its own to read the answer", async () => {
    const target = await serve((_, response) => ok(response));
    expect((await send(target, { ...get, parse: (text) => text.length })).body).toBe(13);
  });
});

describe("the message", () => {
  test("unreachable", async () => {
    const target = await serve((_, response) => ok(response));
    await new Promise((done) => servers.pop()?.close(done));
    expect((await failure(send(target, get))).message).toBe(
      `no connection to ${target.address} (ECONNREFUSED) (GET /v1/thing). Check the connection's address, that the server runs, and the network between.`,
    );
  });

  test("wrong token: 403 and 401", async () => {
    const target = await serve((_, response, count) =>
      response.writeHead(count === 1 ? 403 : 401).end('{"errors":["denied for canary-token"]}'),
    );
    expect((await failure(send(target, get))).message).toBe(
      'denied for [secret] (GET /v1/thing, 403). Check the token of secrets in the connection "default", and what it is allowed to do.',
    );
    expect(await failure(send(target, get))).toMatchObject({ code: "ERR_FORBIDDEN", status: 401 });
  });

  test.each([
    ["plain text", "no luck\n", "no luck (GET /v1/thing, 400)."],
    ["JSON:API", '{"errors":[{"title":"bad","detail":"very"},{"title":"worse"}]}', "bad: very; worse (GET /v1/thing, 400)."],
    ["nothing", "", "the server gave no reason (GET /v1/thing, 400)."],
    ["a web page", "<html>oops</html>", "the server answered with a web page (GET /v1/thing, 400)."],
  ])("the server's own words: %s", async (_, body, message) => {
    const target = await serve((_, response) => response.writeHead(400).end(body));
    expect((await failure(send(target, get))).message).toBe(message);
  });

  test("half a secret at the end of a long reason, or one broken over lines, is none the less a secret", async () => {
    const target = await serve((_, response, count) =>
      response.writeHead(400).end(count === 1 ? `${"x".repeat(492)}canary-token` : "a canary\nline b"),
    );
    expect((await failure(send(target, get))).message).toContain("x[secret]");
    target.secrets = ["canary\nline"];
    expect((await failure(send(target, get))).message).toBe("a [secret] b (GET /v1/thing, 400).");
  });

  test("HTML instead of JSON", async () => {
    const target = await serve((_, response) => response.end("<!doctype html><html></html>"));
    expect((await failure(send(target, get))).message).toBe(
      `the server answered with a web page (GET /v1/thing, 200). Check that ${target.address} is the address of the secrets API itself, not of a proxy or login page before it.`,
    );
  });

  test("a truncated body", async () => {
    const target = await serve((request, response) => {
      response.writeHead(200, { "content-length": 100 }).write('{"half":');
      setImmediate(() => request.socket.destroy());
    });
    expect((await failure(send(target, { ...post, retry: "never" }))).message).toBe(
      `the connection to ${target.address} broke before the whole answer came (POST /v1/thing). The server may have applied it: run the same again, which goes on from what the server holds.`,
    );
  });

  test.each(["identity", "gzip"])("a 10 MB body, %s", async (encoding) => {
    const page = Buffer.alloc(10 * 1024 * 1024, "x");
    const target = await serve((_, response) => {
      if (encoding === "gzip") response.setHeader("content-encoding", "gzip").end(gzipSync(page));
      else response.end(page);
    });
    expect((await failure(send(target, get))).message).toContain(
      "the server's answer is too large to be one of its API (GET /v1/thing). Check that",
    );
  });

  test("an answer that stops half-way", async () => {
    limits.silence = 300;
    const target = await serve((_, response) => response.writeHead(200, { "content-length": 100 }).write("{"));
    expect((await failure(send(target, { ...get, retry: "never" }))).message).toContain("did not answer in time");
  });

  test("a body that is not what its header says", async () => {
    const target = await serve((_, response, count) => {
      if (count === 1) response.setHeader("content-encoding", "gzip").end("{}");
      else response.writeHead(204, { "content-encoding": "gzip" }).end();
    });
    expect((await failure(send(target, post))).message).toContain("cannot be read (Z_DATA_ERROR) (POST /v1/thing). Check the scheme");
    expect((await send(target, post)).status).toBe(204);
    expect(seen).toHaveLength(2);
  });

  test("words that a terminal would obey, and a client key", async () => {
    const target = await serve((_, response) => response.writeHead(400).end("\u001b[2Jhello\u202e canary-key"), {});
    target.clientKey = "canary-key";
    // Not used for a connection without TLS, and none the less a secret.
    expect((await failure(send(target, get))).message).toBe("[2Jhello [secret] (GET /v1/thing, 400).");
  });

  test("too slow", async () => {
    limits.silence = 300;
    const target = await serve(() => {});
    expect((await failure(send(target, { ...get, retry: "never" }))).message).toContain(`${target.address} did not answer in time`);
  });

  test("a redirect within the server, or to nowhere", async () => {
    for (const headers of [{ location: "/ui/login" }, {}]) {
      const target = await serve((_, response) => response.writeHead(302, headers).end());
      expect((await failure(send(target, get))).message).toBe(
        "the server sends us on to another path, where its API is not (GET /v1/thing, 302). Check the base path of the connection's address, and the mount.",
      );
    }
  });

  test("a redirect: credentials are not forwarded, and the active node is named", async () => {
    const other = await serve((_, response) => ok(response));
    seen = [];
    const target = await serve((_, response) => response.writeHead(307, { location: `${other.address}/v1/thing?x=canary` }).end());
    expect((await failure(send(target, get))).message).toBe(
      `the server sends us on to ${other.address}, and credentials are not sent after a redirect (GET /v1/thing, 307). If ${other.address} is the active node of this installation, make it the connection's address, or use the address of the load balancer.`,
    );
    expect(seen).toHaveLength(1);
  });
});

describe("TLS", () => {
  const secure = async (options: object): Promise<string> => {
    const port = await listen(
      createTlsServer({ cert: certificate, key: privateKey, ...options }, (request, response) => {
        seen.push(request);
        ok(response);
      }),
    );
    return `https://localhost:${port}`;
  };

  test("trusts the connection's caCert, and nothing else", async () => {
    const address = await secure({});
    expect((await send(connection(address, { caCert: certificate }), get)).status).toBe(200);
    expect((await failure(send(connection(address), get))).message).toMatch(
      /^no trusted TLS connection to https:\/\/localhost:\d+ \(\w+\) \(GET \/v1\/thing\)\. Give the authority/,
    );
  });

  test("shows the client certificate", async () => {
    const address = await secure({ requestCert: true, rejectUnauthorized: true, ca: certificate });
    expect((await send(connection(address, { caCert: certificate, clientCert: certificate, clientKey: privateKey }), get)).status).toBe(
      200,
    );
    await failure(send(connection(address, { caCert: certificate }), { ...get, retry: "never" }));
    expect(seen).toHaveLength(1);
  });

  test("a key that is none is a mistake of ours, not a lost reply", async () => {
    const address = await secure({});
    const broken = connection(address, {
      caCert: certificate,
      clientCert: certificate,
      clientKey: "-----BEGIN PRIVATE KEY-----\nnone\n-----END PRIVATE KEY-----\n",
    });
    expect(await failure(send(broken, post))).toMatchObject({
      code: "ERR_INVALID_INPUT",
      message: expect.stringContaining("cannot be used (ERR_OSSL_"),
    });
    expect(seen).toEqual([]);
  });

  test("https spoken to a plain http server says so", async () => {
    const plain = await serve((_, response) => ok(response));
    expect((await failure(send(connection(plain.address.replace("http:", "https:")), { ...get, retry: "never" }))).message).toContain(
      "no trusted TLS connection",
    );
  });
});

describe("a proxy of the environment", () => {
  const variables = ["http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
  const before = Object.fromEntries(variables.map((name) => [name, process.env[name]]));
  afterEach(() => {
    for (const name of variables) delete process.env[name];
    for (const [name, value] of Object.entries(before)) if (value !== undefined) process.env[name] = value;
  });

  test("stands before other hosts, and never before this machine", async () => {
    for (const name of variables) delete process.env[name];
    const asked: string[] = [];
    const proxy = createServer((request, response) => {
      asked.push(request.url ?? "");
      ok(response);
    });
    proxy.on("connect", (request, socket) => {
      asked.push(request.url ?? "");
      socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    });
    process.env.http_proxy = `http://127.0.0.1:${await listen(proxy)}`;
    await send(connection("http://vault.test:8200"), { ...get, retry: "never" }).catch(() => {});
    expect(asked.join()).toContain("vault.test:8200");
    asked.length = 0;
    const target = await serve((_, response) => ok(response));
    await send(target, get);
    expect(asked).toEqual([]);
    // Behind a CONNECT that is refused nothing was sent.
    process.env.https_proxy = process.env.http_proxy;
    expect(await failure(send(connection("https://third.test:8200"), post))).toMatchObject({
      code: "ERR_UNREACHABLE",
      facts: { outcomeUnknown: false },
      message: expect.stringContaining("the proxy that the environment names does not let us through"),
    });
    asked.length = 0;
    process.env.no_proxy = "other.test";
    await failure(send(connection("http://other.test:8200"), { ...get, retry: "never" }));
    expect(asked).toEqual([]);
  });
});
