import { delimiter, dirname } from "node:path";
import { parse } from "yaml";
import { findTerraform } from "../../../bench/terraform";
import { serveAt } from "../../provider/http/exchange";
import { call } from "../../support/call";
import { deploy, Guides, imports } from "../../support/guides";
import { getHosts } from "../../support/hosts";
import { idToken, issuerKey } from "../../support/identity";
import { installed } from "../../support/installation";
import { allBlocks, exitCodes, pipelineCommands } from "../../support/pages";

// The guides about what a stack manages: adoption, import, drift, moves, the mechanism.

const modules = installed();
const { none, drift, unasked } = exitCodes;
const guides = new Guides();

guides.test("docs/guides/import.md#adopt", {}, async (reader) => {
  await guides.onVault("POST", "nomad/config/access", { address: "http://127.0.0.1:1", token: "theirs" });
  await guides.onVault("POST", "nomad/config/lease", { ttl: "1h", max_ttl: "2h" });
  await guides.onVault("POST", "nomad/role/payments", { policies: "theirs", type: "client" });

  reader.program();
  const found = await reader.shell();
  expect(JSON.parse(found.slice(found.lastIndexOf("\n{")))).toEqual({
    roles: { payments: expect.objectContaining({ policies: ["theirs"] }) },
    ttl: 3600,
    maxTtl: 7200,
    apiRateLimit: 30,
  });

  reader.program();
  reader.with({ NOMAD_MANAGEMENT_TOKEN: guides.nomad.token });
  const change = 'policies: ["theirs"] -> ["payments-deploy"]';
  expect(await reader.shell()).toContain(change);
  expect(await guides.role("payments")).toMatchObject({ policies: ["theirs"] });
  expect(await reader.shell()).toContain(change);
  expect(await guides.role("payments")).toMatchObject({ policies: ["payments-deploy"] });
});

/** A resource of another package, which manages a role of Vault as pulumi-vault does. */
const otherPackage = (address: string): string => `
const send = async (method: string, name: string, body?: object): Promise<void> => {
  const headers = { "X-Vault-Token": process.env.VAULT_TOKEN ?? "" };
  const { ok } = await fetch("${address}/v1/nomad/role/" + name, { method, headers, body: body && JSON.stringify(body) });
  if (!ok) throw new Error(method);
};
class NomadSecretRole extends pulumi.dynamic.Resource {
  constructor(name: string, policies: string, opts?: pulumi.CustomResourceOptions) {
    const create = async (outs: object) => {
      await send("POST", name, { policies });
      return { id: name, outs };
    };
    super({ create, delete: () => send("DELETE", name) }, name, {}, opts);
  }
}
`;

test("docs/guides/import.md: From pulumi-vault", async () => {
  const reader = await guides.open("docs/guides/import.md");
  await guides.connect(reader);
  const theirs = (name: string, options = "{}"): string => `new NomadSecretRole("${name}", "deploy", ${options});\n`;
  const ours = (name: string): string => `new secrets.SchedulerRole("${name}", { name: "${name}", policies: ["deploy"], adopt: true });\n`;
  const there = async (): Promise<string[]> => (await guides.onVault("GET", "nomad/role?list=true")).json.data.keys;
  const other = otherPackage(guides.vault.address);
  await deploy(reader, other + theirs("released") + theirs("forgotten") + theirs("lost"));
  await deploy(reader, other + theirs("released", "{ retainOnDelete: true }") + theirs("forgotten") + theirs("lost"));
  const [urn = ""] = /urn:\S+::forgotten$/m.exec(await reader.says("pulumi stack --show-urns")) ?? [];
  await reader.says("pulumi state delete '<urn>'", { own: { "<urn>": urn } });

  await deploy(reader, ours("released") + ours("forgotten") + ours("lost"));
  expect(await there()).toEqual(["forgotten", "released"]);
  expect(await reader.says("pulumi up")).toMatch(/Resources:\s+4 unchanged/);
  expect(await reader.says("pulumi refresh")).toContain("- 1 deleted");
  await reader.says("pulumi up");
  expect(await there()).toEqual(["forgotten", "lost", "released"]);
});

