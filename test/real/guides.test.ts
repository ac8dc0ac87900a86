import { delimiter } from "node:path";
import { Sandbox, start } from "../../sandbox/index";
import { getHosts } from "../../tools/hosts";
import { startNomad, startVault } from "../../tools/servers";
import { call } from "../support/call";
import { declared } from "../support/discovery";
import { packed } from "../support/installation";
import { exitCodes } from "../support/pages";
import { Reader } from "../support/reader";
import { jobOf } from "../support/scheduler";

const tarballs = packed();
const { none, drift, unasked } = exitCodes;
let vault: Awaited<ReturnType<typeof startVault>>;
let nomad: Awaited<ReturnType<typeof startNomad>>;
let sandbox: Sandbox;
beforeAll(async () => {
  [vault, nomad, sandbox] = await Promise.all([startVault(), startNomad(), start({ dialect: "hashicorp" })]);
});
afterAll(async () => {
  await Promise.all([vault.stop(), nomad.stop(), sandbox.close()]);
});

let reader: Reader;
afterEach(() => reader.remove());

const onVault = (method: string, path: string, body?: object): ReturnType<typeof call> =>
  call({ url: vault.address, token: vault.token }, method, `/v1/${path}`, body);
const role = async (name: string): Promise<{ policies: string[] } | undefined> => (await onVault("GET", `nomad/role/${name}`)).json?.data;

async function renewEngine(): Promise<void> {
  await onVault("PUT", "sys/leases/revoke-force/nomad");
  await onVault("DELETE", "sys/mounts/nomad");
  expect((await onVault("POST", "sys/mounts/nomad", { type: "nomad" })).status).toBe(204);
}

/** Starts a reader with a project that connects to the real Vault, with a new engine, and to the sandbox's platform. */
async function follow(page: string, own: Record<string, string> = {}): Promise<void> {
  await renewEngine();
  await sandbox.reset();
  reader = new Reader(page, own).with({ VAULT_TOKEN: vault.token, TFE_TOKEN: sandbox.platform.token });
  const dialect = "hashicorp";
  await reader.project("dev", {
    "steward:default": {
      secrets: { address: vault.address, dialect, tokenEnv: "VAULT_TOKEN" },
      platform: { address: sandbox.platform.url, dialect, tokenEnv: "TFE_TOKEN" },
    },
  });
}

const imports =
  'import * as pulumi from "@pulumi/pulumi";\nimport { platform, secrets } from "pulumi-steward";\nconst config = new pulumi.Config();\n';

/** Deploys one of the reader's own programs. */
async function deploy(resources: string): Promise<void> {
  reader.write("index.ts", `${imports}${resources}`);
  await reader.run("pulumi up");
}

test("docs/guides/adopt.md", async () => {
  await follow("docs/guides/adopt.md", { "https://nomad.example.com:4646": nomad.address });
  await onVault("POST", "nomad/config/access", { address: "http://127.0.0.1:1", token: "theirs" });
  await onVault("POST", "nomad/config/lease", { ttl: "1h", max_ttl: "2h" });
  await onVault("POST", "nomad/role/payments", { policies: "theirs", type: "client" });

  reader.program();
  const found = await reader.shell();
  expect(JSON.parse(found.slice(found.lastIndexOf("\n{")))).toEqual({
    roles: { payments: expect.objectContaining({ policies: ["theirs"] }) },
    ttl: 3600,
    maxTtl: 7200,
    apiRateLimit: 30,
  });

  reader.program();
  await reader.run("pulumi config set --secret managementToken", { input: nomad.token });
  const change = 'policies: ["theirs"] -> ["payments-deploy"]';
  expect(await reader.shell()).toContain(change);
  expect(await role("payments")).toMatchObject({ policies: ["theirs"] });
  expect(await reader.shell()).toContain(change);
  expect(await role("payments")).toMatchObject({ policies: ["payments-deploy"] });
  await reader.run("pulumi destroy");
  reader.finish();
});

