import { existsSync } from "node:fs";
import { join } from "node:path";
import { call } from "../../support/call";
import { deploy, Guides, imports } from "../../support/guides";
import { allowLogins, idToken } from "../../support/identity";
import { packed } from "../../support/installation";
import { root } from "../../support/pages";
import { jobOf } from "../../support/scheduler";

// The guides about what to write in a program.

const tarballs = packed();
const guides = new Guides(tarballs);

guides.test("docs/guides/secrets.md", {}, async (reader) => {
  reader.with({ NOMAD_MANAGEMENT_TOKEN: guides.nomad.token });
  reader.program(imports);
  await reader.run("pulumi up");
  await guides.onVault("POST", "nomad/role/operator", { type: "management", global: true });
  expect((await guides.onVault("GET", "nomad/creds/operator")).status).toBe(200);
  expect(await reader.run("pulumi stack export --show-secrets")).not.toContain(guides.nomad.token);
  await reader.run("pulumi up --expect-no-changes");
  await reader.run("pulumi refresh --expect-no-changes");

  reader.write("index.ts", 'import * as pulumi from "@pulumi/pulumi";\nexport const share = pulumi.secret("canary-share");\n');
  const logged = (): Promise<string> => reader.run('pulumi logs decrypt "$(ls "$PULUMI_HOME"/logs/organization*)"');
  await reader.shell();
  await reader.run("pulumi up");
  expect(await logged()).toContain("canary-share");

  await reader.shell();
  await reader.run("pulumi up");
  const memory = (await reader.run('df --output=target "$PULUMI_HOME/logs/"')).trim().split("\n").at(-1);
  expect(memory).toBe("/dev/shm");
  expect(await logged()).toContain("canary-share");
  const folder = (await reader.run('readlink "$PULUMI_HOME/logs"')).trim();
  await reader.shell();
  expect(existsSync(folder)).toBe(false);
  await reader.run("pulumi up");
});

const places = { "https://vault.$place.example.com:8200": "$(printenv address_$place)" };
guides.test("docs/guides/several-installations.md", { own: places }, async (reader) => {
  reader.with({ address_berlin: guides.vault.address, address_oslo: guides.sandbox.secrets.url });
  await reader.with({ VAULT_TOKEN_BERLIN: guides.vault.token, VAULT_TOKEN_OSLO: guides.sandbox.secrets.token }).shell();
  reader.program();
  await reader.run("pulumi up");
  const policies = async (of: { url: string; token: string }): Promise<unknown> =>
    (await call(of, "GET", "/v1/nomad/role/deploy")).json.data.policies;
  expect([await policies({ url: guides.vault.address, token: guides.vault.token }), await policies(guides.sandbox.secrets)]).toEqual([
    ["deploy"],
    ["deploy"],
  ]);
  await reader.run("pulumi destroy");

  reader.write("index.ts", `${imports}new secrets.SchedulerRole("deploy", { name: "deploy", policies: ["oslo"] });`);
  await reader.with({ VAULT_TOKEN: guides.sandbox.secrets.token }).shell();
  await reader.run("pulumi up");
  expect(await policies(guides.sandbox.secrets)).toEqual(["oslo"]);
  expect(await guides.role("deploy")).toBeUndefined();
});

guides.test("docs/guides/nomad-tokens.md#generate-a-token", {}, async (reader) => {
  for (const name of ["deploy", "read-logs"]) await guides.policy(name);
  const access = `const access = new secrets.SchedulerAccess("access", { address: "${guides.nomad.address}", token: { env: "NOMAD_MANAGEMENT_TOKEN" } });\n`;
  reader.with({ NOMAD_MANAGEMENT_TOKEN: guides.nomad.token, NOMAD_ADDR: guides.nomad.address });
  reader.program(`${imports}import { scheduler } from "pulumi-steward";\n${access}`, "export const secretId = token.secretId;");
  await reader.run("pulumi up");
  const secretId = (await reader.run("pulumi stack output secretId --show-secrets")).trim();
  expect((await guides.onNomad(secretId, "GET", "jobs")).status).toBe(200);
});

guides.test("docs/guides/many-roles.md", {}, async (reader) => {
  reader.program(imports);
  await reader.run("pulumi up");
  expect(await guides.role("payments")).toMatchObject({ policies: ["payments-deploy"] });
});

guides.test("docs/guides/settings.md", {}, async (reader) => {
  reader.program(imports);
  expect(await reader.run("pulumi up")).toContain("adoption changes apiRateLimit: 30 -> 100");
  reader.program();
  expect(await reader.run("pulumi up")).toContain("not trimmed yet: `pulumi up` after ");
});

