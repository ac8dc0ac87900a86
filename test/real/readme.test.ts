import { Sandbox, start } from "../../sandbox/index";
import { startNomad } from "../../tools/servers";
import { packed } from "../support/installation";
import { Holder, holders } from "../support/pgp";
import { Reader } from "../support/reader";
import { RekeyTarget, rekeyTargets } from "../support/rekey";

const tarballs = packed();
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

/** The files of holders' keys: public ones beside the program, and the private one of one of them. */
async function keys(me: number): Promise<Holder[]> {
  const all = await holders(3);
  for (const [index, name] of ["ada", "grace", "mary"].entries()) reader.write(`keys/${name}.asc`, all[index]?.publicKey ?? "");
  reader.write("me.asc", all[me]?.privateKey.armor() ?? "");
  return all;
}

/** The encrypted share of a holder, in what a command or `pulumi up` shows. */
const shareFor = ({ fingerprint }: Holder, output: string): string =>
  new RegExp(`for the holder of ${fingerprint}.*, encrypted: ([0-9a-f]+)`).exec(output)?.[1] ?? "";

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
      "npm install pulumi-steward": `npm install ${tarballs().provider}`,
      [example]: vault.gateway.url,
      "https://nomad.example.com:4646": nomad.address,
      "https://tfe.example.com": sandbox.platform.url,
      "managementToken ...": `managementToken ${nomad.token}`,
      "VAULT_TOKEN=...": `VAULT_TOKEN=${vault.token}`,
    });
    await reader.shell();
    reader.write("Pulumi.yaml", "name: mine\nruntime: nodejs\n");
    reader.program();
    await reader.shell();
    expect((await vault.outOfBand("GET", "nomad/role/web")).body).toMatchObject({ data: { policies: ["deploy", "read-logs"] } });

    // test/demo.test.ts runs the first; this is the second.
    expect(reader.take("sh")).toMatch(/^npm run up .*\nnpm test .*\n$/);

    reader.save("yaml", "Pulumi.prod.yaml");
    await reader.run("pulumi stack init prod");
    reader.with({ VAULT_ADDR: "", VAULT_TOKEN: vault.token, TFE_TOKEN: sandbox.platform.token });
    const other = 'new secrets.SchedulerRole("other", { name: "other", policies: ["deploy"] });';
    reader.write("index.ts", `${imports}${other}\nnew platform.GeneralSettings("general", { apiRateLimit: 100 });\n`);
    await reader.run("pulumi up");
    await reader.shell();

    const [ada, grace] = (await keys(0)) as [Holder, Holder, Holder];
    // docs/rekey.md has the program.
    reader.write("index.ts", `${imports}${rekeyProgram}`);
    await reader.run("pulumi stack select dev");
    reader.with({ VAULT_ADDR: vault.gateway.url });
    const waits = await reader.run("pulumi up", { code: 1 });
    expect(waits).toContain("0 of 3 current shares submitted");
    const [status = "", submit = "", decrypt = "", verify = ""] = reader.take("sh").split("\n");
    expect(await reader.run(status)).toMatch(/^new shares +3, threshold 2$/m);
    let given = "";
    for (const share of vault.first.slice(0, 3)) given = await reader.run(submit, { terminal: submitting(share) });
    const mine = secretIn(await reader.run(decrypt, { terminal: [["in one line: ", shareFor(ada, given)]] }));
    reader.write("me.asc", grace.privateKey.armor());
    const second = secretIn(await reader.run(decrypt, { terminal: [["in one line: ", shareFor(grace, given)]] }));
    for (const share of [mine, second]) await reader.run(verify, { terminal: submitting(share) });
    expect(await vault.opens([mine, second].map(base64))).toBe(true);
    reader.finish();
  });
});

