import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { send } from "../../provider/http";
import { certificate, privateKey } from "../support/certificates";
import { connection, failure, get, listen, ok, post, seen, serve } from "./exchange";

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

  test("trusts only the connection's caCert", async () => {
    const address = await secure({});
    expect((await send(connection(address, { caCert: certificate }), get)).status).toBe(200);
    expect((await failure(send(connection(address), get))).message).toMatch(
      /^no trusted TLS connection to https:\/\/localhost:\d+ \(\w+\), and nothing was sent \(GET \/v1\/thing\)\. Give the authority/,
    );
  });

  test("sends the client certificate", async () => {
    const address = await secure({ requestCert: true, rejectUnauthorized: true, ca: certificate });
    expect((await send(connection(address, { caCert: certificate, clientCert: certificate, clientKey: privateKey }), get)).status).toBe(
      200,
    );
    await failure(send(connection(address, { caCert: certificate }), { ...get, retry: "never" }));
    expect(seen).toHaveLength(1);
  });

  test("an invalid client key is an input error, not a lost response", async () => {
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

  test("HTTPS to a plain HTTP server is an error about TLS", async () => {
    const plain = await serve((_, response) => ok(response));
    expect((await failure(send(connection(plain.address.replace("http:", "https:")), { ...get, retry: "never" }))).message).toContain(
      "no trusted TLS connection",
    );
  });
});

describe("a proxy from the environment", () => {
  const variables = ["http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
  const before = Object.fromEntries(variables.map((name) => [name, process.env[name]]));
  afterEach(() => {
    for (const name of variables) delete process.env[name];
    for (const [name, value] of Object.entries(before)) if (value !== undefined) process.env[name] = value;
  });

  test("is used for other hosts and never for this machine", async () => {
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
