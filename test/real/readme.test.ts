import { Sandbox } from "../../sandbox/index";
import { installed, packed } from "../support/installation";
import { base64, Holder } from "../support/pgp";
import { Reader, ShellOptions } from "../support/reader";
import { RekeyTarget } from "../support/rekey";
import { realVault, secretIn, shareFor, writeKeys } from "../support/rekey-reader";
import { startSandbox } from "../support/sandbox";
import { templates } from "../support/templates";

const tarballs = packed();
const modules = installed();
const withTemplates = templates();

let vault: RekeyTarget;
let nomad: Sandbox["scheduler"];
beforeAll(async () => {
  ({ scheduler: nomad } = await startSandbox());
});
beforeEach(async () => {
  vault = await realVault();
});
afterEach(() => vault.stop());

const holders = ["ada", "grace", "mary", "joan", "radia"];

/** The holders' new shares, of which `encrypted` returns each as it was printed. */
async function decrypted(reader: Reader, all: readonly Holder[], encrypted: (holder: Holder) => string | undefined): Promise<string[]> {
  const shares: string[] = [];
  for (const holder of all) {
    reader.write("me.asc", holder.privateKey.armor());
    shares.push(secretIn(await reader.run(`npx --no pulumi-steward rekey decrypt --key me.asc <<< ${encrypted(holder)}`)));
  }
  return shares;
}

test("README.md", async () => {
  const reader = new Reader("README.md", {
    // test/package.test.ts runs these two commands.
    "git clone https://github.com/pulumi-steward/pulumi-steward": "mkdir pulumi-steward",
    "npm ci && npm pack && npm pack --workspace sandbox": `cp ${Object.values(tarballs()).join(" ")} .`,
    "https://vault.example.com:8200": vault.gateway.url,
    "https://nomad.example.com:4646": nomad.url,
  });
  const roles = reader.take("ts");
  await reader.with(withTemplates()).shell();
  reader.write("index.ts", roles);
  await reader.shell({ input: `${vault.token}\n${nomad.token}\n` });
  expect((await vault.outOfBand("GET", "nomad/role/web")).body).toMatchObject({ data: { policies: ["deploy", "read-logs"] } });

  const all = await writeKeys(reader, 0, holders);
  reader.with({ VAULT_ADDR: vault.gateway.url, VAULT_TOKEN: vault.token }).program();
  for (const [index, SHARE] of vault.first.slice(0, 3).entries())
    expect(await reader.with({ SHARE }).run("pulumi up")).toContain(`${index + 1} of 3 current shares submitted`);
  reader.with({ SHARE: "" });
  let output = await reader.run("npx --no pulumi-steward rekey backup");
  const fresh = await decrypted(reader, all, (holder) => shareFor(holder, output));
  for (const NEW_SHARE of fresh.slice(2)) output = await reader.with({ NEW_SHARE }).run("pulumi up");
  expect(output).toContain("the new shares are valid");
  expect(await vault.opens(fresh.slice(0, 3).map(base64))).toBe(true);
  expect(await vault.opens(vault.first)).toBe(false);
  reader.finish();
});

test("docs/reference/compare.md", async () => {
  const reader = new Reader("docs/reference/compare.md");
  await reader.project("dev", {}, modules());
  reader.with({ VAULT_ADDR: vault.gateway.url, VAULT_TOKEN: vault.token });
  const all = await writeKeys(reader, 0, holders);
  const typing = (share: string): ShellOptions => ({ terminal: [["(will be hidden): ", share]] });
  const [init = "", submit = "", verify = ""] = reader.take("sh").replaceAll("\\\n", "").split("\n");
  await reader.run(init);
  let output = "";
  for (const share of vault.first.slice(0, 3)) output = await reader.run(submit, typing(share));
  const fresh = await decrypted(
    reader,
    all,
    ({ fingerprint }) => new RegExp(`fingerprint: ${fingerprint}; value: ([\\w+/=]+)`).exec(output)?.[1],
  );
  for (const share of fresh.slice(0, 3)) await reader.run(verify, typing(share));
  expect(await vault.opens(fresh.slice(2).map(base64))).toBe(true);
  expect(await vault.opens(vault.first)).toBe(false);
  reader.finish();
});
