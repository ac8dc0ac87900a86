import { Sandbox } from "../../sandbox/index";
import { packed } from "../support/installation";
import { base64, Holder } from "../support/pgp";
import { Reader, ShellOptions } from "../support/reader";
import { RekeyTarget } from "../support/rekey";
import { realVault, secretIn, shareFor, writeKeys } from "../support/rekey-reader";
import { startSandbox } from "../support/sandbox";
import { templates } from "../support/templates";

const tarballs = packed();
const withTemplates = templates();
let reader: Reader;

let vault: RekeyTarget;
let nomad: Sandbox["scheduler"];
beforeAll(async () => {
  vault = await realVault();
  ({ scheduler: nomad } = await startSandbox());
});
afterAll(() => vault.stop());

test("README.md", async () => {
  const example = "https://vault.example.com:8200";
  reader = new Reader("README.md", {
    // test/package.test.ts runs these two commands.
    "git clone https://github.com/pulumi-steward/pulumi-steward": "mkdir pulumi-steward",
    "npm ci && npm pack && npm pack --workspace sandbox": `cp ${Object.values(tarballs()).join(" ")} .`,
    [example]: vault.gateway.url,
    "https://nomad.example.com:4646": nomad.url,
  });
  const rekey = reader.take("ts");
  const [init = "", submit = "", verify = ""] = reader.take("sh").replaceAll("\\\n", "").split("\n");
  await reader.with(withTemplates()).shell();
  reader.program();
  await reader.shell({ input: `${vault.token}\n${nomad.token}\n` });
  expect((await vault.outOfBand("GET", "nomad/role/web")).body).toMatchObject({ data: { policies: ["deploy", "read-logs"] } });

  const all = await writeKeys(reader, 0, ["ada", "grace", "mary", "joan", "radia"]);
  reader.with({ VAULT_ADDR: vault.gateway.url, VAULT_TOKEN: vault.token });
  const typing = (share: string): ShellOptions => ({ terminal: [["(will be hidden): ", share]] });
  /** The holders' new shares, of which `encrypted` returns each as it was printed. */
  async function decrypted(encrypted: (holder: Holder) => string | undefined): Promise<string[]> {
    const shares: string[] = [];
    for (const holder of all) {
      reader.write("me.asc", holder.privateKey.armor());
      shares.push(secretIn(await reader.run(`npx --no pulumi-steward rekey decrypt --key me.asc <<< ${encrypted(holder)}`)));
    }
    return shares;
  }

  // The seven commands.
  const [, NONCE = ""] = /^Nonce +(\S+)$/m.exec(await reader.run(init)) ?? [];
  reader.with({ NONCE });
  let output = "";
  for (const share of vault.first.slice(0, 3)) output = await reader.run(submit, typing(share));
  const current = await decrypted(({ fingerprint }) => new RegExp(`fingerprint: ${fingerprint}; value: ([\\w+/=]+)`).exec(output)?.[1]);
  const [, VERIFY = ""] = /^Verification Nonce +([\w-]+)/m.exec(output) ?? [];
  reader.with({ VERIFY });
  for (const share of current.slice(0, 3)) await reader.run(verify, typing(share));
  expect(await vault.opens(current.slice(2).map(base64))).toBe(true);

  // The program instead of them. It does not overwrite their backup.
  await reader.run("vault operator rekey -backup-delete");
  reader.write("index.ts", rekey);
  for (const [index, SHARE] of current.slice(0, 3).entries())
    expect(await reader.with({ SHARE }).run("pulumi up")).toContain(`${index + 1} of 3 current shares submitted`);
  reader.with({ SHARE: "" });
  output = await reader.run("npx --no pulumi-steward rekey backup");
  const fresh = await decrypted((holder) => shareFor(holder, output));
  for (const NEW_SHARE of fresh.slice(2)) output = await reader.with({ NEW_SHARE }).run("pulumi up");
  expect(output).toContain("the new shares are live");
  expect(await vault.opens(fresh.slice(0, 3).map(base64))).toBe(true);
  expect(await vault.opens(current.slice(2).map(base64))).toBe(false);
  reader.finish();
});
