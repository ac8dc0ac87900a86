import { combine } from "shamir-secret-sharing";
import type { Options, Sandbox } from "../../../sandbox/index";
import { call, raw, rawList } from "../../support/call";
import { until } from "../../support/until";
import { sandboxOfTest } from "../sandbox";
import { damaged, refused } from "./rekey-service";

const begin = sandboxOfTest();
let sandbox: Sandbox;
async function open(options?: Options): Promise<Sandbox["secrets"]> {
  sandbox = await begin(options);
  return sandbox.secrets;
}
const to = (method: string, path: string, body?: unknown, token?: string) => call(sandbox.secrets, method, `/v1/sys/${path}`, body, token);
const unseal = (body?: unknown) => to("POST", "unseal", body, "");
const status = async () => (await to("GET", "seal-status", undefined, "")).json;

test.each([
  ["standard", "the service is sealed", "the service is sealed"],
  ["hashicorp", "Vault is sealed", "node is not active"],
] as const)("a sealed server responds with 503 on every route, and keeps its data (%s)", async (dialect, message, ofRekey) => {
  const { shares, token, url, ...secrets } = await open({ dialect });
  const role = `/v1/${dialect === "standard" ? "scheduler" : "nomad"}/role/web`;
  await call(sandbox.secrets, "POST", role, { policies: "a" });
  await secrets.seal();
  const rekey = ["GET rekey/init", "PUT rekey/init", "DELETE rekey/init", "PUT rekey/update", "GET rekey/verify"];
  for (const request of ["GET mounts", "GET internal/specs/openapi", "GET nowhere", "GET rekey/backup", ...rekey])
    for (const any of [token, ""]) {
      const [method = "", path = ""] = request.split(" ");
      expect([request, await to(method, path, undefined, any)]).toMatchObject([
        request,
        refused(503, rekey.includes(request) ? ofRekey : message),
      ]);
    }
  expect(await raw(sandbox.secrets, rawList("/v1/scheduler/role", token))).toMatch(/^HTTP\/1.1 503 /);
  expect(await secrets.unseal(shares.slice(0, 2))).toBe(false);
  expect((await to("GET", "mounts")).status).toBe(503);
  expect(await secrets.unseal(shares.slice(2))).toBe(true);
  expect((await call(sandbox.secrets, "GET", role)).status).toBe(200);
});

test("any shares that reach the threshold open the server, and `opens` changes nothing", async () => {
  const secrets = await open();
  const { shares } = secrets;
  const [a, b, c, d, e] = shares as [string, string, string, string, string];
  expect([shares.length, secrets.threshold]).toEqual([5, 3]);
  for (const share of shares) expect(Buffer.from(share, "base64")).toHaveLength(33);
  expect([await secrets.opens([a, b, c]), await secrets.opens([e, b, d, a])]).toEqual([true, true]);
  for (const some of [[], [""], ["", "a", "b"], ["x", "y", "z"], [a, b], [a, a, a], [a, b, damaged(c)]])
    expect(await secrets.opens(some)).toBe(false);
  shares.pop();
  expect(secrets.shares).toHaveLength(5);
  // This dialect has no requests for them.
  for (const path of ["seal-status", "health"]) expect((await to("GET", path)).status).toBe(404);
  expect((await to("PUT", "unseal", { key: "x" })).status).toBe(404);
});

test("other numbers of shares work, and a single share is the root key", async () => {
  const parts = (await open({ unsealShares: 2, unsealThreshold: 2 })).shares.map((share) => new Uint8Array(Buffer.from(share, "base64")));
  expect(await combine(parts)).toHaveLength(32);
  const { shares, threshold, opens } = await open({ unsealShares: 1, seal: "stored" });
  expect([shares.length, threshold]).toEqual([1, 1]);
  expect(Buffer.from(shares[0]!, "base64")).toHaveLength(32);
  expect([await opens(shares), await opens([Buffer.alloc(32).toString("base64")])]).toEqual([true, false]);
});

test("a failover breaks open connections and keeps written data", async () => {
  const secrets = await open();
  await call(secrets, "POST", "/v1/scheduler/role/web", { policies: "a" });
  sandbox.faults.add({ system: "secrets", path: "/v1/sys/mounts", action: "delay", delayMs: 1e8 });
  const waiting = to("GET", "mounts").catch(() => "lost");
  await until("the second request", () => sandbox.requests().length >= 2);
  await secrets.failover();
  expect(await waiting).toBe("lost");
  expect((await call(secrets, "GET", "/v1/scheduler/role/web")).status).toBe(200);
});

