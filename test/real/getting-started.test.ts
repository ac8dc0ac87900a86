import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Sandbox, start } from "../../sandbox/index";
import { startNomad, startVault } from "../../tools/servers";
import { call } from "../support/call";
import { packed, tsconfig } from "../support/installation";
import { exitCodes } from "../support/pages";
import { Reader } from "../support/reader";
import { jobOf } from "../support/scheduler";

// A reader of these pages starts with an empty folder and new servers.

const tarballs = packed();
const { drift, unasked, noStack } = exitCodes;
let templates: string;
let vault: Awaited<ReturnType<typeof startVault>>;
let nomad: Awaited<ReturnType<typeof startNomad>>;
let sandbox: Sandbox;
beforeAll(async () => {
  templates = makeTemplates();
  [vault, nomad, sandbox] = await Promise.all([startVault(), startNomad(), start({ dialect: "hashicorp" })]);
});
afterAll(async () => {
  await Promise.all([vault.stop(), nomad.stop(), sandbox.close()]);
  rmSync(templates, { recursive: true });
});

let reader: Reader;
afterEach(() => reader.remove());
function follow(page: string, own: Record<string, string>): void {
  reader = new Reader(page, { "npm install pulumi-steward": `npm install ${tarballs().provider}`, ...own });
  reader.with({ PULUMI_TEMPLATE_GIT_REPOSITORY: templates, PULUMI_TEMPLATE_BRANCH: "main", PULUMI_DISABLE_REGISTRY_RESOLVE: "true" });
}

const onVault = (method: string, path: string, body?: object): ReturnType<typeof call> =>
  call({ url: vault.address, token: vault.token }, method, `/v1/${path}`, body);

test("docs/getting-started/vault.md", async () => {
  await onVault("POST", "nomad/config/access", { address: "http://127.0.0.1:1", token: "theirs" });
  await onVault("POST", "nomad/role/web", { policies: "theirs", type: "client" });
  follow("docs/getting-started/vault.md", {
    "https://vault.example.com:8200": vault.address,
    "https://nomad.example.com:4646": nomad.address,
  });

  reader.save("hcl", "steward.hcl");
  reader.save("hcl", "steward-nightly.hcl");
  const tokens = await reader.with({ VAULT_ADDR: vault.address, VAULT_TOKEN: vault.token }).shell();
  const [ours = "", nightly = ""] = [...tokens.matchAll(/^token +(\S+)$/gm)].map(([, token = ""]) => token);
  // The configuration contains the address from here on.
  await reader.with({ VAULT_ADDR: "", VAULT_TOKEN: ours }).shell();

  reader.program();
  await reader.says("pulumi up");
  const found = JSON.parse(await reader.says("pulumi stack output found --json"));
  expect(found).toMatchObject({ roles: { web: { policies: ["theirs"], type: "client" } }, address: "http://127.0.0.1:1" });
  await reader.says("pulumi destroy");

  reader.program();
  expect(await reader.shell({ input: nomad.token })).toContain('policies: ["theirs"] -> ["deploy","read-logs"]');
  expect((await onVault("GET", "nomad/creds/operator")).json.data.secret_id).toMatch(/^[0-9a-f-]{36}$/);

  const [install = "", refresh = ""] = reader.pipeline();
  await reader.run(install);
  await reader.with({ VAULT_TOKEN: nightly }).run(refresh);
  await onVault("POST", "nomad/role/web", { policies: "stranger", type: "client" });
  expect(await reader.run(refresh, { code: drift })).toContain('"deploy" => "stranger"');
  expect(await reader.run("pulumi up --refresh", { code: 1 })).toContain("403");
  await reader.with({ VAULT_TOKEN: "wrong" }).run(refresh, { code: unasked });
  await reader.run(refresh.replace("prod", "none"), { code: noStack });
  await reader.with({ VAULT_TOKEN: ours }).run("pulumi up --refresh");
  await reader.with({ VAULT_TOKEN: nightly }).run(refresh);
  reader.finish();
});

