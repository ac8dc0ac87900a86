import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { getServer } from "../../tools/servers";
import { stewardProcess, variablesOf } from "../command/holder";
import { Holder, holders, read } from "../support/pgp";
import { Project } from "../support/project";
import { RekeyTarget, rekeyTargets } from "../support/rekey";

// One Vault whose keys change from test to test. At the end it is sealed, and unsealed with the last new shares.
// The suite test/end-to-end/secrets/rekey-kills.test.ts covers kills, lost responses and seals, also on a real Vault.

let vault: RekeyTarget;
let live: string[];
let project: Project;
beforeAll(async () => {
  const [target] = rekeyTargets;
  vault = await (target as (typeof rekeyTargets)[number]).start();
  live = vault.first;
});
afterAll(() => vault.stop());
beforeEach(() => {
  project = new Project({ STEWARD_TOKEN: vault.token }).config({
    "steward:default": { secrets: { address: vault.gateway.url, tokenEnv: "STEWARD_TOKEN", dialect: "hashicorp" } },
  });
});
afterEach(() => project.remove());

const sources = (name: string, count: number): string =>
  JSON.stringify(Array.from({ length: count }, (_, index) => ({ env: `${name}${index}` })));
const variables = (name: string, shares: readonly string[]): Record<string, string> =>
  Object.fromEntries(shares.map((share, index) => [`${name}${index}`, share]));
const rekey = (shares: number, threshold: number, more = ""): Project =>
  project
    .program(`
      const rekey = new secrets.Rekey("unseal", { secretShares: ${shares}, secretThreshold: ${threshold}, keepSharesInState: true, currentShares: ${sources("RS", 7)}${more} });
      exports.shares = rekey.shares; exports.encryptedShares = rekey.encryptedShares; exports.complete = rekey.complete;`)
    .with(variables("RS", live));
const outputs = async (): Promise<{ shares: string[]; complete: boolean }> => (await project.outputs()) as never;

test("a rekey from 5/3 to 7/4, back to 5/3, and to 5/3 again makes the new shares live", async () => {
  for (const [shares, threshold] of [
    [7, 4],
    [5, 3],
    [5, 3],
  ] as const) {
    await rekey(shares, threshold, `, triggers: ["${live[0]?.slice(0, 4)}"]`).up();
    await project.expectConverged();
    const former = live;
    live = (await outputs()).shares;
    expect(live).toHaveLength(shares);
    expect(await vault.opens(live.slice(-threshold))).toBe(true);
    expect(await vault.opens(former)).toBe(false);
  }
});

test("a rekey to five holders with PGP keys and a backup commits with the decrypted shares", async () => {
  const all: Holder[] = await holders(5);
  const pgp = `, pgpKeys: ${JSON.stringify(all.map(({ publicKey }) => publicKey))}, backup: true, removeBackup: true, newShares: ${sources("N", 5)}`;
  const waits = await rekey(5, 3, pgp).pulumi("up", "--yes", "--skip-preview");
  expect(waits.output).toContain("0 of the 3 decrypted new shares required to prove the rekey are available; nothing is committed");
  // The messages that each holder sees in the terminal.
  const messages = all.map(
    ({ fingerprint }) => new RegExp(`for the holder of ${fingerprint}, encrypted: ([0-9a-f]+)`).exec(waits.output)?.[1] ?? "",
  );
  const decrypted = await Promise.all(all.map((holder, index) => read(holder, messages[index] as string)));
  await project.with({ ...variables("RS", live), ...variables("N", decrypted.slice(1, 4)) }).up();
  expect(await outputs()).toMatchObject({ complete: true, shares: [] });
  live = decrypted;
  expect(await vault.opens(live.slice(0, 3))).toBe(true);
  expect((await vault.outOfBand("GET", "sys/rekey/backup")).status).toBe(400);
  project.remove();
});

test("a rekey completes after another client cancels it, and with a share from Vault's command line", async () => {
  const run = promisify(execFile);
  const cli = await getServer("vault");
  const environment = { ...process.env, VAULT_ADDR: vault.gateway.url, VAULT_TOKEN: vault.token };
  const status = async (): Promise<string> => String((await vault.outOfBand("GET", "sys/rekey/init")).body.nonce);
  const only = (...indexes: number[]): Record<string, string> =>
    Object.fromEntries(indexes.map((index) => [`RS${index}`, live[index] as string]));
  const up = (at: Record<string, string>): ReturnType<Project["pulumi"]> => rekey(5, 3).with(at).pulumi("up", "--yes", "--skip-preview");

  expect((await up(only(0))).output).toContain("1 of 3 current shares submitted");
  await run(cli, ["operator", "rekey", "-cancel", `-nonce=${await status()}`], { env: environment });
  expect((await up(only(0))).output).toContain("started a new one. Nothing was committed");
  expect((await up(only(0))).output).toContain("1 of 3 current shares submitted");
  await run(cli, ["operator", "rekey", `-nonce=${await status()}`, live[1] as string], { env: environment });
  await rekey(5, 3).with(only(2)).up();
  live = (await outputs()).shares;
  expect(await vault.opens(live.slice(2))).toBe(true);
});

test("Vault's command line and pulumi-steward can share one rekey, and either can submit the last share", async () => {
  const run = promisify(execFile);
  const cli = await getServer("vault");
  const environment = { ...process.env, VAULT_ADDR: vault.gateway.url, VAULT_TOKEN: vault.token };
  // After a completed verification, it prints a sentence even if JSON was requested.
  const official = async (...args: string[]): Promise<string> =>
    (await run(cli, ["operator", "rekey", "-format=json", ...args], { env: environment })).stdout;
  const ours = async (what: string, nonce: string, share: string): Promise<string> => {
    const given = await stewardProcess(variablesOf(vault), ["rekey", what, "--nonce", nonce], share);
    expect(given.code).toBe(0);
    return given.stdout;
  };
  const nonce = async (of: "init" | "verify"): Promise<string> => String((await vault.outOfBand("GET", `sys/rekey/${of}`)).body.nonce);
  const [one, two, three] = live as [string, string, string];

  await official("-init", "-verify", "-key-shares=3", "-key-threshold=2");
  await official(`-nonce=${await nonce("init")}`, one);
  await ours("submit", await nonce("init"), two);
  const made = [...(await ours("submit", await nonce("init"), three)).matchAll(/^share \d: (\S+)$/gm)].map(([, share]) => share as string);
  await ours("verify", await nonce("verify"), made[0] as string);
  expect(await official("-verify", `-nonce=${await nonce("verify")}`, made[2] as string)).toContain("Rekey verification successful");
  expect(await vault.opens(made.slice(1))).toBe(true);

  await official("-init", "-verify", "-key-shares=5", "-key-threshold=3");
  await ours("submit", await nonce("init"), made[1] as string);
  live = JSON.parse(await official(`-nonce=${await nonce("init")}`, made[0] as string)).keys_base64;
  await official("-verify", `-nonce=${await nonce("verify")}`, live[4] as string);
  for (const share of live.slice(1, 3)) await ours("verify", await nonce("verify"), share);
  expect(await vault.opens(live.slice(2))).toBe(true);
});

test("the last new shares unseal Vault after a seal", async () => {
  await vault.sealAndUnseal(live.slice(1, 4));
  expect((await vault.outOfBand("GET", "sys/seal-status")).body).toMatchObject({ sealed: false, t: 3, n: 5 });
});