test.each(["hashicorp", "openbao"] as const)("the health needs no token, and its status shows the seal (%s)", async (dialect) => {
  const secrets = await open({ dialect });
  const health = (query = "", token = "") => to("GET", `health${query}`, undefined, token);
  const json = { initialized: true, sealed: false, standby: false, replication_dr_mode: "disabled", server_time_utc: expect.any(Number) };
  for (const token of ["", "wrong", secrets.token]) expect(await health("", token)).toMatchObject({ status: 200, json });
  expect("enterprise" in (await health()).json).toBe(dialect === "hashicorp");
  expect((await health()).json).toHaveProperty("cluster_name");
  expect(await health("?activecode=250&sealedcode=299")).toMatchObject({ status: 250, json });
  expect(await health("?activecode=abc")).toMatchObject(refused(400));
  expect((await to("HEAD", "health")).status).toBe(200);
  for (const path of ["health", "seal-status"]) expect(await to("PUT", path, {})).toMatchObject(refused(405));
  await secrets.seal();
  expect(await health()).toMatchObject({ status: 503, json: { initialized: true, sealed: true, standby: true } });
  expect((await health()).json).not.toHaveProperty("cluster_id");
  expect((await health("?sealedcode=299")).status).toBe(299);
});

test.each([
  ["shamir", { type: "shamir", recovery_seal: false }, /^unable to retrieve stored keys: invalid key/],
  ["stored", { type: "transit", recovery_seal: true, recovery_seal_type: "shamir" }, /^invalid key: failed to verify recovery key/],
] as const)("the seal status needs no token and works while sealed (%s)", async (seal, kind, wrong) => {
  const { shares, ...secrets } = await open({ dialect: "hashicorp", seal });
  const cluster = { cluster_name: expect.stringMatching(/^vault-cluster-/), cluster_id: expect.any(String) };
  const rest = { initialized: true, migration: false, storage_type: "inmem", version: "1.21.1", build_date: expect.any(String) };
  const at = (progress: number, sealed = true) => {
    const nonce = progress ? expect.any(String) : "";
    return { ...kind, ...rest, sealed, t: 3, n: 5, progress, nonce };
  };
  for (const token of ["", "wrong"])
    expect((await to("GET", "seal-status", undefined, token)).json).toEqual({ ...at(0, false), ...cluster });
  await secrets.seal();
  expect(await status()).toEqual(at(0));
  for (const _ of [1, 2]) expect((await unseal({ key: shares[0] })).json).toEqual(at(1));
  expect((await unseal({ key: shares[3] })).json).toEqual(at(2));
  expect(await unseal({ key: damaged(shares[2]!) })).toMatchObject(refused(400, wrong));
  expect(await status()).toEqual(at(0));
  await unseal({ key: shares[1] });
  expect((await unseal({ reset: true })).json).toEqual(at(0));
  for (const key of shares.slice(0, 2)) await unseal({ key });
  expect(await unseal({ key: Buffer.from(shares[4]!, "base64").toString("hex") })).toMatchObject({ status: 200, json: at(0, false) });
  expect((await to("GET", "mounts")).status).toBe(200);
});

test("unseal rejects an invalid share and changes nothing on an unsealed server", async () => {
  const { shares, ...secrets } = await open({ dialect: "hashicorp", unsealShares: 2 });
  const [share] = shares;
  const short = Buffer.alloc(20).toString("base64");
  expect(await unseal({ reset: true })).toMatchObject(refused(400, "vault is unsealed"));
  expect((await unseal({ key: short })).json).toMatchObject({ sealed: false, progress: 0 });
  for (const method of ["GET", "DELETE"]) expect(await to(method, "unseal")).toMatchObject(refused(405));
  await secrets.seal();
  for (const [reason, body, first] of [
    ["EOF", undefined],
    ["'key' must be specified in request body as JSON, or 'reset' set to true", {}],
    ["'key' must be a valid hex or base64 string", { key: "!" }],
    ["invalid key: key is shorter than minimum 16 bytes", { key: "abcd" }],
    ["invalid key: key is longer than maximum 33 bytes", { key: Buffer.alloc(34).toString("base64") }],
    ["invalid key: failed to compute combined key: duplicate part detected", { key: damaged(share!) }, share],
    ["invalid key: failed to compute combined key: all parts must be the same length", { key: short }, share],
  ] as const) {
    if (first) expect((await unseal({ key: first })).json.progress).toBe(1);
    expect(await unseal(body)).toMatchObject(refused(400, reason));
    expect(await status()).toMatchObject({ sealed: true, progress: 0, nonce: "" });
  }
  await unseal({ key: share });
  await secrets.unseal(shares);
  expect(await status()).toMatchObject({ sealed: false, progress: 0 });
  for (const forget of [() => secrets.seal(), () => sandbox.reset().then(() => secrets.seal())]) {
    await secrets.seal();
    await unseal({ key: share });
    await forget();
    expect(await status()).toMatchObject({ sealed: true, progress: 0, nonce: "" });
  }
});

test("an OpenBao without recovery keys is unsealed by nobody", async () => {
  const { shares, threshold, opens, seal } = await open({ dialect: "openbao", seal: "stored", unsealShares: 0 });
  expect([shares, threshold, await opens([])]).toEqual([[], 0, false]);
  await seal();
  expect(await unseal({ key: Buffer.alloc(33, 1).toString("base64") })).toMatchObject(
    refused(400, "invalid key: failed to compute combined key: less than two parts cannot be used to reconstruct the secret"),
  );
});
