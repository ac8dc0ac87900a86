import { packed } from "../support/installation";
import { holders } from "../support/pgp";
import { Reader } from "../support/reader";
import { RekeyTarget } from "../support/rekey";
import { realVault, submitting } from "../support/rekey-reader";

const tarballs = packed();
let reader: Reader;
let vault: RekeyTarget;
beforeEach(async () => {
  vault = await realVault();
});
afterEach(async () => {
  reader.remove();
  await vault.stop();
});

test("docs/rekey/drill.md", async () => {
  const all = await holders(5);
  const files = all.map((_, index) => `${index}.asc`);
  reader = new Reader("docs/rekey/drill.md", { "<files>": files.join(",") });
  await reader.with({ VAULT_ADDR: vault.gateway.url, VAULT_TOKEN: vault.token }).project("dev", {}, tarballs().provider);
  const drill = reader.take("sh");
  const prompts = (shares: string[]): [string, string][] => shares.map((share) => ["(will be hidden): ", share]);
  const [a = "", b = "", c = ""] = vault.first;
  const typed = await reader.run(drill, { terminal: prompts([a, b, c, ""]) });
  expect(typed.match(/^share \d of the input: works\r?$/gm)).toHaveLength(3);
  const piped = await reader.run(drill, { input: `${a}\n${b}\n${Buffer.alloc(33, 1).toString("base64")}\n`, code: 1 });
  expect(piped.match(/^share \d of the input: not proven$/gm)).toHaveLength(3);
  for (const [index, file] of files.entries()) reader.write(file, all[index]?.publicKey ?? "");
  await reader.says("vault operator rekey -init -verify -key-shares=5 -key-threshold=3 -pgp-keys=<files>");
  for (const share of [a, b, c]) await reader.says("npx pulumi-steward rekey submit", { terminal: submitting(share) });
  await reader.says("npx pulumi-steward rekey cancel", { terminal: [["[y/N]", "y"]] });
  expect(await vault.opens([a, b, c])).toBe(true);
  reader.finish();
});