test("docs/guides/import.md", async () => {
  await renewEngine();
  reader = new Reader("docs/guides/import.md", {
    "name: operations": "name: story",
    "https://vault.example.com:8200": vault.address,
    "https://nomad.example.com:4646": nomad.address,
    // The language host that is built here cannot generate a program.
    "--out index.ts": "--generate-code=false",
  }).with({ VAULT_TOKEN: vault.token });
  await reader.project("dev", {}, tarballs().provider);
  await onVault("POST", "nomad/config/access", { address: nomad.address, token: nomad.token });
  await onVault("POST", "nomad/config/lease", { ttl: "1h", max_ttl: "2h" });
  for (const name of ["payments", "search"]) await onVault("POST", `nomad/role/${name}`, { policies: name });

  reader.save("yaml", "Pulumi.yaml");
  await reader.shell();
  const found = await reader.shell();
  expect(found).toMatch(/^steward:secrets:SchedulerRole +payments +nomad\/role\/payments$/m);
  expect(found).toMatch(/4 resources in import\.json\. Next:\n +\$ pulumi import --file import\.json\n$/);
  expect(await reader.shell()).toContain("4 imported");
  const { resources } = JSON.parse(await reader.run("pulumi stack export")).deployment;
  const others = resources.filter(({ urn }: { urn: string }) => !urn.endsWith("::nomad-access"));
  reader.program(
    'import * as pulumi from "@pulumi/pulumi";\nimport { secrets } from "pulumi-steward";\n',
    await declared({ resources: async () => others }),
  );
  expect(await reader.shell({ input: nomad.token })).toMatch(/1 updated\n.*4 unchanged/);
  await reader.run("pulumi refresh --preview-only --expect-no-changes");
  reader.finish();
});

test("docs/guides/drift.md", async () => {
  await follow("docs/guides/drift.md");
  await deploy('new secrets.SchedulerRole("web", { name: "web", policies: ["deploy"] });');
  const refresh = reader.take("sh");
  const job = reader.take("sh");

  await reader.run(refresh, { code: none });
  await reader.run(job, { code: none });
  await onVault("POST", "nomad/role/web", { policies: "stranger", type: "client" });
  expect(await reader.run(refresh, { code: drift })).toContain("no changes were expected for refresh but changes were proposed");
  expect(await reader.run(job, { code: drift })).toContain("Drift: see above.");
  await reader.with({ VAULT_TOKEN: "wrong" }).run(refresh, { code: unasked });
  expect(await reader.run(job, { code: unasked })).toContain("Drift is unknown: a server could not be read.");

  reader.with({ VAULT_TOKEN: vault.token });
  expect(await reader.says("pulumi preview --refresh --diff")).toContain('"stranger" => "deploy"');
  await reader.says("pulumi refresh --yes");
  await reader.run(refresh, { code: none });
  await reader.says("pulumi preview --expect-no-changes", { code: drift });
  await reader.says("pulumi up --refresh");
  expect(await role("web")).toMatchObject({ policies: ["deploy"] });
  await reader.run("pulumi destroy");
  reader.finish();
});

test("docs/guides/rename.md", async () => {
  await follow("docs/guides/rename.md");
  await deploy('new secrets.SchedulerRole("web", { name: "web", policies: ["deploy"] });');
  reader.program(imports);
  await reader.run("pulumi up --expect-no-changes");
  await reader.run("pulumi destroy");

  await deploy('new secrets.SchedulerRoles("rest", { roles: { team: { policies: ["deploy"] }, web: { policies: ["deploy"] } } });');
  reader.program(imports);
  await reader.run("pulumi up");
  expect(await role("team")).toMatchObject({ policies: ["deploy"] });
  await reader.run("pulumi up --refresh --expect-no-changes");
  await reader.run("pulumi destroy");
  expect(await role("team")).toBeUndefined();
  reader.finish();
});

test("docs/guides/management-token.md", async () => {
  await follow("docs/guides/management-token.md", { "https://nomad.example.com:4646": nomad.address, "<role>": "operator" });
  reader.with({ VAULT_ADDR: vault.address, NOMAD_ADDR: nomad.address, NOMAD_TOKEN: nomad.token });
  const made = async (output: Promise<string>): Promise<{ accessor: string; secret: string }> => {
    const fields = Object.fromEntries([...(await output).matchAll(/^(\w+) ID += (\S+)$/gm)].map(([, name, value]) => [name, value]));
    return { accessor: fields.Accessor ?? "", secret: fields.Secret ?? "" };
  };
  const old = await made(reader.run("nomad acl token create -type=management"));
  reader.write(
    "index.ts",
    `${imports}new secrets.SchedulerAccess("access", { address: "${nomad.address}", token: config.requireSecret("managementToken") });`,
  );
  await reader.run("pulumi config set --secret managementToken && pulumi up", { input: old.secret });
  await onVault("POST", "nomad/role/operator", { type: "management", global: true });

  const renewed = await made(reader.shell());
  reader.program(imports);
  expect(await reader.shell({ input: renewed.secret })).toMatch(/1 updated/);
  await reader.says("nomad acl token delete <accessor>", { own: { "<accessor>": old.accessor } });
  expect(await reader.says("vault read nomad/creds/<role>")).toMatch(/^secret_id +[0-9a-f-]{36}$/m);
  await reader.run("pulumi destroy");
  reader.finish();
});