test("docs/getting-started/nomad.md", async () => {
  const onNomad = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${nomad.address}/v1/${path}`, { method, headers: { "X-Nomad-Token": nomad.token }, body: body && JSON.stringify(body) });
  expect((await onNomad("PUT", "namespace/apps", { Name: "apps" })).status).toBe(200);
  follow("docs/getting-started/nomad.md", { "https://nomad.example.com:4646": nomad.address });

  reader.save("hcl", "report.nomad.hcl");
  reader.save("hcl", "deploy.nomad.hcl");
  const secret = (output: string): string => /^Secret ID += (\S+)$/m.exec(output)?.[1] ?? "";
  const report = secret(await reader.with({ NOMAD_ADDR: nomad.address, NOMAD_TOKEN: nomad.token }).shell());
  const deploy = secret(await reader.run("nomad acl token create -policy=steward-deploy"));
  await reader.with({ NOMAD_ADDR: "", NOMAD_TOKEN: report }).shell();

  reader.program();
  await reader.says("pulumi up");
  expect(JSON.parse(await reader.run("pulumi stack output --json"))).toMatchObject({ running: [], notRunning: [] });
  await reader.says("pulumi config set strict true");
  const [install = "", refresh = ""] = reader.pipeline();
  await reader.run(install);
  await reader.run(refresh);
  await onNomad("PUT", "jobs", { Job: jobOf("late", { Datacenters: ["none"] }) });
  const red = await reader.run(refresh, { code: unasked });
  expect(red).toContain("These services should run: default/late.");
  await onNomad("DELETE", "job/late?purge=true");
  await reader.run(refresh);

  reader.program();
  reader.write("web.nomad.hcl", jobFile);
  const [, command = ""] = /\/\/ (nomad job run .*)$/m.exec(reader.read("index.ts")) ?? [];
  await reader.with({ NOMAD_ADDR: nomad.address, NOMAD_TOKEN: deploy }).run(command);
  reader.with({ NOMAD_ADDR: "" });
  expect(await reader.run("pulumi preview")).toContain('job "web" is not registered in a preview');
  expect((await onNomad("GET", "job/web?namespace=apps")).status).toBe(404);
  await reader.says("pulumi up");
  expect(await reader.run("pulumi stack output deployed")).toBe("successful\n");
  reader.finish();
});

test("docs/getting-started/terraform-enterprise.md", async () => {
  follow("docs/getting-started/terraform-enterprise.md", { "https://tfe.example.com": sandbox.platform.url });
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
  await reader.shell({ input: "a-password" });
  expect(writes().sort()).toEqual(["customization", "general", "smtp"].map((name) => `PATCH /api/v2/admin/${name}-settings`));

  const [install = "", refresh = ""] = reader.pipeline();
  await reader.run(install);
  await reader.run(refresh);
  await call(sandbox.platform, "PATCH", "/api/v2/admin/general-settings", { data: { attributes: { "api-rate-limit": 50 } } });
  expect(await reader.run(refresh, { code: drift })).toContain("100 => 50");
  reader.finish();
});

const jobFile = `
job "web" {
  namespace = "apps"
  datacenters = ["dc1"]
  group "web" {
    update {
      min_healthy_time = "0s"
      healthy_deadline = "1m"
    }
    task "web" {
      driver = "mock_driver"
      config {
        run_for = "1h"
      }
      resources {
        cpu = 10
        memory = 10
      }
    }
  }
}`;

/** A repository with the template that `pulumi new typescript` reads from Pulumi's repository. */
function makeTemplates(): string {
  const folder = mkdtempSync(join(tmpdir(), "steward-templates-"));
  // Pulumi replaces these placeholders.
  const [name, description] = ["PROJECT", "DESCRIPTION"].map((variable) => `$\{${variable}}`);
  const files = {
    "Pulumi.yaml": JSON.stringify({
      name,
      description,
      runtime: { name: "nodejs", options: { packagemanager: "npm" } },
      template: { description: "A minimal TypeScript program" },
    }),
    "package.json": JSON.stringify({
      name,
      main: "index.ts",
      devDependencies: { "@types/node": "^20", typescript: "^5.0.0" },
      dependencies: { "@pulumi/pulumi": "^3.113.0" },
    }),
    "tsconfig.json": JSON.stringify(tsconfig),
    "index.ts": 'import * as pulumi from "@pulumi/pulumi";\n',
  };
  mkdirSync(join(folder, "typescript"));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, "typescript", file), text);
  const author = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
  for (const args of [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "."],
    [...author, "commit", "--quiet", "--message=Add a template"],
  ])
    execFileSync("git", args, { cwd: folder });
  return folder;
}
