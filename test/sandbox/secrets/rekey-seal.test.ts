import { type Options, type Sandbox, start } from "../../../sandbox/index";
import { call } from "../../support/call";
import { until } from "../../support/until";
import { damaged, refused } from "./rekey-service";

let sandbox: Sandbox;
afterEach(() => sandbox?.close());

async function open(options: Options): Promise<Sandbox["secrets"]> {
  sandbox = await start(options);
  return sandbox.secrets;
}
const to = (method: string, path: string, body?: unknown, token?: string) => call(sandbox.secrets, method, `/v1/sys/${path}`, body, token);
const status = async () => (await to("GET", "rekey/init")).json;
const begin = async (more: object = {}): Promise<string> => {
  expect((await to("PUT", "rekey/init", { secret_shares: 3, secret_threshold: 2, ...more })).status).toBe(200);
  return (await status()).nonce;
};
const give = (nonce: string, key: unknown) => to("PUT", "rekey/update", { key, nonce });
const unseal = (body?: unknown) => to("POST", "unseal", body, "");

describe.each(["standard", "hashicorp"] as const)("a rekey and operations of an administrator, %s", (dialect) => {
  test.each([
    ["seal", ({ seal, unseal, shares }: Sandbox["secrets"]) => seal().then(() => unseal(shares))],
    ["failover", ({ failover }: Sandbox["secrets"]) => failover()],
  ])("a %s loses the attempt, also during verification, and the status looks like that of a commit", async (_, lose) => {
    const secrets = await open({ dialect });
    const { shares } = secrets;
    for (const given of [1, 3]) {
      const nonce = await begin({ require_verification: true });
      for (const share of shares.slice(0, given)) await give(nonce, share);
      await lose(secrets);
      // The client may only notice now that its connection was closed.
      expect(await status().catch(status)).toMatchObject({ started: false, nonce: "", required: 3 });
      expect(await give(nonce, shares[0])).toMatchObject(refused(400, /^no barrier rekey in progress$/));
    }
    expect(secrets.shares).toEqual(shares);
  });

  test("a sealed server rejects the rekey's routes", async () => {
    await (await open({ dialect })).seal();
    const message = dialect === "hashicorp" ? "node is not active" : "the service is sealed";
    for (const [method, path] of [
      ["GET", "init"],
      ["PUT", "init"],
      ["DELETE", "init"],
      ["PUT", "update"],
      ["GET", "verify"],
    ] as const)
      expect(await to(method, `rekey/${path}`)).toMatchObject({ status: 503, json: { errors: [message] } });
    expect((await to("GET", "rekey/backup")).json.errors).toEqual([dialect === "hashicorp" ? "Vault is sealed" : message]);
  });

  test("`opens` follows each commit and does not disturb an attempt", async () => {
    const secrets = await open({ dialect, unsealShares: 3, unsealThreshold: 2 });
    const before = secrets.shares;
    const nonce = await begin({ secret_shares: 4, secret_threshold: 3, require_verification: true });
    await give(nonce, before[0]);
    expect(await secrets.opens(before)).toBe(true);
    expect((await status()).progress).toBe(1);
    const { keys_base64: candidate, verification_nonce: proof } = (await give(nonce, before[1])).json;
    expect([secrets.shares, secrets.threshold]).toEqual([before, 2]);
    expect([await secrets.opens(candidate), await secrets.opens(before)]).toEqual([false, true]);
    for (const key of candidate.slice(1)) await to("PUT", "rekey/verify", { key, nonce: proof });
    expect([secrets.shares, secrets.threshold]).toEqual([candidate, 3]);
    expect([await secrets.opens(candidate.slice(1)), await secrets.opens(before)]).toEqual([true, false]);
    await sandbox.reset();
    expect(secrets.shares).toEqual(before);
  });

  test("a reset removes attempt and backup, never in the middle of a request", async () => {
    const { shares } = await open({ dialect, unsealShares: 1 });
    const holder = await require("openpgp").generateKey({ userIDs: [{ name: "holder" }], format: "object" });
    const pgp_keys = [Buffer.from(holder.publicKey.write()).toString("base64")];
    for (const verified of [true, false]) {
      const nonce = await begin({ secret_shares: 1, secret_threshold: 1, pgp_keys, backup: true, require_verification: verified });
      const last = give(nonce, shares[0]);
      await until("the share arrives", () => sandbox.requests().some(({ path }) => path.endsWith("update")));
      await sandbox.reset();
      const { status: code, json } = await last;
      expect([code, json.complete ?? json.errors]).toEqual([200, true]);
      expect(await status()).toMatchObject({ started: false, required: 1 });
      expect((await to("GET", "rekey/backup")).status).toBe(dialect === "hashicorp" ? 400 : 404);
      expect(await sandbox.secrets.opens(shares)).toBe(true);
    }
  });

  test("a last share counts although its response is lost, and parallel shares are counted one by one", async () => {
    const secrets = await open({ dialect });
    const { shares } = secrets;
    const nonce = await begin({ require_verification: true });
    const answers = await Promise.all(shares.map((share) => give(nonce, share)));
    const complete = answers.filter(({ json }) => json.complete);
    expect(complete).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(2);
    sandbox.faults.add({ system: "secrets", path: "/v1/sys/rekey/verify", method: "PUT", nth: 2, action: "drop-after" });
    const { keys, verification_nonce: proof } = complete[0]!.json;
    await to("PUT", "rekey/verify", { key: keys[0], nonce: proof });
    await expect(to("PUT", "rekey/verify", { key: keys[1], nonce: proof })).rejects.toThrow();
    expect(await status()).toMatchObject({ started: false, required: 2 });
    expect(await secrets.opens(keys.slice(1))).toBe(true);
  });

  test("an auto-unseal seal rejects PGP keys and verification, returns no shares, and uses the shares as recovery keys", async () => {
    const { shares } = await open({ dialect, seal: "stored" });
    for (const [code, reason, body] of [
      [400, /^requiring verification not supported when rekeying the barrier key with recovery keys$/, { require_verification: true }],
      [400, /^PGP key encryption not supported when using stored keys$/, { pgp_keys: ["", "", ""] }],
      [400, /^PGP key encryption not supported/, { pgp_keys: ["", "", ""], backup: true, require_verification: true }],
      [400, /^cannot request a backup/, { backup: true }],
      [400, /^provided threshold greater/, { secret_threshold: 4 }],
    ] as const)
      expect(await to("PUT", "rekey/init", { secret_shares: 3, secret_threshold: 2, ...body })).toMatchObject(refused(code, reason));
    // Vault makes one share, regardless of the request.
    const asked = { secret_shares: 5, secret_threshold: 3 };
    const one = { secret_shares: 1, secret_threshold: 1 };
    if (dialect === "standard")
      for (const body of [asked, { ...asked, secret_threshold: 1 }])
        expect(await to("PUT", "rekey/init", body)).toMatchObject(refused(400, /^secret_shares and secret_threshold must be 1:/));
    const nonce = await begin(dialect === "standard" ? one : asked);
    expect(await status()).toMatchObject({ t: 1, n: 1, required: 3 });
    for (const share of [shares[0], shares[1]]) await give(nonce, share);
    expect(await give(nonce, damaged(shares[2]!))).toMatchObject(refused(400, /^recovery key verification failed/));
    expect(await status()).toMatchObject({ started: true, nonce, progress: 0 });
    for (const share of shares.slice(1, 3)) await give(nonce, share);
    expect((await give(nonce, shares[4])).json).toMatchObject({ complete: true, keys: [], keys_base64: [], verification_required: false });
    expect(await status()).toMatchObject({ started: false, required: 3 });
    expect(await sandbox.secrets.opens(shares)).toBe(true);
  });
});

