import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect as netConnect, Socket } from "node:net";
import { send } from "../../../provider/http";
import { stewardProcess } from "../../command/holder";
import { certificate, expiredCertificate, otherCertificate, privateKey } from "../../support/certificates";
import { connectTo } from "../../support/connection";
import { Engine } from "../../support/engine";
import { printed } from "../../support/printed";
import { expectRefused, failure, invalidInputs, refusal } from "../../support/refusal";
import { connection, get, listen, listenTcp, ok, post, seen, serve } from "./exchange";

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

  test.each<[cause: string, cert: string, caCert: string | undefined, rule: string, part: string]>([
    ["an unknown authority", certificate, undefined, "certificate-authority", "caCert"],
    ["an expired certificate", expiredCertificate, expiredCertificate, "certificate-expired", "(CERT_HAS_EXPIRED)"],
    ["another host's certificate", otherCertificate, otherCertificate, "certificate-host", "(ERR_TLS_CERT_ALTNAME_INVALID)"],
  ])("names a remedy for %s", async (_, cert, caCert, rule, part) => {
    const address = await secure({ cert });
    const expected = refusal("ERR_UNEXPECTED_RESPONSE", { rule, method: "GET", path: "/v1/thing" });
    await expectRefused(send(connection(address, { caCert }), get), expected, address, part);
  });

  test("accepts a certificate for tlsServerName, and only for it", async () => {
    const address = await secure({ cert: otherCertificate });
    const settings = { address, token: "canary-token", caCert: otherCertificate };
    const to = (more: object, environment = {}) => connectTo("secrets", { ...settings, ...more }, { environment });
    expect((await send(to({ tlsServerName: "other.test" }), get)).status).toBe(200);
    expect(await failure(send(to({ tlsServerName: "third.test" }), get))).toMatchObject({ details: { rule: "certificate-host" } });
    const environment = { VAULT_ADDR: address, VAULT_TLS_SERVER_NAME: "other.test" };
    const { server } = connectTo("secrets", {}, { config: () => undefined, environment });
    expect(server.credentials.tlsServerName).toBe("other.test");
    const unread = await failure(send(to({ caCert: undefined }, { NOMAD_CAPATH: "/etc/a", VAULT_CAPATH: "/etc/ssl" }), get));
    expect(unread.message).toContain("VAULT_CAPATH is not read.");
  });

  test.each(["1", "true"])("VAULT_SKIP_VERIFY=%s is ignored, and the error names it", async (value) => {
    const address = await secure({});
    const target = (environment: object) => connectTo("secrets", { address, token: "canary-token" }, { environment: { ...environment } });
    expect((await failure(send(target({ VAULT_SKIP_VERIFY: value }), get))).message).toContain("VAULT_SKIP_VERIFY");
    expect((await failure(send(target({ VAULT_SKIP_VERIFY: "false" }), get))).message).not.toContain("VAULT_SKIP_VERIFY");
    expect(seen).toEqual([]);
  });

  test.each([
    { of: "the server", asked: [] },
    { of: "the server behind a proxy", proxy: createServer, asked: ["vault.test:8200"] },
    { of: "a proxy", proxy: () => createTlsServer({ cert: certificate, key: privateKey }), asked: [] },
  ])("NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored for the certificate of $of", async ({ proxy, asked }) => {
    const address = await secure({});
    const tunnels: unknown[] = [];
    const tunnel = proxy?.().on("connect", ({ url }, socket) => {
      tunnels.push(url);
      const server = netConnect(Number(new URL(address).port), "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
      socket.on("error", () => server.destroy()).pipe(server);
      server.on("error", () => socket.destroy()).pipe(socket);
    });
    const route = tunnel && {
      VAULT_ADDR: "https://vault.test:8200",
      https_proxy: `${asked.length > 0 ? "http" : "https"}://localhost:${await listen(tunnel)}`,
    };
    const variables = { NODE_TLS_REJECT_UNAUTHORIZED: "0", VAULT_ADDR: address, VAULT_TOKEN: "canary-token", ...route };
    // A process: a test's variables do not reach Node itself.
    const { code, stderr } = await stewardProcess(variables, ["rekey", "status"]);
    expect(code).toBe(1);
    expect(stderr).toContain("NODE_TLS_REJECT_UNAUTHORIZED is ignored");
    expect(tunnels).toEqual(asked);
    expect(seen).toEqual([]);
  });

  test("trusts the connection's caCert, and sends the client certificate", async () => {
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
    const error = await failure(send(connection(plain.server.address.replace("http:", "https:")), { ...get, retry: "never" }));
    expect(error).toEqual(refusal("ERR_UNEXPECTED_RESPONSE", { rule: "no-tls" }));
  });
});