describe("with a Vault of its own", () => {
  let vault: RekeyTarget;
  beforeAll(async () => {
    vault = await realVault();
  });
  afterAll(() => vault.stop());

  test("docs/rekey.md", async () => {
    reader = new Reader("docs/rekey.md", { "https://vault.example.com:8200": vault.gateway.url });
    await reader.with({ VAULT_ADDR: vault.gateway.url, VAULT_TOKEN: vault.token }).project("dev", {}, tarballs().provider);
    const [one = "", two = "", three = ""] = vault.first;

    // Killed while its program runs.
    reader.write(
      "index.ts",
      `import { existsSync, writeFileSync } from "node:fs";
      writeFileSync("started", "");
      const waiting = setInterval(() => existsSync("killed") && clearInterval(waiting), 100);`,
    );
    await reader.run("command pulumi up --yes & until [ -e started ]; do sleep 0.1; done; kill -KILL $!; touch killed; wait || true");
    expect(await reader.run("pulumi up", { code: 1 })).toContain("the stack is currently locked");
    await reader.shell();

    const probe = reader.take("sh").split("\n");
    const [begin = "", give = "", cancel = ""] = probe;
    await reader.run(begin);
    const nonce = String((await vault.outOfBand("GET", "sys/rekey/init")).body.nonce);
    const ours = (line: string): string => line.replace("<nonce>", nonce);
    let made = "";
    for (const share of [one, two, three]) made = await reader.run(ours(give), { terminal: [["will be hidden", share]] });
    expect(made).toContain("Key 1");
    await reader.run(ours(cancel));
    expect(await vault.opens([one, two, three])).toBe(true);

    const all = await keys(0);
    reader.program();
    const bring = (name: "SHARE" | "NEW_SHARE"): string => `read -rs ${name} && export ${name} && pulumi up`;
    expect(await reader.says(bring("SHARE"), { input: `${one}\n`, code: 1 })).toContain("1 of 3 current shares submitted");
    await reader.says(bring("SHARE"), { input: `${two}\n`, code: 1 });
    const output = await reader.says(bring("SHARE"), { input: `${three}\n`, code: 1 });
    const fresh: string[] = [];
    for (const holder of all) {
      reader.write("me.asc", holder.privateKey.armor());
      const own = { "<hex>": shareFor(holder, output) };
      fresh.push(secretIn(await reader.says("npx pulumi-steward rekey decrypt --key me.asc <<< <hex>", { own })));
    }
    await reader.says(bring("NEW_SHARE"), { input: `${fresh[2]}\n`, code: 1 });
    await reader.says(bring("NEW_SHARE"), { input: `${fresh[0]}\n` });
    expect(await vault.opens(fresh.slice(0, 2).map(base64))).toBe(true);
    await reader.run("pulumi destroy");

    // A rekey that no stack runs: with Vault's own command line.
    const [environment = "", status = "", submit = "", decrypt = "", verify = "", backup = "", restart = "", end = ""] = reader
      .take("sh")
      .split("\n");
    expect(environment).toMatch(/^export /);
    const publicKeys = ["ada", "grace", "mary"].map((name) => `keys/${name}.asc`).join(",");
    const init = `vault operator rekey -init -verify -key-shares=3 -key-threshold=2 -backup -pgp-keys=${publicKeys}`;
    reader.write("me.asc", all[0]?.privateKey.armor() ?? "");
    await reader.run(init);
    await reader.run(end, { terminal: [["[y/N]", "y"]] });
    await reader.run(init);
    expect(await reader.run(`${environment}\n${status}`)).toMatch(/^new shares +3, threshold 2$/m);
    await reader.run(submit, { terminal: submitting(fresh[0] ?? "") });
    const given = await reader.run(submit, { terminal: submitting(fresh[1] ?? "") });
    const mine = secretIn(await reader.run(decrypt, { terminal: [["in one line: ", shareFor(all[0] as Holder, given)]] }));
    await reader.run(verify, { terminal: submitting(mine) });
    await reader.run(restart, { terminal: [["[y/N]", "y"]] });
    const kept = await reader.run(backup);
    expect(shareFor(all[0] as Holder, kept)).toBe(shareFor(all[0] as Holder, given));
    reader.finish();
  });
});

const realVault = (): Promise<RekeyTarget> => (rekeyTargets[0] as (typeof rekeyTargets)[number]).start();
const base64 = (hex: string): string => Buffer.from(hex, "hex").toString("base64");
const submitting = (share: string): [string, string][] => [
  ["[y/N] ", "y"],
  ["(it is not shown): ", share],
];
/** The share, in hex, that is a line of what a terminal shows. */
const secretIn = (output: string): string => /^([0-9a-f]{32,})\r?$/m.exec(output)?.[1] ?? "";