test.each([
  ["hashicorp", "rekey-recovery-key"],
  ["openbao", "rotate/recovery"],
] as const)("the sandbox's shares are the recovery keys, which also unseal (%s)", async (dialect, path) => {
  const secrets = await open({ dialect, seal: "stored" });
  const before = secrets.shares;
  const rekey = async (method: string, end: string, body?: object) => {
    const { json } = await to(method, `${path}/${end}`, body);
    return json?.data ?? json;
  };
  const start = async (): Promise<string> => (await rekey("PUT", "init", { secret_shares: 4, secret_threshold: 2 })).nonce;
  for (const lose of [() => secrets.failover(), () => secrets.seal().then(() => secrets.unseal(before))]) {
    await start();
    await lose();
    // The client may only notice now that its connection was closed.
    const status = () => rekey("GET", "init");
    expect(await status().catch(status)).toMatchObject({ started: false, required: 3 });
  }
  const nonce = await start();
  for (const key of before.slice(2)) await rekey("PUT", "update", { key, nonce });
  const { shares } = secrets;
  expect([shares.length, secrets.threshold]).toEqual([4, 2]);
  expect([await secrets.opens(shares.slice(2)), await secrets.opens(before)]).toEqual([true, false]);
  await secrets.seal();
  expect(await secrets.unseal(before)).toBe(false);
  for (const key of shares.slice(2)) await unseal({ key });
  expect((await to("GET", "seal-status")).json).toMatchObject({ sealed: false, t: 2, n: 4 });
  await sandbox.reset();
  expect(secrets.shares).toEqual(before);
});

