import { createServer, request as send } from "node:http";
import { AddressInfo } from "node:net";
import { startOpenBao, startVault } from "../../tools/servers";
import { stewardProcess } from "../command/holder";
import { call } from "../support/call";
import { holders, read } from "../support/pgp";
import "../support/printed";
import { Project } from "../support/project";
import { capabilitiesOf, documented, rekeyWithPolicies, TokenService, tokenWith } from "../support/rekey-ceremony";
import { variablesFor } from "../support/rekey-wire";

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

  test("`pulumi up` and the holders' command line complete a rekey with the policies of the API page and nothing else", async () => {
    const { url } = service;
    const all = await holders(3);
    const stackToken = await tokenWith(service, "stack", documented[dialect].stack);
    const holderToken = await tokenWith(service, "holder", documented[dialect].holder);
    const project = new Project({ STEWARD_TOKEN: stackToken }).config({
      "steward:default": { secrets: { address: url, tokenEnv: "STEWARD_TOKEN", dialect } },
    });
    const holder = async (args: string[], input = ""): Promise<string> => {
      const { code, stdout, stderr } = await stewardProcess(variablesFor(dialect, { url, token: holderToken }), ["rekey", ...args], input);
      expect([code, stderr]).toEqual([0, expect.anything()]);
      return stdout;
    };
    try {
      project.program(`
        const rekey = new secrets.Rekey("unseal", { secretShares: 3, secretThreshold: 2, backup: true, removeBackup: true,
          pgpKeys: ${JSON.stringify(all.map(({ publicKey }) => publicKey))}, currentShares: [{ env: "SHARE" }], newShares: [{ env: "NEW_1" }, { env: "NEW_2" }] });
        exports.complete = rekey.complete;`);
      const up = async (variables: Record<string, string> = {}): Promise<string> =>
        (await project.with(variables).pulumi("up", "--yes", "--skip-preview")).output;
      const [one = "", two = "", three = ""] = service.shares;
      expect(await up()).toContain("0 of 3 current shares submitted");
      const [, nonce = ""] = /^nonce +(\S+)$/m.exec(await holder(["status"])) ?? [];
      for (const share of [one, two]) await holder(["submit", "--nonce", nonce], share);
      expect(await up({ SHARE: three })).toContain("0 of the 2 decrypted new shares required to prove the rekey are available");
      expect(await holder(["status"])).toContain("all submitted");
      const fresh: string[] = [];
      for (const each of all) {
        const [, message = ""] = /encrypted: ([0-9a-f]+)/.exec(await holder(["backup", "--fingerprint", each.fingerprint])) ?? [];
        fresh.push(await read(each, message));
      }
      await up({ NEW_1: fresh[0] as string, NEW_2: fresh[1] as string });
      expect(await project.outputs()).toEqual({ complete: true });
      service.shares = fresh;
      service.threshold = 2;
    } finally {
      project.remove();
    }
  });

  test("no capability beyond those of the page is used, in process", () => rekeyWithPolicies(service));

  test.each(capabilitiesOf(dialect))("the %s needs `%s` on %s, and the 403 names it", (...missing) => rekeyWithPolicies(service, missing));
});