test("docs/guides/several-installations.md", async () => {
  await follow("docs/guides/several-installations.md", {
    "https://vault.$place.example.com:8200": "$(printenv address_$place)",
    "https://vault.oslo.example.com:8200": sandbox.secrets.url,
  });
  reader.with({ address_berlin: vault.address, address_oslo: sandbox.secrets.url });
  await reader.with({ VAULT_TOKEN_BERLIN: vault.token, VAULT_TOKEN_OSLO: sandbox.secrets.token }).shell();
  reader.program();
  await reader.run("pulumi up");
  const policies = async (of: { url: string; token: string }): Promise<unknown> =>
    (await call(of, "GET", "/v1/nomad/role/deploy")).json.data.policies;
  expect([await policies({ url: vault.address, token: vault.token }), await policies(sandbox.secrets)]).toEqual([["deploy"], ["deploy"]]);
  await reader.run("pulumi destroy");

  reader.write("index.ts", `${imports}new secrets.SchedulerRole("deploy", { name: "deploy", policies: ["oslo"] });`);
  await reader.with({ VAULT_TOKEN: sandbox.secrets.token }).shell();
  await reader.run("pulumi up");
  expect(await policies(sandbox.secrets)).toEqual(["oslo"]);
  expect(await role("deploy")).toBeUndefined();
  reader.finish();
});

test("docs/guides/native-plugin.md", async () => {
  await follow("docs/guides/native-plugin.md", {
    "name: operations": "name: story",
    "https://vault.oslo.example.com:8200": sandbox.secrets.url,
  });
  reader.with({ VAULT_TOKEN_OSLO: sandbox.secrets.token });
  const declared = 'new secrets.SchedulerRole("deploy", { name: "deploy", policies: ["read"] });';
  await deploy(declared);
  reader.write("Pulumi.yaml", reader.take("yaml"));
  expect(await reader.shell()).toMatch(/Resources:\s+2 unchanged/);
  await reader.run("pulumi refresh");
  expect(await reader.shell()).toMatch(/Resources:\s+~ 1 updated\s+1 unchanged/);
  await reader.run("pulumi config set steward:native true");

  await onVault("POST", "nomad/role/web", { policies: "found" });
  const { generating } = await getHosts();
  const printed = await reader.run(`PATH=${[...generating, "$PATH"].join(delimiter)}\n${reader.take("sh")}`);
  expect(printed).toContain("new steward.secrets.SchedulerRole");
  const found = 'new secrets.SchedulerRole("web", { name: "web", policies: ["found"] }, { protect: true });';
  reader.write("index.ts", `${imports}${declared}${found}`);
  await reader.run("pulumi up --expect-no-changes");
  reader.program("", `${declared}${found}`);
  await reader.run("pulumi up");
  expect((await call(sandbox.secrets, "GET", "/v1/nomad/config/lease")).json.data).toMatchObject({ ttl: 1800 });
  reader.finish();
});

const onNomad = (token: string, method: string, path: string, body?: object): Promise<Response> =>
  fetch(`${nomad.address}/v1/${path}`, { method, headers: { "X-Nomad-Token": token }, body: body && JSON.stringify(body) });