test("an OpenBao without recovery keys is unsealed by nobody", async () => {
  const { shares, threshold, opens, seal } = await open({ dialect: "openbao", seal: "stored", unsealShares: 0 });
  expect([shares, threshold, await opens([])]).toEqual([[], 0, false]);
  await seal();
  expect(await unseal({ key: Buffer.alloc(33, 1).toString("base64") })).toMatchObject(
    refused(400, /^invalid key: failed to compute combined key: less than two parts cannot be used to reconstruct the secret$/),
  );
});

test("only the standard dialect accepts a threshold of one with several shares", async () => {
  const one = { secret_shares: 3, secret_threshold: 1, require_verification: true };
  await open({ dialect: "hashicorp" });
  const reason = /threshold must be greater than one for multiple shares$/;
  expect(await to("PUT", "rekey/init", one)).toMatchObject(refused(500, reason));
  await sandbox.close();
  const { shares } = await open({ dialect: "standard", unsealShares: 2, unsealThreshold: 1 });
  expect(new Set(shares).size).toBe(2);
  const nonce = await begin(one);
  const { keys_base64: made, verification_nonce: proof } = (await give(nonce, shares[1])).json;
  expect(new Set(made).size).toBe(3);
  expect(await to("PUT", "rekey/verify", { key: made[2], nonce: proof })).toMatchObject({ json: { complete: true } });
  for (const share of made) expect(await sandbox.secrets.opens([share])).toBe(true);
  expect([await sandbox.secrets.opens(made), await sandbox.secrets.opens([shares[0]!])]).toEqual([true, false]);
});

test("an attempt can be canceled only with its nonce during its first ten minutes, by the sandbox's clock", async () => {
  await open({ dialect: "hashicorp" });
  await begin();
  sandbox.clock.advance(590_000);
  expect(await to("DELETE", "rekey/init", {})).toMatchObject(refused(400, /^invalid request$/));
  sandbox.clock.advance(10_000);
  expect(await to("DELETE", "rekey/init")).toMatchObject(refused(400, /^EOF$/));
  expect((await to("DELETE", "rekey/init", {})).status).toBe(204);
  expect((await status()).started).toBe(false);
});

test.each([
  ["shamir", { type: "shamir", recovery_seal: false }],
  ["stored", { type: "transit", recovery_seal: true, recovery_seal_type: "shamir" }],
] as const)("the seal status needs no token and works while sealed (%s)", async (seal, kind) => {
  const { shares } = await open({ dialect: "hashicorp", seal });
  const cluster = { cluster_name: expect.stringMatching(/^vault-cluster-/), cluster_id: expect.any(String) };
  const rest = { initialized: true, migration: false, storage_type: "inmem", version: "1.21.1", build_date: expect.any(String) };
  const at = (progress: number, sealed = true) => ({
    ...kind,
    ...rest,
    sealed,
    t: 3,
    n: 5,
    progress,
    nonce: progress ? expect.any(String) : "",
  });
  for (const token of ["", "wrong"])
    expect((await to("GET", "seal-status", undefined, token)).json).toEqual({ ...at(0, false), ...cluster });
  await sandbox.secrets.seal();
  expect((await to("GET", "seal-status", undefined, "")).json).toEqual(at(0));
  expect((await unseal({ key: shares[0] })).json).toEqual(at(1));
  expect((await unseal({ key: shares[0] })).json).toEqual(at(1));
  expect((await unseal({ key: shares[3] })).json).toEqual(at(2));
  const wrong = seal === "stored" ? /^invalid key: failed to verify recovery key/ : /^unable to retrieve stored keys: invalid key/;
  expect(await unseal({ key: damaged(shares[2]!) })).toMatchObject(refused(400, wrong));
  expect((await to("GET", "seal-status")).json).toEqual(at(0));
  await unseal({ key: shares[1] });
  expect((await unseal({ reset: true })).json).toEqual(at(0));
  for (const key of shares.slice(0, 2)) await unseal({ key });
  expect(await unseal({ key: Buffer.from(shares[4]!, "base64").toString("hex") })).toMatchObject({ status: 200, json: at(0, false) });
  expect((await to("GET", "mounts")).status).toBe(200);
});

