import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { Sandbox } from "../../sandbox/index";
import { call } from "../support/call";
import { compileAll } from "../support/compile";
import { ownName } from "../support/definitions";
import { discoverIn } from "../support/discovery";
import { Project } from "../support/project";
import { sentBy, startSandbox } from "../support/sandbox";

// Takes over an installation without the plugin: `discover` writes the state and the program.

const shown = "canary-cost-key";

describe.each(["standard", "hashicorp"] as const)("discover for dynamic resources, %s", (dialect) => {
  const isReal = dialect === "hashicorp";
  const mount = isReal ? "nomad" : "scheduler";
  const variable = `${mount.toUpperCase()}_MANAGEMENT_TOKEN`;
  const key = isReal ? "aws" : "cloud-a";
  let sandbox: Sandbox;
  let project: Project;

  const write = (path: string, body: object): ReturnType<typeof call> => call(sandbox.secrets, "POST", `/v1/${path}`, body);
  const settings = (page: string, attributes: object): Promise<unknown> =>
    call(sandbox.platform, "PATCH", `/api/v2/admin/${page}-settings`, { data: { attributes } });
  /** The values of these settings on the server. */
  const current = async (page: string): Promise<Record<string, unknown>> =>
    (await call(sandbox.platform, "GET", `/api/v2/admin/${page}-settings`)).json.data.attributes;
  const content = (name: string): string => readFileSync(join(project.folder, "program", name), "utf8");
  async function discovered(...options: string[]): ReturnType<typeof discoverIn> {
    const result = await discoverIn(project, "--module", "acme/network/aws", ...options);
    // Pulumi would compile the program again in each run.
    project.files({ "index.js": transformSync(content("index.ts"), { loader: "ts", format: "cjs" }).code });
    return result;
  }
  /** Imports the resources in the file. The language host that is built here cannot generate a program. */
  const imported = async (): Promise<string> => {
    const options = ["--yes", "--skip-preview", "--generate-code=false", "--protect"];
    return (await project.succeed("import", "--file", "import.json", ...options)).output;
  };

  beforeEach(async () => {
    sandbox = await startSandbox({ dialect });
    const { platform, scheduler, secrets } = sandbox;
    await write(`${mount}/config/access`, { address: scheduler.url, token: scheduler.token });
    await write(`${mount}/config/lease`, { ttl: "1h", max_ttl: "2h" });
    for (const name of ["web", "web.1", "class"]) await write(`${mount}/role/${name}`, { policies: "web,deploy", type: "client" });
    await write("sys/mounts/team/ops", { type: mount });
    await write("team/ops/role/web", { type: "management", global: true });
    const deprecation = { "deprecated-status": "Deprecated", reason: "old", link: "https://example.com" };
    const version = "/api/v2/organizations/acme/registry-modules/private/acme/network/aws/1.0.0";
    await call(platform, "PATCH", version, { data: { type: "module-versions", attributes: { deprecation } } });
    await settings("cost-estimation", { [`${key}-access-key-id`]: "AKIA", [`${key}-secret-key`]: shown });
    await settings("smtp", {
      ...{ enabled: true, host: "smtp.example.com", port: 587, sender: "platform@example.com" },
      ...{ auth: "login", username: "platform", password: "canary-smtp" },
    });
    const servers = {
      secrets: { address: secrets.url, tokenEnv: "STEWARD_TOKEN", dialect },
      platform: { address: platform.url, tokenEnv: "TFE_TOKEN", dialect },
    };
    project = new Project({ STEWARD_TOKEN: secrets.token, TFE_TOKEN: platform.token, [variable]: scheduler.token }).config({
      "steward:default": servers,
      "steward:second": servers,
    });
    // The stack exists from its first command.
    await project.succeed("stack");
  });

  test("import and up send only what no server shows, and destroy restores what was found", async () => {
    await settings("general", { "api-rate-limit": 77 });
    const before = await current("general");
    // Attributes that a program cannot declare stay as they are.
    const path = "/api/v2/admin/saml-settings";
    const { json } = await call(sandbox.platform, "GET", path);
    Object.assign(json.data.attributes, { "slo-endpoint-url": "http://idp.example.com", foo_bar: 1 });
    sandbox.faults.add({ system: "platform", method: "GET", path, action: "respond", status: 200, body: JSON.stringify(json), times: 99 });
    const { output, resources } = await discovered("--workspaces");
    // Only products have engines as resources.
    const count = isReal ? 19 : 17;
    expect(resources).toHaveLength(count);
    expect(output).toContain(`${variable}: token of ${mount}-access\n  SMTP_PASSWORD: password of smtp`);
    expect(output).toContain("  cloudASecretKey of cost-estimation\n");
    expect(output).toContain("$ pulumi import --file import.json --generate-code=false --yes\n  $ pulumi up\n");
    for (const name of ["import.json", "index.ts"]) {
      expect(statSync(join(project.folder, "program", name)).mode & 0o777).toBe(0o600);
      expect(content(name)).not.toContain("canary");
    }
    expect(compileAll({ "program.ts": content("index.ts") }).errors).toEqual([]);
    expect(content("index.ts")).toContain('cloudASecretKey: { env: "COST_ESTIMATION_CLOUD_A_SECRET_KEY" }');

    project.with({ SMTP_PASSWORD: "canary-smtp" });
    const { run: report, sent } = await sentBy(sandbox, imported);
    expect(sent).toEqual([]);
    expect(report).not.toMatch(/failed to validate|bug in the provider|warning/);
    expect(report).toContain(`${count} imported`);
    expect(report).not.toMatch(ownName);
    await project.refresh("--expect-no-changes");
    await settings("general", { "api-rate-limit": 99 });
    expect((await project.refresh()).changes).toContain("~ apiRateLimit: 77 => 99");
    const first = await sentBy(sandbox, () => project.up());
    expect(first.run.output).toMatch(new RegExp(`3 updated\\n\\s+${count - 2} unchanged`));
    expect(first.sent.filter((request) => !/openapi$/.test(request)).sort()).toEqual([
      // The first update manages the attributes.
      "GET /api/v2/admin/general-settings",
      "GET /api/v2/admin/smtp-settings",
      "PATCH /api/v2/admin/general-settings",
      "PATCH /api/v2/admin/smtp-settings",
      `POST /v1/${mount}/config/access`,
    ]);
    expect(await sentBy(sandbox, () => project.up("--expect-no-changes"))).toMatchObject({ sent: [] });
    await project.calm();
    await settings("general", { "api-rate-limit": 55 });
    await project.up("--refresh");
    expect(await current("general")).toEqual(before);
    const protectedRun = await project.pulumi("destroy", "--yes", "--skip-preview");
    expect(protectedRun.output).toMatch(/protected/);
    await project.pulumi("state", "unprotect", "--all", "--yes");
    await project.destroy();
    expect(await current("general")).toEqual(before);
  });

  // The dialects differ only in what they name, which the life above shows.
  if (!isReal) return;

  test("a secret that appears before the first up is encrypted", async () => {
    await settings("cost-estimation", { [`${key}-secret-key`]: "" });
    await discovered("--connection", "second");
    expect(content("index.ts")).toContain('connection: "second"');
    await imported();
    await settings("cost-estimation", { [`${key}-secret-key`]: shown });
    const { output } = await project.refresh();
    const state = await project.resources();
    expect(JSON.stringify(state)).toContain(shown);
    expect(project.stored() + output + content("import.json") + content("index.ts")).not.toContain("canary");
  });

  test("--secrets writes them encrypted, and up sends nothing for them", async () => {
    project.with({ SMTP_PASSWORD: "canary-smtp" });
    const { output } = await discovered("--secrets", "--as-set");
    expect(output).toContain("  cloudASecretKey of cost-estimation: costEstimationCloudASecretKey\n");
    expect(content("index.ts")).toContain('cloudASecretKey: config.requireSecret("costEstimationCloudASecretKey")');
    expect(content("index.ts")).toContain("new secrets.SchedulerRoles(");
    expect(compileAll({ "program.ts": content("index.ts") }).errors).toEqual([]);
    const report = await imported();
    const first = await sentBy(sandbox, () => project.up());
    expect(first.run.output).toMatch(/2 updated\n/);
    expect(first.sent.filter((request) => /cost/.test(request))).toEqual([]);
    await project.calm();
    expect(JSON.stringify(await project.resources())).toContain(shown);
    for (const text of [output, report, content("import.json"), content("index.ts"), content("Pulumi.dev.yaml"), project.stored()])
      expect(text).not.toContain("canary");
    // The key is managed now, so destroying it restores the original value.
    await settings("cost-estimation", { [`${key}-secret-key`]: "other" });
    await project.up("--refresh");
    expect(await current("cost-estimation")).toMatchObject({ [`${key}-secret-key`]: shown });
  });
});