test.each(["secrets", "platform", "scheduler"] as const)(
  "plain HTTP to another machine causes one warning per connection (%s)",
  async (system) => {
    const address = `http://${system}.invalid:1`;
    for (const name of ["default", "default", "other"])
      await failure(send(connectTo(system, { address, token: "t" }, {}, name), { ...get, retry: "never" }));
    const line = (name: string): unknown => expect.stringMatching(`^warning: .*"${name}".* ${system} to ${address} `);
    expect(printed).toEqual([line("default"), line("other")]);
    const here = await serve((_, response) => ok(response));
    await send(here, get);
    expect(printed).toHaveLength(2);
  },
);

describe("a proxy from the environment", () => {
  beforeEach(() => {
    const others = Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name));
    jest.replaceProperty(process, "env", Object.fromEntries(others));
  });

  test("is used for other hosts and never for this machine", async () => {
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
    // If CONNECT is refused, nothing was sent.
    process.env.https_proxy = process.env.http_proxy;
    const refused = await failure(send(connection("https://third.test:8200"), post));
    expect(refused).toMatchObject({ code: "ERR_UNREACHABLE", details: { outcomeUnknown: false, rule: "refused-by-proxy" } });
    for (const part of [process.env.https_proxy, "https_proxy", "https://third.test:8200"]) expect(refused.message).toContain(part);
  });

  test.each([
    "proxy.test:3128",
    "localhost:3128",
    "canary",
    "ftp://proxy.example.com",
    "socks5:canary",
    "http://user:canary%@127.0.0.1:1",
    "http://us%er:canary@127.0.0.1:1",
  ])("if invalid is an error that names its variable (%s)", async (value) => {
    for (const variable of ["http_proxy", "HTTPS_PROXY"]) {
      process.env[variable] = value;
      for (const address of ["https://first.test:8200", "http://second.test:8200"]) {
        const error = await failure(send(connection(address), { ...post, retry: "never" }));
        expect(error).toEqual(invalidInputs(`${variable}: proxy`));
        expect(error.message).not.toContain(value);
      }
      delete process.env[variable];
    }
    process.env.https_proxy = value;
    const target = await serve((_, response) => ok(response));
    expect((await send(target, get)).status).toBe(200);
  });

  test("of both schemes may be invalid, and a resource fails without a state", async () => {
    Object.assign(process.env, { http_proxy: "proxy:1", https_proxy: "proxy:2", HTTP_PROXY: "http://127.0.0.1:1" });
    const engine = new Engine("secrets:SchedulerRole", {
      "steward:default": { secrets: { address: "https://role.test:8200", token: "t", dialect: "standard" } },
    });
    await expect(engine.up({ name: "web", policies: ["a"], adopt: true })).rejects.toThrow(
      invalidInputs("http_proxy: proxy", "https_proxy: proxy"),
    );
    expect(engine.state).toBeUndefined();
  });

  test.each<[what: string, scheme: string, answer: (socket: Socket) => unknown]>([
    ["resets the connection", "http", (socket) => socket.resetAndDestroy()],
    ["closes the connection", "http", (socket) => socket.end()],
    ["does not speak HTTP", "http", (socket) => socket.end("what?\r\n\r\n")],
    ["speaks SOCKS and closes the connection", "socks5", (socket) => socket.destroy()],
  ])("that %s is named with its variable, and nothing was sent", async (_, scheme, answer) => {
    const port = await listenTcp(answer);
    process.env.https_proxy = `${scheme}://user:canary@127.0.0.1:${port}`;
    const error = await failure(send(connection(`https://${randomUUID()}.test:8200`), { ...post, retry: "never" }));
    expect(error).toMatchObject({ code: "ERR_UNREACHABLE", details: { outcomeUnknown: false, nothingSent: true } });
    for (const part of [`${scheme}://127.0.0.1:${port} `, "https_proxy"]) expect(error.message).toContain(part);
  });

  // The rules are in proxy.test.
  test.each<[noProxy: string, variable: string | undefined]>([
    ["", "https_proxy"],
    [".b.test:8200", undefined],
  ])("that is unreachable is named only if it is used, without its password: no_proxy=%j", async (no_proxy, variable) => {
    Object.assign(process.env, { https_proxy: "http://user:canary@127.0.0.1:1", no_proxy });
    // Sockets to an address are kept.
    const host = randomUUID();
    const error = await failure(send(connection(`https://${host}.b.test:8200`), { ...get, retry: "never" }));
    expect(error).toMatchObject({ details: { rule: variable ? "proxy-unreachable" : "no-connection" } });
    if (!variable) return;
    for (const part of [`the proxy http://127.0.0.1:1 in ${variable} (ECONNREFUSED)`, "no_proxy"]) expect(error.message).toContain(part);
  });
});
