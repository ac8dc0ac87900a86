import { createServer, request as send } from "node:http";
import { AddressInfo } from "node:net";
import { startOpenBao, startVault } from "../../tools/servers";
import { call } from "../support/call";
import "../support/printed";
import { capabilitiesOf, rekeyWithPolicies, TokenService } from "../support/rekey-ceremony";

// A rekey with the policies of the API page, on OpenBao and on a Vault behind a proxy. The proxy requires a token, as Vault 2.x is documented to.
// Vault 2.x itself cannot be built here.

const needed: Record<string, string> = { GET: "read", PUT: "update", POST: "update", DELETE: "delete" };

/** Starts a Vault behind a proxy that denies the requests of a rekey to a token whose policies do not grant them. */
async function vaultRequiringTokens(): Promise<TokenService> {
  const { address, token, keys, stop } = await startVault();
  const allows = async (given: unknown, path: string, capability = "none"): Promise<boolean> => {
    if (typeof given !== "string") return false;
    const { json } = await call({ url: address, token }, "POST", "/v1/sys/capabilities", { token: given, paths: [path] });
    const granted: string[] = json?.data?.[path] ?? [];
    return granted.includes(capability) || granted.includes("root");
  };
  const proxy = createServer(async (incoming, outgoing) => {
    const path = String(incoming.url).replace("/v1/", "");
    if (path.startsWith("sys/rekey/") && !(await allows(incoming.headers["x-vault-token"], path, needed[String(incoming.method)])))
      return outgoing.writeHead(403, { "content-type": "application/json" }).end('{"errors":["permission denied"]}');
    const options = { method: incoming.method, headers: { ...incoming.headers, host: new URL(address).host } };
    const upstream = send(new URL(String(incoming.url), address), options, (response) => {
      response.pipe(outgoing.writeHead(response.statusCode as number, response.headers));
    });
    incoming.pipe(upstream.on("error", () => incoming.socket.destroy()));
  });
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    proxy.close().closeAllConnections();
    await stop();
  };
  return { dialect: "hashicorp", url, token, shares: keys, threshold: 3, stop: close };
}

async function openbao(): Promise<TokenService> {
  const { address, token, keys, stop } = await startOpenBao();
  return { dialect: "openbao", url: address, token, shares: keys, threshold: 3, stop };
}

const services = [
  { name: "Vault behind a proxy that requires a token", dialect: "hashicorp" as const, start: vaultRequiringTokens },
  // `TESTS=real npm test` sets it where OpenBao is available.
  ...(process.env.REAL_OPENBAO_ADDRESS ? [{ name: "OpenBao", dialect: "openbao" as const, start: openbao }] : []),
];

// One server for each suite: each test continues with the shares of the one before.
describe.each(services)("$name", ({ dialect, start }) => {
  let service: TokenService;
  beforeAll(async () => {
    service = await start();
  });
  afterAll(() => service.stop());

  test("no capability beyond those of the page is used, in process", () => rekeyWithPolicies(service));

  test.each(capabilitiesOf(dialect))("the %s needs `%s` on %s, and the 403 names it", (...missing) => rekeyWithPolicies(service, missing));
});
