import type { Options, Sandbox } from "../../../sandbox/index";
import { call } from "../../support/call";
import { binaryKey, holders } from "../../support/pgp";
import { until } from "../../support/until";
import { sandboxOfTest } from "../sandbox";
import { damaged, refused } from "./rekey-service";

// Only the sandbox can seal, fail over, reset, lose a response and advance the clock during a rekey.

const start = sandboxOfTest();
let sandbox: Sandbox;
async function open(options: Options): Promise<Sandbox["secrets"]> {
  sandbox = await start(options);
  return sandbox.secrets;
}
const to = (method: string, path: string, body?: unknown) => call(sandbox.secrets, method, `/v1/sys/${path}`, body);
const status = async () => (await to("GET", "rekey/init")).json;
const begin = async (more: object = {}): Promise<string> => {
  expect((await to("PUT", "rekey/init", { secret_shares: 3, secret_threshold: 2, ...more })).status).toBe(200);
  return (await status()).nonce;
};
const give = (nonce: string, key: unknown) => to("PUT", "rekey/update", { key, nonce });

describe.each(["standard", "hashicorp"] as const)("a rekey and operations of an administrator, %s", (dialect) => {
  test("a reset removes attempt and backup, never in the middle of a request", async () => {
    const { shares, opens } = await open({ dialect, unsealShares: 1 });
    const pgp_keys = (await holders(1)).map(binaryKey);
    for (const require_verification of [true, false]) {
      const nonce = await begin({ secret_shares: 1, secret_threshold: 1, pgp_keys, backup: true, require_verification });
      const last = give(nonce, shares[0]);
      await until("the share arrives", () => sandbox.requests().some(({ path }) => path.endsWith("update")));
      await sandbox.reset();
      expect(await last).toMatchObject({ status: 200, json: { complete: true } });
      expect(await status()).toMatchObject({ started: false, required: 1 });
      expect((await to("GET", "rekey/backup")).status).toBe(dialect === "hashicorp" ? 400 : 404);
      expect(await opens(shares)).toBe(true);
    }
  });

  test("an auto-unseal seal returns no shares, and uses the shares as recovery keys", async () => {
    const { shares, opens } = await open({ dialect, seal: "stored" });
    // Vault makes one share, regardless of the request.
    const asked = { secret_shares: 5, secret_threshold: 3 };
    const one = { secret_shares: 1, secret_threshold: 1, stored_shares: 1 };
    for (const body of dialect === "standard" ? [asked, { ...one, secret_shares: 2 }, { ...one, stored_shares: undefined }] : [])
      expect(await to("PUT", "rekey/init", body)).toMatchObject(
        refused(400, /^secret_shares, secret_threshold and stored_shares must be 1:/),
      );
    const nonce = await begin(dialect === "standard" ? one : asked);
    expect(await status()).toMatchObject({ t: 1, n: 1, required: 3 });
    for (const share of shares.slice(0, 2)) await give(nonce, share);
    expect(await give(nonce, damaged(shares[2]!))).toMatchObject(refused(400, /^recovery key verification failed/));
    expect(await status()).toMatchObject({ started: true, nonce, progress: 0 });
    for (const share of shares.slice(1, 3)) await give(nonce, share);
    expect((await give(nonce, shares[4])).json).toMatchObject({ complete: true, keys: [], keys_base64: [], verification_required: false });
    expect(await status()).toMatchObject({ started: false, required: 3 });
    expect(await opens(shares)).toBe(true);
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
  const anew = async (): Promise<string> => (await rekey("PUT", "init", { secret_shares: 4, secret_threshold: 2 })).nonce;
  for (const lose of [() => secrets.seal().then(() => secrets.unseal(before)), () => secrets.failover()]) {
    await anew();
    await lose();
    const current = () => rekey("GET", "init");
    expect(await current().catch(current)).toMatchObject({ started: false, required: 3 });
  }
  const nonce = await anew();
  for (const key of before.slice(2)) await rekey("PUT", "update", { key, nonce });
  const { shares } = secrets;
  expect([shares.length, secrets.threshold]).toEqual([4, 2]);
  expect([await secrets.opens(shares.slice(2)), await secrets.opens(before)]).toEqual([true, false]);
  await secrets.seal();
  expect(await secrets.unseal(before)).toBe(false);
  for (const key of shares.slice(2)) await to("POST", "unseal", { key });
  expect((await to("GET", "seal-status")).json).toMatchObject({ sealed: false, t: 2, n: 4 });
  await sandbox.reset();
  expect(secrets.shares).toEqual(before);
});

test("an attempt can be canceled only with its nonce during its first ten minutes, by the sandbox's clock", async () => {
  await open({ dialect: "hashicorp" });
  await begin();
  sandbox.clock.advance(590_000);
  expect(await to("DELETE", "rekey/init", {})).toMatchObject(refused(400, "invalid request"));
  sandbox.clock.advance(10_000);
  expect((await to("DELETE", "rekey/init", {})).status).toBe(204);
  expect((await status()).started).toBe(false);
});