guides.test("docs/guides/import.md#import-an-installation", { hasProject: false }, async (reader) => {
  reader.with({ VAULT_TOKEN: guides.vault.token });
  await reader.project("dev", {}, modules());
  await guides.onVault("POST", "nomad/config/access", { address: guides.nomad.address, token: guides.nomad.token });
  await guides.onVault("POST", "nomad/config/lease", { ttl: "1h", max_ttl: "2h" });
  for (const name of ["payments", "search"]) await guides.onVault("POST", `nomad/role/${name}`, { policies: name });

  await reader.shell();
  const found = await reader.shell();
  expect(found).toMatch(/^steward:secrets:SchedulerRole +payments +nomad\/role\/payments$/m);
  expect(found).toContain(
    "NOMAD_MANAGEMENT_TOKEN: token of nomad-access\n6 resources in import.json, and the program in index.ts. Next:\n",
  );
  expect(await reader.shell({ input: `${guides.nomad.token}\n` })).toMatch(/6 imported[\s\S]*1 updated\n.*6 unchanged/);
  await reader.run("pulumi refresh --preview-only --expect-no-changes");
  const sdk = reader.take("sh");
  expect(sdk).toBe("pulumi import --file import.json --out imported.txt\n");
  expect(await reader.run("npx --no pulumi-steward discover --native --overwrite")).toContain(`$ ${sdk}`);
});

guides.test("docs/guides/import.md#from-terraform", { hasProject: false }, async (reader) => {
  reader.with({ VAULT_ADDR: guides.vault.address, VAULT_TOKEN: guides.vault.token });
  const secrets = { address: guides.vault.address, dialect: "hashicorp", tokenEnv: "VAULT_TOKEN" };
  await reader.project("dev", { "steward:default": { secrets } }, modules());
  const terraform = await findTerraform();
  // Without Terraform, only its command is replaced. The role is then made by hand.
  const isReal = typeof terraform === "object";
  const folder = isReal ? dirname(terraform.command) : "terraform";
  const configuration = (body: string): void =>
    reader.write(
      "main.tf",
      `terraform {\n  required_providers {\n    vault = { source = "hashicorp/vault" }\n  }\n}\nprovider "vault" {}\n${body}`,
    );
  if (isReal) {
    const { provider } = terraform;
    const overrides = `dev_overrides {\n    "hashicorp/vault" = ${JSON.stringify(provider)}\n  }\n  direct {}`;
    reader.write("terraform.rc", `provider_installation {\n  ${overrides}\n}\n`);
    reader.with({ TF_CLI_CONFIG_FILE: "terraform.rc", CHECKPOINT_DISABLE: "1" });
    configuration(
      'resource "vault_nomad_secret_role" "deploy" {\n  backend = "nomad"\n  role = "deploy"\n  type = "client"\n  policies = ["read"]\n}\n',
    );
    await reader.run(`${terraform.command} apply -auto-approve`);
  } else {
    reader.write("terraform/terraform", "#!/bin/sh\n");
    await reader.run("chmod +x terraform/terraform");
    await guides.onVault("POST", "nomad/role/deploy", { policies: "read" });
  }
  const remove = reader.take("sh");
  await reader.run(`PATH=${folder}:$PATH\n${remove}`);
  configuration("");
  const [, discover = "", bring = ""] = allBlocks("docs/guides/import.md").flatMap(({ language, section, text }) =>
    language === "sh" && section === "import-an-installation" ? [text] : [],
  );
  const imported = await reader.run(`${discover}${bring}`, { input: "\n" });
  expect(imported).toMatch(/3 imported[\s\S]*Resources:\n +4 unchanged/);
  expect(await guides.role("deploy")).toMatchObject({ policies: ["read"] });
  if (isReal) await reader.run(`${terraform.command} plan -detailed-exitcode`);
  // The documentation of the tfe provider says the same. Its provider needs an installation.
  expect(reader.take("sh")).toBe("terraform state rm tfe_saml_settings.this\n");
  await reader.run("pulumi refresh --preview-only --expect-no-changes");
});

/** A key in place of the issuer's address, which Vault would read. */
const issuer = { "oidc_discovery_url=https://token.actions.githubusercontent.com": "jwt_validation_pubkeys=@issuer.pem" };

