import { startOpenBao } from "../../tools/servers";
import { call } from "../support/call";
import { deploy, Guides } from "../support/guides";
import { packed } from "../support/installation";
import { exitCodes } from "../support/pages";
import { templates } from "../support/templates";

// A reader of these pages starts with an empty folder and new servers.

const withTemplates = templates();
const { drift, unasked, noStack } = exitCodes;
const guides = new Guides(packed());

guides.test("docs/getting-started/vault.md", { hasProject: false }, async (reader) => {
  reader.with(withTemplates());
  const { vault, nomad } = guides;
  await guides.onVault("POST", "nomad/config/access", { address: "http://127.0.0.1:1", token: "theirs" });
  await guides.onVault("POST", "nomad/role/web", { policies: "theirs", type: "client" });

  reader.save("hcl", "steward.hcl");
  reader.save("hcl", "steward-read.hcl");
  // A token with no more than the permissions that the page requires.
  const policy = `path "sys/policies/acl/*" { capabilities = ["create", "update"] }
    path "auth/token/create" { capabilities = ["create", "update", "sudo"] }`;
  await guides.onVault("PUT", "sys/policies/acl/author", { policy });
  const author = (await guides.onVault("POST", "auth/token/create", { policies: ["author"] })).json.auth.client_token;
  const tokens = await reader.with({ VAULT_ADDR: vault.address, VAULT_TOKEN: author }).shell();
  const [ours = "", nightly = ""] = [...tokens.matchAll(/^token +(\S+)$/gm)].map(([, token = ""]) => token);
  // The configuration contains the address from here on.
  await reader.with({ VAULT_ADDR: "", VAULT_TOKEN: ours }).shell();

  reader.program();
  await reader.says("pulumi up");
  const found = JSON.parse(await reader.says("pulumi stack output found --json"));
  expect(found).toMatchObject({ roles: { web: { policies: ["theirs"], type: "client" } }, address: "http://127.0.0.1:1" });
  await reader.says("pulumi destroy");

  reader.program();
  expect(await reader.shell({ input: `${nomad.token}\n` })).toContain('policies: ["theirs"] -> ["deploy","read-logs"]');
  reader.with({ NOMAD_MANAGEMENT_TOKEN: nomad.token });
  expect((await guides.onVault("GET", "nomad/role/web")).json.data).toMatchObject({ policies: ["theirs"] });
  await reader.shell();
  expect((await guides.onVault("GET", "nomad/creds/operator")).json.data.secret_id).toMatch(/^[0-9a-f-]{36}$/);

  const refresh = reader.take("sh");
  await reader.with({ VAULT_TOKEN: nightly }).run(refresh);
  await guides.onVault("POST", "nomad/role/web", { policies: "stranger", type: "client" });
  expect(await reader.run(refresh, { code: drift })).toContain('"deploy" => "stranger"');
  expect(await reader.run("pulumi up --refresh", { code: 1 })).toContain("403");
  await reader.with({ VAULT_TOKEN: "wrong" }).run(refresh, { code: unasked });
  await reader.run(refresh.replace("prod", "none"), { code: noStack });
  await reader.with({ VAULT_TOKEN: ours }).run("pulumi up --refresh");
  await reader.with({ VAULT_TOKEN: nightly }).run(refresh);

  // The engine exists, so the reader mounts another one, and declares a third.
  reader.with({ VAULT_ADDR: vault.address, VAULT_TOKEN: vault.token });
  await reader.shell({ own: { "secrets enable": "secrets enable -path=second" } });
  reader.write("index.ts", reader.take("ts").replace('"nomad", {', '"nomad", { mount: "third",'));
  await reader.run("pulumi up");
  expect((await guides.onVault("GET", "third/role/web")).json.data).toMatchObject({ policies: ["deploy", "read-logs"] });
});

guides.test("docs/getting-started/openbao.md", { hasProject: false }, async (reader) => {
  const { REAL_OPENBAO_ADDRESS, OPENBAO_NOMAD_PLUGIN: PLUGIN = "" } = process.env;
  // OpenBao is not available on every platform.
  if (!REAL_OPENBAO_ADDRESS) return void ["sh", "sh"].map((language) => reader.take(language));
  const { address, token, stop } = await startOpenBao(PLUGIN);
  reader.with({ ...withTemplates(), BAO_ADDR: address, BAO_TOKEN: token, PLUGIN });
  await reader.shell({ own: { "https://openbao.example.com:8200": address } });
  // The run prints that there is no plugin.
  if (!PLUGIN) return stop().then(() => void reader.take("sh"));
  await reader.shell({ own: { "secrets enable": "secrets enable -path=second" } });
  await deploy(reader, 'new secrets.SchedulerRole("deploy", { name: "deploy", policies: ["deploy"] });');
  const { status, json } = await call({ url: address, token }, "GET", "/v1/nomad/role/deploy");
  expect([status, json.data.policies]).toEqual([200, ["deploy"]]);
  await stop();
});

/** test/package.test.ts runs these two commands. */
const clone = { "git clone https://github.com/pulumi-steward/pulumi-steward": "mkdir pulumi-steward", "npm ci && npm pack": "true" };

guides.test("docs/getting-started/terraform-enterprise.md", { own: clone, hasProject: false }, async (reader) => {
  reader.with(withTemplates());
  const { sandbox } = guides;
  await reader.with({ TFE_TOKEN: sandbox.platform.token }).shell();

  reader.program();
  await reader.says("pulumi up");
  expect(JSON.parse(await reader.says("pulumi stack output --json"))).toMatchObject({
    general: { apiRateLimit: 30 },
    mail: { enabled: false },
  });
  const writes = (): string[] => sandbox.requests().flatMap(({ method, path }) => (method === "GET" ? [] : [`${method} ${path}`]));
  expect(writes()).toEqual([]);

  reader.program();
  expect(await reader.shell({ input: "a-password\n" })).toContain("apiRateLimit: 30 -> 100");
  reader.with({ SMTP_PASSWORD: "a-password" });
  expect(writes()).toEqual([]);
  await reader.shell();
  expect(writes().sort()).toEqual(["customization", "general", "smtp"].map((name) => `PATCH /api/v2/admin/${name}-settings`));

  const refresh = reader.take("sh");
  await reader.run(refresh);
  await call(sandbox.platform, "PATCH", "/api/v2/admin/general-settings", { data: { attributes: { "api-rate-limit": 50 } } });
  expect(await reader.run(refresh, { code: drift })).toContain("100 => 50");
});