test("the health shows that the server is active, or sealed, without a token", async () => {
  await open({ dialect: "openbao" });
  const active = { initialized: true, sealed: false, standby: false, cluster_name: expect.any(String) };
  expect(await to("GET", "health", undefined, "")).toMatchObject({ status: 200, json: active });
  expect(await to("PUT", "health", {})).toMatchObject({ status: 405, json: { errors: [] } });
  await sandbox.secrets.seal();
  expect(await to("GET", "health", undefined, "")).toMatchObject({ status: 503, json: { sealed: true, standby: true } });
});

test("unseal rejects an invalid share and changes nothing on an unsealed server", async () => {
  const { shares } = await open({ dialect: "hashicorp", unsealShares: 2 });
  expect(await unseal({ reset: true })).toMatchObject(refused(400, /^vault is unsealed$/));
  expect((await unseal({ key: Buffer.alloc(20).toString("base64") })).json).toMatchObject({ sealed: false, progress: 0 });
  for (const method of ["GET", "DELETE"]) expect(await to(method, "unseal")).toMatchObject({ status: 405, json: { errors: [] } });
  expect(await to("PUT", "seal-status", {})).toMatchObject({ status: 405, json: { errors: [] } });
  await sandbox.secrets.seal();
  for (const [reason, body] of [
    [/^EOF$/, undefined],
    [/^'key' must be specified in request body as JSON, or 'reset' set to true$/, {}],
    [/^'key' must be a valid hex or base64 string$/, { key: "!" }],
    [/^invalid key: key is shorter than minimum 16 bytes$/, { key: "abcd" }],
    [/^invalid key: key is longer than maximum 33 bytes$/, { key: Buffer.alloc(34).toString("base64") }],
  ] as const)
    expect(await unseal(body)).toMatchObject(refused(400, reason));
  for (const [second, reason] of [
    [damaged(shares[0]!), /^invalid key: failed to compute combined key: duplicate part detected$/],
    [Buffer.alloc(20).toString("base64"), /^invalid key: failed to compute combined key: all parts must be the same length$/],
  ] as const) {
    expect((await unseal({ key: shares[0] })).json.progress).toBe(1);
    expect(await unseal({ key: second })).toMatchObject(refused(400, reason));
    expect((await to("GET", "seal-status")).json).toMatchObject({ sealed: true, progress: 0, nonce: "" });
  }
  await unseal({ key: shares[0] });
  await sandbox.secrets.unseal(shares);
  expect((await to("GET", "seal-status")).json).toMatchObject({ sealed: false, progress: 0 });
  for (const forget of [() => sandbox.secrets.seal(), () => sandbox.reset().then(() => sandbox.secrets.seal())]) {
    await sandbox.secrets.seal();
    await unseal({ key: shares[0] });
    await forget();
    expect((await to("GET", "seal-status")).json).toMatchObject({ sealed: true, progress: 0, nonce: "" });
  }
});

test("a single share unseals alone, and a key of another length is rejected", async () => {
  const { shares } = await open({ dialect: "hashicorp", unsealShares: 1 });
  await sandbox.secrets.seal();
  expect(await unseal({ key: Buffer.alloc(33, 5).toString("base64") })).toMatchObject(refused(400, /^invalid key: .*invalid key size 33$/));
  expect((await unseal({ key: shares[0] })).json).toMatchObject({ sealed: false, t: 1, n: 1 });
});

test("the standard dialect has no seal status, no health and no unseal", async () => {
  await open({ dialect: "standard" });
  expect((await to("GET", "seal-status")).status).toBe(404);
  expect((await to("GET", "health")).status).toBe(404);
  expect((await to("PUT", "unseal", { key: "x" })).status).toBe(404);
});
