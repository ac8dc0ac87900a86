import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { start } from "../../sandbox/index";
import { pulumiEnvironment } from "../../tools/environment";
import { getPulumi } from "../../tools/pulumi";
import { noteStart } from "../../tools/starts";
import { call } from "../support/call";
import { ended, Project } from "../support/project";

// A running installation becomes a program: `discover`, `pulumi import`, and an `up` that sends nothing.

const yaml = `name: story
runtime: nodejs
plugins:
  providers:
    - name: steward
      path: ${join(__dirname, "../../bin")}
`;

/** The command as a shell starts it, in the folder of a project. */
async function discover(project: Project, variables: Record<string, string>, ...options: string[]): ReturnType<typeof ended> {
  const cli = await getPulumi();
  const env = { ...pulumiEnvironment(project.folder, cli), PULUMI_STACK: "dev", ...variables };
  const file = join(__dirname, "../../dist/command/index.js");
  const cwd = join(project.folder, "program");
  noteStart();
  return ended(spawn(process.execPath, [file, "discover", ...options], { cwd, env, stdio: ["ignore", "pipe", "pipe"] }));
}

/** A program that declares the resources of a state, each with the inputs of its import and these more. */
async function declared(project: Project, more: Record<string, object>): Promise<string> {
  const resources = (await project.resources()).filter(({ urn }) => urn.includes("::steward:"));
  return resources
    .map(({ urn, inputs }) => {
      const [, , type = "", name = ""] = urn.split("::");
      return `new ${type.split(":").slice(1).join(".")}(${JSON.stringify(name)}, ${JSON.stringify({ ...inputs, ...more[name] })});`;
    })
    .join("\n");
}

test("discover and pulumi import take over an installation, and the first up sends what nobody could read alone", async () => {
  const sandbox = await start({ dialect: "hashicorp" });
  const { secrets, platform, scheduler } = sandbox;
  const project = new Project({ STEWARD_TOKEN: secrets.token, TFE_TOKEN: platform.token });
  const write = (path: string, body: object): ReturnType<typeof call> => call(secrets, "POST", `/v1/${path}`, body);
  await write("nomad/config/access", { address: scheduler.url, token: scheduler.token });
  await write("nomad/config/lease", { ttl: "1h", max_ttl: "2h" });
  for (const name of ["web", "web.1", "class"]) await write(`nomad/role/${name}`, { policies: "web,deploy", type: "client" });
  await write("sys/mounts/team/ops", { type: "nomad" });
  await write("team/ops/role/web", { type: "management", global: true });
  const attributes = { "api-rate-limiting-enabled": false };
  await call(platform, "PATCH", "/api/v2/admin/general-settings", { data: { attributes } });
  const deprecation = { "deprecated-status": "Deprecated", reason: "old", link: "https://example.com" };
  const version = "/api/v2/organizations/acme/registry-modules/private/acme/network/aws/1.0.0";
  await call(platform, "PATCH", version, { data: { type: "module-versions", attributes: { deprecation } } });
  const dialect = "hashicorp";
  project.files({ "Pulumi.yaml": yaml }).config({
    "steward:default": {
      secrets: { address: secrets.url, tokenEnv: "STEWARD_TOKEN", dialect },
      platform: { address: platform.url, tokenEnv: "TFE_TOKEN", dialect },
    },
  });
  /** The requests that an operation sends beside reads. */
  const writesOf = async (operation: () => Promise<unknown>): Promise<string[]> => {
    const before = sandbox.requests().length;
    await operation();
    const sent = sandbox.requests().slice(before);
    return sent.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);
  };
  try {
    await project.set("steward:native", "true");
    const found = await discover(project, { STEWARD_TOKEN: secrets.token, TFE_TOKEN: platform.token });
    expect(found).toMatchObject({ code: 0, output: expect.stringContaining("$ pulumi import --file import.json") });
    expect(found.output).toContain(`${secrets.url}  (steward:default of the stack)`);
    const { resources } = JSON.parse(readFileSync(join(project.folder, "program/import.json"), "utf8"));
    expect(resources).toHaveLength(13);

    const options = ["--yes", "--skip-preview", "--protect=false", "--generate-code=false"];
    const imports = await writesOf(async () => {
      const run = await project.pulumi("import", "--file", "import.json", ...options);
      expect([run.code, run.output]).toEqual([0, expect.stringContaining("13 imported")]);
    });
    expect(imports).toEqual([]);

    project.program(await declared(project, { "nomad-access": { token: scheduler.token } }));
    const first = await writesOf(async () => expect((await project.up()).output).toMatch(/1 updated\n.*13 unchanged/));
    expect(first).toEqual(["POST /v1/nomad/config/access"]);
    expect(await writesOf(() => project.calm())).toEqual([]);
  } finally {
    project.remove();
    await sandbox.close();
  }
});