guides.test("docs/guides/functions.md", { hasProject: false }, async (reader) => {
  reader.with({ NOMAD_TOKEN: guides.nomad.token });
  await reader.project("dev", {
    "steward:default": { scheduler: { address: guides.nomad.address, dialect: "hashicorp", tokenEnv: "NOMAD_TOKEN" } },
  });
  reader.program(`const job = ${JSON.stringify(jobOf("web"))};\n`, "export const deployed = deploy(job);");
  await reader.run("pulumi up && pulumi stack output deployed --json");
  expect((await guides.onNomad(guides.nomad.token, "GET", "job/web")).status).toBe(200);
});

guides.test("docs/reference/connections.md", { hasProject: false }, async (reader) => {
  await reader.with({ VAULT_TOKEN: guides.vault.token }).project("connections", {});
  await reader.shell();
  await deploy(reader, 'new secrets.SchedulerRole("other", { name: "other", policies: ["deploy"] });');
  expect(await guides.role("other")).toMatchObject({ policies: ["deploy"] });
  const policy = 'path "nomad/role/*" { capabilities = ["create", "read", "update"] }';
  const role = await allowLogins({ url: guides.vault.address, token: guides.vault.token }, policy);
  await reader.run("pulumi config rm --path 'steward:default.secrets.tokenEnv'");
  await reader.run(reader.take("sh").replace("body.role' ci", `body.role' ${role}`));
  reader.with({ VAULT_TOKEN: "", ID_TOKEN: idToken() });
  await deploy(reader, 'new secrets.SchedulerRole("other", { name: "other", policies: ["run"] });');
  expect(await guides.role("other")).toMatchObject({ policies: ["run"] });
});

guides.test("docs/guides/testing.md", { hasProject: false }, async (reader) => {
  reader.save("json", "package.json");
  reader.save("json", "tsconfig.json");
  reader.save("yaml", "Pulumi.yaml");
  await reader.shell();
  reader.save("ts", "index.ts");
  reader.save("ts", "index.test.ts");
  expect(await reader.shell()).toContain("Tests:       2 passed, 2 total");

  await reader.shell();
  const vitest = reader.take("js");
  reader.write("index.test.ts", reader.read("index.test.ts").replace(/^jest\.setTimeout.*$/m, vitest));
  const runVitest = reader.take("sh");
  // The leftovers of the first run do not break it.
  expect(await reader.run(runVitest)).toMatch(/Tests .*2 passed.*\(2\)/);

  reader.save("js", "index.test.mjs");
  const runNode = reader.take("sh");
  expect(await reader.run(runNode)).toMatch(/^# pass 1$/m);
  // test/real/languages.test.ts runs the test in Python.
  for (const language of ["sh", "py", "sh"]) reader.take(language);

  const { compilerOptions } = JSON.parse(reader.read("tsconfig.json"));
  reader.write("tsconfig.json", JSON.stringify({ compilerOptions: { ...compilerOptions, module: "nodenext" } }));
  reader.write("package.json", JSON.stringify({ ...JSON.parse(reader.read("package.json")), type: "module" }));
  reader.write("index.test.ts", reader.read("index.test.ts").replace("__dirname", "import.meta.dirname"));
  await reader.says("npm install --save-dev ts-node");
  expect(await reader.run(runNode)).toMatch(/^# pass 1$/m);
  expect(await reader.run(`rm index.test.mjs; ${runVitest.trim()} -t "up creates"`)).toMatch(/Tests .*1 passed/);
});

const company = { "pulumi-steward/examples/company": join(root, "examples/company") };
guides.test("examples/company/README.md", { own: company, hasProject: false }, async (reader) => {
  await reader.shell();
  await reader.run("rm -r node_modules && npm ci && ls .github/workflows/operations.yml node_modules/pulumi-steward/package.json");
  expect(JSON.parse(reader.read("package.json")).dependencies["pulumi-steward"]).toBe("file:vendor/pulumi-steward-0.1.0.tgz");
  const { integrity } = JSON.parse(reader.read("package-lock.json")).packages["node_modules/pulumi-steward"];
  expect(integrity).toMatch(/^sha512-/);
});

guides.test("sandbox/README.md", { hasProject: false }, async (reader) => {
  reader.write("package.json", "{}");
  await reader.shell();
  const terminal = await reader.keepRunning("SHARE_5");
  expect(terminal.output).toMatch(/^export NOMAD_ADDR=http:/m);
  try {
    await reader.run(`npm install ${tarballs().provider} @pulumi/pulumi`);
    reader.write("Pulumi.yaml", "name: roles\nruntime: nodejs\nmain: index.js\n");
    reader.write(
      "index.js",
      'const { secrets } = require("pulumi-steward");\nnew secrets.SchedulerRole("web", { name: "web", policies: ["deploy"] });\n',
    );
    reader.write("variables", terminal.output);
    expect(await reader.run("source variables; pulumi stack init dev && pulumi up")).toContain("2 created");
  } finally {
    await terminal.stop();
  }
  reader.write("role.mjs", reader.take("ts"));
  expect(await reader.run("node role.mjs")).toBe("[ 'deploy' ]\n");
  reader.write("faults.mjs", reader.take("ts"));
  await reader.run("node faults.mjs");
});
