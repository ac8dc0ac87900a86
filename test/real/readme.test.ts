import { Sandbox, start } from "../../sandbox/index";
import { startNomad } from "../../tools/servers";
import { packed } from "../support/installation";
import { Holder } from "../support/pgp";
import { Reader } from "../support/reader";
import { RekeyTarget } from "../support/rekey";
import { base64, realVault, secretIn, shareFor, submitting, writeKeys } from "../support/rekey-reader";
import { templates } from "../support/templates";

const tarballs = packed();
const withTemplates = templates();
let reader: Reader;
afterEach(() => reader.remove());

const imports = `import * as fs from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { platform, secrets } from "pulumi-steward";
const config = new pulumi.Config();
`;

const rekeyProgram = `new secrets.Rekey("unseal", {
  secretShares: 3,
  secretThreshold: 2,
  pgpKeys: ["ada", "grace", "mary"].map((holder) => fs.readFileSync(\`keys/\${holder}.asc\`, "utf8")),
  backup: true,
  currentShares: [{ env: "SHARE" }],
  newShares: [{ env: "NEW_SHARE" }],
});
`;

describe("with real servers", () => {
  let vault: RekeyTarget;
  let nomad: Awaited<ReturnType<typeof startNomad>>;
  let sandbox: Sandbox;
  beforeAll(async () => {
    [vault, nomad, sandbox] = await Promise.all([realVault(), startNomad(), start({ dialect: "hashicorp" })]);
  });
  afterAll(async () => {
    await Promise.all([vault.stop(), nomad.stop(), sandbox.close()]);
  });

  test("README.md", async () => {
    const example = "https://vault.example.com:8200";
    reader = new Reader("README.md", {
      // test/package.test.ts runs these two commands.
      "git clone https://github.com/pulumi-steward/pulumi-steward": "mkdir pulumi-steward",
      "npm ci && npm pack && npm pack --workspace sandbox": `cp ${Object.values(tarballs()).join(" ")} .`,
      [example]: vault.gateway.url,
      "https://nomad.example.com:4646": nomad.address,
      "https://tfe.example.com": sandbox.platform.url,
      "NOMAD_MANAGEMENT_TOKEN=...": `NOMAD_MANAGEMENT_TOKEN=${nomad.token}`,
      "VAULT_TOKEN=...": `VAULT_TOKEN=${vault.token}`,
    });
    await reader.with(withTemplates()).shell();
    reader.program();
    await reader.shell();
    expect((await vault.outOfBand("GET", "nomad/role/web")).body).toMatchObject({ data: { policies: ["deploy", "read-logs"] } });

    reader.save("yaml", "Pulumi.prod.yaml");
    await reader.run("pulumi stack init prod");
    reader.with({ VAULT_ADDR: "", VAULT_TOKEN: vault.token, TFE_TOKEN: sandbox.platform.token });
    const other = 'new secrets.SchedulerRole("other", { name: "other", policies: ["deploy"] });';
    reader.write("index.ts", `${imports}${other}\nnew platform.GeneralSettings("general", { apiRateLimit: 100 });\n`);
    await reader.run("pulumi up");
    await reader.says("pulumi refresh --preview-only --expect-no-changes --diff");

    const [ada, grace] = (await writeKeys(reader, 0)) as [Holder, Holder, Holder];
    // docs/rekey/several-holders.md has the program.
    reader.write("index.ts", `${imports}${rekeyProgram}`);
    await reader.run("pulumi stack select dev");
    reader.with({ VAULT_ADDR: vault.gateway.url });
    const waits = await reader.run("pulumi up", { code: 1 });
    expect(waits).toContain("0 of 3 current shares submitted");
    const [status = "", submit = "", decrypt = "", verify = "", drill = ""] = reader.take("sh").split("\n");
    expect(await reader.run(status)).toMatch(/^new shares +3, threshold 2$/m);
    let given = "";
    for (const share of vault.first.slice(0, 3)) given = await reader.run(submit, { terminal: submitting(share) });
    const mine = secretIn(await reader.run(decrypt, { terminal: [["on one line: ", shareFor(ada, given)]] }));
    reader.write("me.asc", grace.privateKey.armor());
    const second = secretIn(await reader.run(decrypt, { terminal: [["on one line: ", shareFor(grace, given)]] }));
    for (const share of [mine, second]) await reader.run(verify, { terminal: submitting(share) });
    expect(await vault.opens([mine, second].map(base64))).toBe(true);
    const safes: [string, string][] = [mine, second, ""].map((share, index) => [`Share ${index + 1} (will be hidden): `, share]);
    expect(await reader.run(drill, { terminal: safes })).toMatch(/^share 2 of the input: works$/m);
    reader.finish();
  });
});
