import { Sandbox, start } from "../../sandbox/index";
import { startNomad } from "../../tools/servers";
import { packed } from "../support/installation";
import { Holder } from "../support/pgp";
import { Reader } from "../support/reader";
import { RekeyTarget } from "../support/rekey";
import { base64, realVault, secretIn, shareFor, submitting, writeKeys } from "../support/rekey-reader";
import { jobOf } from "../support/scheduler";

const tarballs = packed();
let reader: Reader;
afterEach(() => reader.remove());

const imports = `import * as fs from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { platform, secrets } from "pulumi-steward";
const config = new pulumi.Config();
`;

describe("with real servers", () => {
  let vault: RekeyTarget;
  let nomad: Awaited<ReturnType<typeof startNomad>>;
  let sandbox: Sandbox;
  beforeAll(async () => {
    [vault, nomad, sandbox] = await Promise.all([realVault(), startNomad(), start()]);
  });
  afterAll(async () => {
    await Promise.all([vault.stop(), nomad.stop(), sandbox.close()]);
  });

  test("README.md", async () => {
    const example = "https://vault.example.com:8200";
    reader = new Reader("README.md", {
      "npm install pulumi-steward": `npm install ${tarballs().provider}`,
      "--save-dev pulumi-steward-sandbox": `--save-dev ${tarballs().sandbox}`,
      [example]: vault.gateway.url,
      "https://nomad.example.com:4646": nomad.address,
      "managementToken ...": `managementToken ${nomad.token}`,
      "VAULT_TOKEN=...": `VAULT_TOKEN=${vault.token}`,
    });
    // test/demo.test.ts runs the first; this is the second.
    expect(reader.take("sh")).toMatch(/^npm run up .*\nnpm test .*\n$/);

    await reader.shell();
    reader.write("Pulumi.yaml", "name: mine\nruntime: nodejs\n");
    reader.program();
    await reader.shell();
    expect((await vault.outOfBand("GET", "nomad/role/web")).body).toMatchObject({ data: { policies: ["deploy", "read-logs"] } });
    reader.with({ VAULT_ADDR: vault.gateway.url, VAULT_TOKEN: vault.token });

    const onNomad = (token: string, method: string, path: string, body?: object): Promise<Response> =>
      fetch(`${nomad.address}/v1/${path}`, { method, headers: { "X-Nomad-Token": token }, body: body && JSON.stringify(body) });
    for (const Name of ["deploy", "read-logs"])
      await onNomad(nomad.token, "PUT", `acl/policy/${Name}`, { Name, Rules: 'namespace "*" { policy = "read" }' });
    reader.program(reader.read("index.ts"), "export const secretId = token.secretId;");
    await reader.run("pulumi up");
    const secretId = (await reader.run("pulumi stack output secretId --show-secrets")).trim();
    expect((await onNomad(secretId, "GET", "jobs")).status).toBe(200);

    const [ada, grace] = (await writeKeys(reader, 0)) as [Holder, Holder, Holder];
    reader.program(imports);
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

    reader.program(`${imports}new platform.GeneralSettings("general", { apiRateLimit: 100 });\n`);
    reader.with({ PLATFORM_ADDR: sandbox.platform.url, PLATFORM_TOKEN: sandbox.platform.token });
    await reader.run("pulumi stack init settings && pulumi config set --secret smtpPassword a-password && pulumi up");
    expect(sandbox.platform.mail.sent()).toHaveLength(1);
    await reader.shell();
    expect(await reader.says("pulumi refresh --diff")).toMatch(/apiRateLimit +: 100 => 99/);

    reader.program(`const job = ${JSON.stringify(jobOf("web"))};\n`, "export const deployed = deploy(job);");
    await reader
      .with({ NOMAD_ADDR: nomad.address, NOMAD_TOKEN: nomad.token })
      .run("pulumi stack init functions && pulumi up && pulumi stack output deployed --json");
    expect((await onNomad(nomad.token, "GET", "job/web")).status).toBe(200);

    await reader.run("pulumi stack init connections");
    await reader.shell();
    reader.with({ VAULT_ADDR: "" });
    reader.write("index.ts", `${imports}new secrets.SchedulerRole("other", { name: "other", policies: ["deploy"] });`);
    await reader.run("pulumi up");
    await reader.shell();

    await reader.shell();
    reader.write("sandbox.mjs", reader.take("ts"));
    await reader.run("node sandbox.mjs");
    reader.finish();
  });
});