guides.test("docs/guides/continuous-integration.md", { own: issuer }, async (reader) => {
  const root = { VAULT_ADDR: guides.vault.address, VAULT_TOKEN: guides.vault.token };
  const identity = (event: string, environment = event === "pull_request" ? undefined : "prod"): string =>
    idToken(300, {
      iss: "https://token.actions.githubusercontent.com",
      aud: guides.vault.address,
      repository: "acme/operations",
      event_name: event,
      ref: event === "push" ? "refs/heads/main" : "refs/pull/1/merge",
      ...(environment && { environment }),
    });
  const [read, write] = ['capabilities = ["read"]', 'capabilities = ["create", "read", "update", "delete"]'];
  for (const [name, capabilities] of [
    ["steward-read", read],
    ["steward", write],
  ] as const)
    await guides.onVault("PUT", `sys/policies/acl/${name}`, { policy: `path "nomad/role/*" { ${capabilities} }` });

  reader.write("issuer.pem", issuerKey);
  // test/real/guides/programs.test.ts follows the same commands in examples/company/README.md.
  expect(reader.take("sh")).toContain("vendor/pulumi-steward-0.1.0.tgz");
  const methods = reader.with(root).take("sh");
  await reader.run(methods);
  await reader.run(methods.replaceAll("jwt-github", "jwt-gitlab"));
  await reader.shell();
  const action = parse(reader.take("yaml")) as { runs: { steps: { run?: string }[] } };
  const login = action.runs.steps.find(({ run }) => run?.includes("GITHUB_ENV"))?.run ?? "";
  reader.take("yaml");
  const gitlab = parse(reader.take("yaml"))[".vault"] as { id_tokens: object; variables: object };
  const [preview = "", deploy = "", nightly = ""] = pipelineCommands().map((command) => command.replace("--stack prod ", ""));

  // GitHub's own server of identities.
  let asked = "";
  const identities = await serveAt(({ headers, url }, response) => {
    expect([headers.authorization, url]).toEqual(["Bearer request", `/?v=1&audience=${guides.vault.address}`]);
    response.end(JSON.stringify({ value: identity(asked) }));
  });
  reader.with({ ACTIONS_ID_TOKEN_REQUEST_URL: `${identities}/?v=1`, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "request" });
  async function onGitHub(event: string, VAULT_ROLE: string, command: string, code = 0): Promise<string> {
    asked = event;
    reader.write("environment", "");
    await reader.with({ VAULT_ROLE, GITHUB_ENV: "environment" }).run(login);
    const lines = reader.read("environment").trim().split("\n");
    const variables = Object.fromEntries(lines.map((line) => line.split("=")));
    expect(Object.keys(variables)).toEqual(["ID_TOKEN", "VAULT_ROLE"]);
    return reader.with(variables).run(command, { code });
  }
  reader.write("index.ts", `${imports}new secrets.SchedulerRole("web", { name: "web", policies: ["deploy"] });`);
  const previewed = (): Promise<string> => reader.with({ VAULT_TOKEN: "", ID_TOKEN: "" }).run(preview);
  expect(await previewed()).toContain("2 to create");
  // A pull request cannot log in, and neither can a job without the environment.
  for (const role of ["steward", "steward-read"])
    for (const jwt of [identity("pull_request"), identity("push", "")]) {
      const body = JSON.stringify({ role, jwt });
      expect((await fetch(`${guides.vault.address}/v1/auth/jwt-github/login`, { method: "POST", body })).status).toBe(400);
    }
  await onGitHub("push", "steward", deploy);
  // A preview and the nightly command write nothing to the bucket, not even a lock.
  const bucket = (): Promise<string> => reader.run('find $(cut -c8- <<< $PULUMI_BACKEND_URL) -printf "%p %T@ %s\\n" | sort');
  const before = await bucket();
  await previewed();
  await onGitHub("schedule", "steward-read", nightly, none);
  expect(await bucket()).toBe(before);
  await guides.onVault("POST", "nomad/role/web", { policies: "stranger", type: "client" });
  await onGitHub("schedule", "steward-read", nightly, drift);
  const json = await reader.run(nightly.replace("--diff", "--json"), { code: drift });
  expect(JSON.parse(json.slice(json.indexOf("{"), json.lastIndexOf("\n}") + 2)).changeSummary).toMatchObject({ update: 1 });

  expect([Object.keys(gitlab.id_tokens), Object.keys(gitlab.variables)]).toEqual([["ID_TOKEN"], ["VAULT_ROLE"]]);
  await reader.run("pulumi config set --plaintext --path 'steward:default.secrets.login.path' auth/jwt-gitlab/login");
  reader.with({ VAULT_ROLE: "steward", ID_TOKEN: identity("push") });
  expect(await reader.run(deploy.replace("up", "up --refresh"))).toContain("1 updated");

  // With Terraform Enterprise only, a preview needs no token.
  const server = 'enabled: true, host: "smtp.example.com", port: 587, sender: "platform@example.com"';
  const account = 'auth: "login", username: "platform", password: { env: "SMTP_PASSWORD" }';
  reader.write("index.ts", `${imports}new platform.SmtpSettings("mail", { ${server}, ${account} });`);
  await reader.with({ ...root, TFE_TOKEN: "" }).run(preview);
  reader.with({ TFE_TOKEN: guides.sandbox.platform.token, SMTP_PASSWORD: "a-password" });
  expect(await reader.run(deploy)).toContain("1 created");
  await reader.with({ TFE_TOKEN: "", SMTP_PASSWORD: "" }).run(preview);

  // AppRole instead of the JWT auth method.
  const ids = await reader.with(root).shell();
  const idOf = (name: string): string => new RegExp(`^${name} +(\\S+)$`, "m").exec(ids)?.[1] ?? "";
  await reader.shell();
  reader.with({
    VAULT_TOKEN: "",
    TFE_TOKEN: guides.sandbox.platform.token,
    VAULT_ROLE_ID: idOf("role_id"),
    VAULT_SECRET_ID: idOf("secret_id"),
  });
  reader.write("index.ts", `${imports}new secrets.SchedulerRole("ops", { name: "ops", policies: ["deploy"] });`);
  await reader.run(deploy);
  expect(await guides.role("ops")).toBeDefined();

  // The pasted block changes nothing at a path that is in use.
  const theirs = { bound_issuer: "https://gitlab.example.com", jwt_validation_pubkeys: reader.read("issuer.pem") };
  await guides.onVault("POST", "auth/jwt-github/config", theirs);
  await guides.onVault("DELETE", "auth/jwt-github/role/steward");
  await reader.with(root).run(`set +e\n${methods}\ntrue`);
  expect((await guides.onVault("GET", "auth/jwt-github/config")).json.data).toMatchObject({ bound_issuer: theirs.bound_issuer });
  expect((await guides.onVault("GET", "auth/jwt-github/role/steward")).status).toBe(404);
});

