import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { print } from "../../provider/adapters/print";
import { connect } from "../../provider/connection";
import { send } from "../../provider/http";
import { certificate, expiredCertificate, otherCertificate, privateKey } from "../support/certificates";
import { connectTo, systems } from "../support/connection";
import { noEngine } from "../support/engine";
import { printed } from "../support/printed";
import { refusal } from "../support/refusal";
import { connection, failure, get, listen, ok, post, seen, serve, servers } from "./exchange";

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
    const error = await failure(send(connection(address), get));
    expect(error).toEqual(refusal("ERR_UNEXPECTED_RESPONSE", { rule: "certificate-authority", method: "GET", path: "/v1/thing" }));
    for (const part of [address, "caCert"]) expect(error.message).toContain(part);
  });

  test.each([
    { cause: "an expired certificate", cert: expiredCertificate, code: "CERT_HAS_EXPIRED", rule: "certificate-expired" },
    { cause: "another host's certificate", cert: otherCertificate, code: "ERR_TLS_CERT_ALTNAME_INVALID", rule: "certificate-host" },
  ])("says what to do about $cause", async ({ cert, code, rule }) => {
    const address = await secure({ cert });
    const error = await failure(send(connection(address, { caCert: cert }), get));
    expect(error).toEqual(refusal("ERR_UNEXPECTED_RESPONSE", { rule, method: "GET", path: "/v1/thing" }));
    for (const part of [address, `(${code})`]) expect(error.message).toContain(part);
  });

  test.each(["1", "true"])("VAULT_SKIP_VERIFY=%s is not followed, and the error names it", async (value) => {
    const address = await secure({});
    const target = (environment: object) => connectTo("secrets", { address, token: "canary-token" }, { environment: { ...environment } });
    expect((await failure(send(target({ VAULT_SKIP_VERIFY: value }), get))).message).toContain("VAULT_SKIP_VERIFY");
    expect((await failure(send(target({ VAULT_SKIP_VERIFY: "false" }), get))).message).not.toContain("VAULT_SKIP_VERIFY");
    expect(seen).toEqual([]);
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
    expect(await failure(send(broken, post))).toEqual(refusal("ERR_INVALID_INPUT", { rule: "pem" }));
    expect(seen).toEqual([]);
  });

  test("HTTPS to a plain HTTP server is an error about TLS", async () => {
    const plain = await serve((_, response) => ok(response));
    const error = await failure(send(connection(plain.address.replace("http:", "https:")), { ...get, retry: "never" }));
    expect(error).toEqual(refusal("ERR_UNEXPECTED_RESPONSE", { rule: "no-tls" }));
  });
});

test.each(["secrets", "platform", "scheduler"] as const)(
  "plain http to another machine is warned of once for each connection to %s",
  async (system) => {
    const address = `http://${system}.invalid:1`;
    const to = (name: string) =>
      connect(systems[system], name, {
        config: () => JSON.stringify({ [system]: { address, token: "t" } }),
        environment: {},
        cache: new Map(),
        engine: noEngine,
        say: print,
      });
    for (const name of ["default", "default", "other"]) await failure(send(to(name), { ...get, retry: "never" }));
    const line = (name: string): unknown => expect.stringMatching(`^warning: .*"${name}".* ${system} to ${address} `);
    expect(printed).toEqual([line("default"), line("other")]);
    const here = await serve((_, response) => ok(response));
    await send(here, get);
    expect(printed).toHaveLength(2);
  },
);

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
    const refused = await failure(send(connection("https://third.test:8200"), post));
    expect(refused).toMatchObject({ code: "ERR_UNREACHABLE", details: { outcomeUnknown: false, rule: "refused-by-proxy" } });
    for (const part of [process.env.https_proxy, "https_proxy", "https://third.test:8200"]) expect(refused.message).toContain(part);
    asked.length = 0;
    process.env.no_proxy = "other.test";
    await failure(send(connection("http://other.test:8200"), { ...get, retry: "never" }));
    expect(asked).toEqual([]);
  });

  test.each(["http_proxy", "HTTPS_PROXY"])("that is dead is named, with its variable (%s) and without its password", async (variable) => {
    for (const name of variables) delete process.env[name];
    const port = await listen(createServer());
    await new Promise((done) => servers.pop()?.close(done));
    process.env[variable] = `http://user:canary@127.0.0.1:${port}`;
    const error = await failure(send(connection(`https://${variable}.test:8200`.replace("_", "-")), { ...post, retry: "never" }));
    expect(error).toMatchObject({ code: "ERR_UNREACHABLE", details: { rule: "proxy-unreachable", nothingSent: true } });
    for (const part of [`http://127.0.0.1:${port} `, variable, "ECONNREFUSED", "no_proxy"]) expect(error.message).toContain(part);
  });
});
