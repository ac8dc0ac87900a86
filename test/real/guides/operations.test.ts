import { call } from "../../support/call";
import { deploy, Guides, imports } from "../../support/guides";
import { packed } from "../../support/installation";
import { readPage } from "../../support/pages";

// The guides about running a stack: trouble, upgrades, the end of a stack.

const tarballs = packed();
const guides = new Guides(tarballs);

const roleProgram = `${imports}new secrets.SchedulerRole("web", { name: "web", policies: ["deploy"] });`;

const page = "docs/guides/troubleshooting.md";
/** Expects a message that the page quotes, in which … stands for anything. */
function expectQuoted(output: string, beginning: string): void {
  const quotes = readPage(page).match(/^> .*\n(?:> .*\n)*/gm) ?? [];
  const quoted = quotes.map((quote) => quote.replace(/^> /gm, "").replace(/\s+/g, " ").trim()).find((quote) => quote.includes(beginning));
  if (!quoted) throw new Error(`${page} does not quote ${beginning}.`);
  const parts = quoted.split("…").map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  expect(output.replace(/\s+/g, " ")).toMatch(new RegExp(parts.join(".*")));
}

guides.test("docs/guides/troubleshooting.md", {}, async (reader) => {
  const failedUp = (): Promise<string> => reader.run("pulumi up", { code: 1 });
  const weak = (await guides.onVault("POST", "auth/token/create", { policies: ["default"] })).json.auth.client_token as string;
  reader.write("index.ts", roleProgram);
  reader.with({ VAULT_TOKEN: weak });
  expectQuoted(await failedUp(), "Cannot create Nomad role");
  expect(await reader.shell({ input: `${weak}\n` })).toMatch(/^policies +\[default\]$[\s\S]*^deny$/m);
  expect(reader.take("sh")).toContain("steward:default.secrets.namespace");

  const { memberToken } = guides.sandbox.platform;
  reader.with({ TFE_TOKEN: memberToken, VAULT_TOKEN: guides.vault.token });
  reader.write("index.ts", `${imports}new platform.GeneralSettings("general", { apiRateLimit: 100 });`);
  expectQuoted(await failedUp(), "site administrators");
  expect(await reader.shell({ input: `${memberToken}\n` })).toBe("404\n");
  reader.with({ TFE_TOKEN: guides.sandbox.platform.token });

  await reader.run("pulumi config rm --path 'steward:default.secrets.dialect'");
  reader.write("index.ts", roleProgram);
  expectQuoted(await failedUp(), "dialect: is missing");
  await reader.shell();

  reader.with({ VAULT_ADDR: guides.vault.address });
  await guides.onVault("DELETE", "sys/mounts/nomad");
  expectQuoted(await failedUp(), "no handler for route");
  expect(await reader.shell()).not.toMatch(/^nomad\/ /m);
  await reader.shell();
  await reader.run("pulumi up");

  await reader.run("pulumi config set steward:native true");
  expectQuoted(await failedUp(), "cannot find the plugin");
  await reader.says("pulumi config set steward:native false");
  await reader.run("pulumi up");

  reader.write(
    "index.ts",
    `import { existsSync, writeFileSync } from "node:fs";
    writeFileSync("started", "");
    const waiting = setInterval(() => existsSync("killed") && clearInterval(waiting), 100);`,
  );
  await reader.run("command pulumi up --yes & until [ -e started ]; do sleep 0.1; done; kill -KILL $!; touch killed; wait || true");
  expectQuoted(await failedUp(), "currently locked");
  reader.write("index.ts", roleProgram);
  await reader.shell();

  expect(await reader.shell()).toBe("200\n");
  expect(reader.take("sh")).toContain("openssl s_client");
});

/** The clone: the test installs the package of this one. */
const clone = { "(cd ../pulumi-steward && npm ci && npm pack)": "true" };

guides.test("docs/guides/upgrade.md", { own: clone }, async (reader) => {
  await reader.run(`rm node_modules && npm install ${tarballs().provider} @pulumi/pulumi`);
  await deploy(reader, 'new secrets.SchedulerRole("web", { name: "web", policies: ["deploy"] });');
  await reader.shell();
  expect(await reader.shell()).toMatch(/2 unchanged/);
  // A pipeline installs it from the repository alone.
  expect(JSON.parse(reader.read("package.json")).dependencies["pulumi-steward"]).toBe("file:vendor/pulumi-steward-0.1.0.tgz");
  expect(await reader.shell()).toMatch(/2 unchanged/);
  expect(await reader.shell()).toMatch(/2 unchanged/);
});

guides.test("docs/reference/destroy.md", {}, async (reader) => {
  const rateLimit = async (): Promise<number> =>
    (await call(guides.sandbox.platform, "GET", "/api/v2/admin/general-settings")).json.data.attributes["api-rate-limit"];
  reader.program(imports, 'new secrets.SchedulerRole("search", { name: "search", policies: ["deploy"] });\n');
  await reader.says("pulumi up");
  await reader.says("pulumi destroy");
  expect(await guides.role("web")).toMatchObject({ policies: ["deploy"] });
  expect(await guides.role("search")).toBeUndefined();
  expect(await rateLimit()).toBe(100);
  reader.write("index.ts", `${imports}new platform.GeneralSettings("general", { apiRateLimit: 50 });`);
  await reader.run("pulumi up");
  await reader.run("pulumi destroy");
  expect(await rateLimit()).toBe(100);

  // A token with no more than the permissions that the page requires revokes the tokens of others.
  await guides.onVault("POST", "nomad/config/access", { address: guides.nomad.address, token: guides.nomad.token });
  await guides.onVault("POST", "nomad/role/web", { type: "client", policies: "deploy" });
  await guides.policy("deploy");
  const { lease_id: lease, data } = (await guides.onVault("GET", "nomad/creds/web")).json;
  const policy = `path "sys/leases/lookup/nomad/creds/*" { capabilities = ["list", "sudo"] }
    path "sys/leases/revoke-prefix/nomad/creds" { capabilities = ["update", "sudo"] }`;
  await guides.onVault("PUT", "sys/policies/acl/leases", { policy });
  const { client_token: VAULT_TOKEN } = (await guides.onVault("POST", "auth/token/create", { policies: ["leases"] })).json.auth;
  reader.with({ VAULT_ADDR: guides.vault.address, VAULT_TOKEN });
  const own = { "<role>": "web" };
  expect(await reader.says("vault list sys/leases/lookup/nomad/creds/<role>", { own })).toContain(lease.split("/").at(-1));
  const status = async (): Promise<number> => (await guides.onNomad(data.secret_id, "GET", "jobs")).status;
  const before = await status();
  await reader.says("vault lease revoke -sync -prefix nomad/creds");
  expect([before, await status()]).toEqual([200, 403]);
});