guides.test("docs/guides/drift.md", {}, async (reader) => {
  await deploy(reader, 'new secrets.SchedulerRole("web", { name: "web", policies: ["deploy"] });');
  const refresh = reader.take("sh");
  const job = reader.take("sh");

  await reader.run(refresh, { code: none });
  await reader.run(job, { code: none });
  await guides.onVault("POST", "nomad/role/web", { policies: "stranger", type: "client" });
  expect(await reader.run(refresh, { code: drift })).toContain("no changes were expected for refresh but changes were proposed");
  expect(await reader.run(job, { code: drift })).toContain("Drift: see above. pulumi up --refresh reverts it");
  expect(await reader.run("pulumi up")).toMatch(/Resources:\s+2 unchanged/);
  expect(await guides.role("web")).toMatchObject({ policies: ["stranger"] });
  await reader.with({ VAULT_TOKEN: "wrong" }).run(refresh, { code: unasked });
  expect(await reader.run(job, { code: unasked })).toContain("Drift is unknown: the stack or a server could not be read.");

  reader.with({ VAULT_TOKEN: guides.vault.token });
  expect(await reader.says("pulumi preview --refresh --diff")).toContain('"stranger" => "deploy"');
  await reader.says("pulumi refresh --yes");
  await reader.run(refresh, { code: none });
  await reader.says("pulumi preview --expect-no-changes", { code: drift });
  await reader.says("pulumi up --refresh");
  expect(await guides.role("web")).toMatchObject({ policies: ["deploy"] });
});

guides.test("docs/guides/rename.md", {}, async (reader) => {
  await deploy(reader, 'new secrets.SchedulerRole("web", { name: "web", policies: ["deploy"] });');
  reader.program(imports);
  await reader.run("pulumi up --expect-no-changes");
  await reader.run("pulumi destroy");

  await deploy(reader, 'new secrets.SchedulerRoles("rest", { roles: { team: { policies: ["deploy"] }, web: { policies: ["deploy"] } } });');
  reader.program(imports);
  await reader.run("pulumi up");
  expect(await guides.role("team")).toMatchObject({ policies: ["deploy"] });
  await reader.run("pulumi up --refresh --expect-no-changes");
  await reader.run("pulumi destroy");
  expect(await guides.role("team")).toBeUndefined();
});

guides.test("docs/guides/native-plugin.md", { own: { "name: operations": "name: story" } }, async (reader) => {
  reader.with({ VAULT_TOKEN_OSLO: guides.sandbox.secrets.token });
  const declaration = 'new secrets.SchedulerRole("deploy", { name: "deploy", policies: ["read"] });';
  await deploy(reader, declaration);
  reader.write("Pulumi.yaml", reader.take("yaml"));
  expect(await reader.shell()).toMatch(/Resources:\s+2 unchanged/);
  await reader.run("pulumi refresh");
  expect(await reader.shell()).toMatch(/Resources:\s+~ 1 updated\s+1 unchanged/);
  await reader.run("pulumi config set steward:native true");

  await guides.onVault("POST", "nomad/role/web", { policies: "found" });
  const { generating } = await getHosts();
  const printed = await reader.run(`PATH=${[...generating, "$PATH"].join(delimiter)}\n${reader.take("sh")}`);
  expect(printed).toContain("new steward.secrets.SchedulerRole");
  const found = 'new secrets.SchedulerRole("web", { name: "web", policies: ["found"] }, { protect: true });';
  reader.write("index.ts", `${imports}${declaration}${found}`);
  await reader.run("pulumi up --expect-no-changes");
  reader.program("", `${declaration}${found}`);
  await reader.run("pulumi up");
  expect((await call(guides.sandbox.secrets, "GET", "/v1/nomad/config/lease")).json.data).toMatchObject({ ttl: 1800 });
});
