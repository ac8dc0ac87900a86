import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { getServer } from "../../tools/servers";
import { stewardProcess, variablesOf } from "../command/holder";
import "../support/printed";
import { inputsFrom, RekeyTarget, stackOn } from "../support/rekey";
import { realVault } from "../support/rekey-reader";

// Rekeys together with Vault's own command line. test/end-to-end/secrets has all others, also on a real Vault.

let vault: RekeyTarget;
let live: string[];
beforeAll(async () => {
  vault = await realVault();
  live = vault.first;
});
afterAll(() => vault.stop());

/** Runs Vault's command line. After a completed verification, it prints a sentence even if JSON was requested. */
const official = async (...args: string[]): Promise<string> => {
  const env = { ...process.env, VAULT_ADDR: vault.gateway.url, VAULT_TOKEN: vault.token };
  const { stdout } = await promisify(execFile)(await getServer("vault"), ["operator", "rekey", "-format=json", ...args], { env });
  return stdout;
};
const nonce = async (of: "init" | "verify"): Promise<string> => String((await vault.outOfBand("GET", `sys/rekey/${of}`)).body.nonce);

test("a rekey completes after another client cancels it, and with a share from Vault's command line", async () => {
  const stack = stackOn(vault);
  const [one, two, three] = live as [string, string, string];
  const inputs = (share: string) => inputsFrom(live, { secretShares: 5, secretThreshold: 3, currentShares: [share] });
  expect(await stack.stops(inputs(one))).toBe("rekey/shares-missing");
  await official("-cancel", `-nonce=${await nonce("init")}`);
  expect(await stack.stops(inputs(one))).toBe("rekey/attempt-restarted");
  expect(await stack.stops(inputs(one))).toBe("rekey/shares-missing");
  await official(`-nonce=${await nonce("init")}`, two);
  await stack.up(inputs(three));
  live = stack.outputs.shares;
  expect(await vault.opens(live.slice(2))).toBe(true);
});

test("Vault's command line and pulumi-steward can share one rekey, and either can submit the last share", async () => {
  const ours = async (what: string, nonce: string, share: string): Promise<string> => {
    const given = await stewardProcess(variablesOf(vault), ["rekey", what, "--nonce", nonce], share);
    expect(given.code).toBe(0);
    return given.stdout;
  };
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
