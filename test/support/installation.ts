import { ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { cached } from "../../tools/cache";
import { cleanEnvironment } from "../../tools/environment";
import { npm, pack } from "../../tools/npm";
import { getPulumi } from "../../tools/pulumi";
import { temporaryFolder } from "./cleanup";
import { Project } from "./project";

export const { dependencies, devDependencies, engines, peerDependencies } = JSON.parse(
  readFileSync(join(__dirname, "../../package.json"), "utf8"),
);

/** Packs the two packages for the tests of a suite. */
export function packed(): () => Awaited<ReturnType<typeof pack>> {
  const folder = temporaryFolder();
  let tarballs: Awaited<ReturnType<typeof pack>>;
  beforeAll(async () => {
    tarballs = await pack(folder);
  });
  return () => tarballs;
}

/** Installs the packed package for the tests of a suite, which link its folder of modules. */
export function installed(): () => string {
  const tarballs = packed();
  const folder = temporaryFolder();
  beforeAll(() => npm(["install", "--ignore-scripts", "--prefer-offline", tarballs().provider, "@pulumi/pulumi"], { cwd: folder }));
  return () => join(folder, "node_modules");
}

const token = "a-management-token";
const resources = `
const access = new secrets.SchedulerAccess("access", { address: "https://nomad.example.com:4646", token: pulumi.secret("${token}") });
const web = new secrets.SchedulerRole("web", { name: "web", policies: ["deploy"] }, { dependsOn: access });
const limits = new platform.GeneralSettings("limits", { apiRateLimit: 99 });
const running = scheduler.filter("Status").equals("running");`;

/** The configuration of `pulumi new typescript`. */
export const tsconfig = {
  compilerOptions: {
    strict: true,
    outDir: "bin",
    target: "es2020",
    module: "commonjs",
    moduleResolution: "node",
    sourceMap: true,
    experimentalDecorators: true,
    pretty: true,
    noFallthroughCasesInSwitch: true,
    noImplicitReturns: true,
    forceConsistentCasingInFileNames: true,
  },
  files: ["index.ts"],
};

const typescript = `
import * as pulumi from "@pulumi/pulumi";
import { platform, scheduler, secrets, StewardError } from "pulumi-steward";
import { Fault } from "pulumi-steward/sandbox";
${resources}
const code: StewardError["code"] = "ERR_INVALID_INPUT";
const system: Fault["system"] = "secrets";
export const policies: pulumi.Output<string[]> = web.policies;
export const found = [limits.apiRateLimit, String(running), code, system];
export const compiler = Object.keys(require.cache).filter((file) => file.endsWith("/typescript.js"));`;

export const programs = {
  CommonJS: {
    "package.json": '{ "name": "story", "main": "index.js" }',
    "index.js": `
const pulumi = require("@pulumi/pulumi");
const { platform, scheduler, secrets, StewardError } = require("pulumi-steward");
const { start } = require("pulumi-steward/sandbox");
${resources}
exports.policies = web.policies;
exports.found = [limits.apiRateLimit, String(running), StewardError.name, start.name];`,
  },
  ESM: {
    "package.json": '{ "name": "story", "main": "index.js", "type": "module" }',
    "index.js": `
import * as pulumi from "@pulumi/pulumi";
import { platform, scheduler, secrets, StewardError } from "pulumi-steward";
import { start } from "pulumi-steward-sandbox";
${resources}
export const policies = web.policies;
export const found = [limits.apiRateLimit, String(running), StewardError.name, start.name];`,
  },
  TypeScript: {
    "package.json": '{ "name": "story", "main": "index.ts" }',
    "tsconfig.json": JSON.stringify(tsconfig),
    "index.ts": typescript,
  },
};

export const lowest = (range: string): string => range.replace(/^(>=|\^|~)/, "");

/** Installs another version of Node, which npm offers as a package. Returns the folder of `node`, to prepend to PATH. */
async function getNode(version: string): Promise<string> {
  const folder = await cached(`node-${version}-${process.platform}-${process.arch}`, (target) =>
    npm(["install", "--ignore-scripts", "--prefix", target, `node-${process.platform}-${process.arch}@${version}`]),
  );
  return join(folder, "node_modules", ".bin");
}

export interface Installation {
  project: Project;
  role(method: string, body?: object): Promise<Response>;
}

/**
 * Creates a project with the packed packages, others and a running sandbox for the tests of a suite. Without `node`, it uses the current Node.
 */
export function install(tarballs: ReturnType<typeof packed>, sdk: string, node?: string, ...others: string[]): () => Installation {
  let installation: Installation;
  let sandbox: ChildProcessByStdio<Writable, Readable, null>;

  beforeAll(async () => {
    const folder = node ? await getNode(node) : dirname(process.execPath);
    const PATH = [folder, ...(await getPulumi()).bin, process.env.PATH].join(delimiter);
    // Here, Node starts as it does for a user.
    const project = new Project({ PATH, NODE_OPTIONS: "" });
    await project.install(
      ...Object.values(tarballs()),
      `@pulumi/pulumi@${sdk}`,
      `@types/node@${devDependencies["@types/node"]}`,
      ...others,
    );

    const supervisor = join(__dirname, "../../tools/supervise.js");
    const command = join(project.folder, "program/node_modules/.bin/pulumi-steward");
    const env = { ...cleanEnvironment(), PATH };
    sandbox = spawn(process.execPath, [supervisor, project.folder, command, "sandbox"], { env, stdio: ["pipe", "pipe", "inherit"] });
    const { SECRETS_ADDR = "", SECRETS_TOKEN = "", PLATFORM_ADDR = "", PLATFORM_TOKEN = "" } = await printed(sandbox.stdout);
    // Set in the configuration, since not every SDK passes variables to the provider.
    project.with({ FIRST_TOKEN: SECRETS_TOKEN, SECOND_TOKEN: PLATFORM_TOKEN }).config({
      "steward:default": {
        secrets: { address: SECRETS_ADDR, tokenEnv: "FIRST_TOKEN", dialect: "standard" },
        platform: { address: PLATFORM_ADDR, tokenEnv: "SECOND_TOKEN", dialect: "standard" },
      },
    });
    const headers = { "X-Secrets-Token": SECRETS_TOKEN };
    const role: Installation["role"] = (method, body) =>
      fetch(`${SECRETS_ADDR}/v1/scheduler/role/web`, { method, headers, body: body && JSON.stringify(body) });
    installation = { project, role };
  });
  // The supervisor removes the project's folder.
  afterAll(async () => {
    const ended = new Promise((done) => sandbox.on("close", done));
    sandbox.stdin.end();
    await ended;
  });
  return () => installation;
}

/** Deploys the current program at Pulumi's highest log level without traces, and expects no secret in plaintext in the output and in Pulumi's own logs. */
export async function upWithoutSecrets(project: Project): Promise<void> {
  const { output } = await project.up("--json", "--debug", "-v=8", "--logtostderr");
  expect(output).toContain("RegisterResource RPC finished: resource:access");
  expect(output.split("\n").filter((line) => line.includes(token))).toEqual([]);
  // Pulumi's own log of this run contains the token, encrypted.
  const logs = project.logs();
  expect(logs.at(-1)).toMatchObject({ encrypted: true });
  expect(logs.filter(({ text }) => text.includes(token))).toEqual([]);
}

/** Tests the installed package, with the same promises for each Node and SDK. */
export function testInstallation(current: () => Installation): void {
  test("node_modules holds a copy of the package, and no TypeScript besides Pulumi's", () => {
    const modules = join(current().project.folder, "program/node_modules");
    expect(lstatSync(join(modules, "pulumi-steward")).isSymbolicLink()).toBe(false);
    expect(existsSync(join(modules, "typescript"))).toBe(false);
  });

  test.each(Object.entries(programs))(
    "a program in %s deploys without a secret in the output, and refresh and a second up change nothing",
    async (language, files) => {
      const { project } = current();
      await upWithoutSecrets(project.files(files));
      const { policies, found, compiler } = await project.outputs();
      expect(policies).toEqual(["deploy"]);
      expect(found).toEqual([99, 'Status == "running"', expect.any(String), expect.any(String)]);
      expect(compiler).toEqual(language === "TypeScript" ? [expect.stringContaining("typescript@3.8.3")] : undefined);
      await project.calm();
    },
  );

  test("an error of a function is one line, as one of Pulumi's own", async () => {
    const program = `const { secrets } = require("pulumi-steward");
exports.roles = secrets.listSchedulerRoles({ connection: "missing" });`;
    const { code, output } = await current()
      .project.files({ ...programs.CommonJS, "index.js": program })
      .pulumi("preview");
    expect(code).not.toBe(0);
    expect(output).toMatch(/list roles: .*"missing"/);
    expect(output).not.toMatch(/^\s+at /m);
  });

  test("refresh reports drift, preview plans to revert it, and destroy removes the role", async () => {
    const { project, role } = current();
    project.files(programs.CommonJS);
    expect((await role("POST", { policies: ["administrator"] })).status).toBe(204);
    expect((await project.refresh()).changes).toContain('~ [0]: "deploy" => "administrator"');
    expect((await project.preview()).changes).toContain('~ [0]: "administrator" => "deploy"');
    await project.destroy();
    expect((await role("GET")).status).toBe(404);
  });
}

/** The variables that a sandbox prints. The fifth share is the last of them. */
async function printed(lines: Readable): Promise<Record<string, string>> {
  const variables: Record<string, string> = {};
  for await (const line of createInterface(lines)) {
    const [, name = "", value = ""] = /^export (\w+)=(.*)$/.exec(line) ?? [];
    variables[name] = value;
    if (name === "SHARE_5") break;
  }
  return variables;
}