test("docs/guides/tokens.md", async () => {
  await follow("docs/guides/tokens.md");
  for (const Name of ["deploy", "read-logs"])
    await onNomad(nomad.token, "PUT", `acl/policy/${Name}`, { Name, Rules: 'namespace "*" { policy = "read" }' });
  const access = `const access = new secrets.SchedulerAccess("access", { address: "${nomad.address}", token: config.requireSecret("managementToken") });\n`;
  await reader.run("pulumi config set --secret managementToken", { input: nomad.token });
  reader.program(`${imports}${access}`, "export const secretId = token.secretId;");
  await reader.run("pulumi up");
  const secretId = (await reader.run("pulumi stack output secretId --show-secrets")).trim();
  expect((await onNomad(secretId, "GET", "jobs")).status).toBe(200);
  await reader.run("pulumi destroy");
  reader.finish();
});

test("docs/guides/many-roles.md", async () => {
  await follow("docs/guides/many-roles.md");
  reader.program(imports);
  await reader.run("pulumi up");
  expect(await role("payments")).toMatchObject({ policies: ["payments-deploy"] });
  await reader.run("pulumi destroy");
  reader.finish();
});

test("docs/guides/settings.md", async () => {
  await follow("docs/guides/settings.md");
  reader.program(imports, '\nnew platform.GeneralSettings("general", { apiRateLimit: 100 });\n');
  await reader.run("pulumi config set --secret smtpPassword a-password && pulumi up");
  expect(sandbox.platform.mail.sent()).toHaveLength(1);
  await reader.with({ TFE_ADDRESS: sandbox.platform.url }).shell();
  expect(await reader.says("pulumi refresh --diff")).toMatch(/apiRateLimit +: 100 => 99/);
  reader.finish();
});

test("docs/guides/functions.md", async () => {
  reader = new Reader("docs/guides/functions.md").with({ NOMAD_TOKEN: nomad.token });
  await reader.project("dev", {
    "steward:default": { scheduler: { address: nomad.address, dialect: "hashicorp", tokenEnv: "NOMAD_TOKEN" } },
  });
  reader.program(`const job = ${JSON.stringify(jobOf("web"))};\n`, "export const deployed = deploy(job);");
  await reader.run("pulumi up && pulumi stack output deployed --json");
  expect((await onNomad(nomad.token, "GET", "job/web")).status).toBe(200);
  reader.finish();
});

test("docs/reference/connections.md", async () => {
  reader = new Reader("docs/reference/connections.md", { "https://vault.example.com:8200": vault.address });
  await renewEngine();
  await reader.with({ VAULT_TOKEN: vault.token }).project("connections", {});
  await reader.shell();
  await deploy('new secrets.SchedulerRole("other", { name: "other", policies: ["deploy"] });');
  expect(await role("other")).toMatchObject({ policies: ["deploy"] });
  reader.finish();
});

test("docs/guides/testing.md", async () => {
  reader = new Reader("docs/guides/testing.md", {
    "npm install pulumi-steward": `npm install ${tarballs().provider}`,
    "--save-dev pulumi-steward-sandbox": `--save-dev ${tarballs().sandbox}`,
  });
  reader.save("json", "package.json");
  reader.save("json", "tsconfig.json");
  reader.save("yaml", "Pulumi.yaml");
  await reader.shell();
  reader.save("ts", "index.ts");
  reader.save("ts", "index.test.ts");
  const jest = reader.take("sh");
  // Run it twice: leftovers of the first run must not break the second.
  for (let run = 0; run < 2; run += 1) expect(await reader.run(jest)).toContain("Tests:       2 passed, 2 total");

  const byHand = await reader.keepRunning("SHARE_5");
  try {
    reader.write("variables", byHand.output);
    const set = "pulumi config set --secret managementToken && pulumi config set policy deploy";
    expect(await reader.run(`source variables; pulumi stack init dev && ${set} && pulumi up`, { input: "a-token" })).toContain("3 created");
  } finally {
    await byHand.stop();
  }
  reader.finish();
});

test("sandbox/README.md", async () => {
  reader = new Reader("sandbox/README.md", { "--save-dev pulumi-steward-sandbox": `--save-dev ${tarballs().sandbox}` });
  reader.write("package.json", "{}");
  await reader.shell();
  const terminal = await reader.keepRunning("SHARE_5");
  expect(terminal.output).toMatch(/^export NOMAD_ADDR=http:/m);
  await terminal.stop();
  reader.write("role.mjs", reader.take("ts"));
  expect(await reader.run("node role.mjs")).toBe("[ 'deploy' ]\n");
  reader.write("faults.mjs", reader.take("ts"));
  await reader.run("node faults.mjs");
  reader.finish();
});
