import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { getServer } from "../../tools/servers";
import { stewardProcess, variablesOf } from "../command/holder";
import { Project } from "../support/project";
import { RekeyTarget, rekeyTargets } from "../support/rekey";

// Rekeys together with Vault's own command line. test/end-to-end/secrets has all others, also on a real Vault.

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

/** A rekey with those of the current shares that have these indexes. */
const rekey = (...indexes: number[]): Project =>
  project
    .program(`
      const currentShares = [0, 1, 2].map((index) => ({ env: "RS" + index }));
      exports.shares = new secrets.Rekey("unseal", { secretShares: 5, secretThreshold: 3, keepSharesInState: true, currentShares }).shares;`)
    .with(Object.fromEntries(indexes.map((index) => [`RS${index}`, live[index] as string])));

test("a rekey completes after another client cancels it, and with a share from Vault's command line", async () => {
  const run = promisify(execFile);
  const cli = await getServer("vault");
  const environment = { ...process.env, VAULT_ADDR: vault.gateway.url, VAULT_TOKEN: vault.token };
  const status = async (): Promise<string> => String((await vault.outOfBand("GET", "sys/rekey/init")).body.nonce);
  const up = (index: number): ReturnType<Project["pulumi"]> => rekey(index).pulumi("up", "--yes", "--skip-preview");

  expect((await up(0)).output).toContain("1 of 3 current shares submitted");
  await run(cli, ["operator", "rekey", "-cancel", `-nonce=${await status()}`], { env: environment });
  expect((await up(0)).output).toContain("started a new one. Nothing was committed");
  expect((await up(0)).output).toContain("1 of 3 current shares submitted");
  await run(cli, ["operator", "rekey", `-nonce=${await status()}`, live[1] as string], { env: environment });
  await rekey(2).up();
  live = (await project.outputs()).shares as string[];
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
