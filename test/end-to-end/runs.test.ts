import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cleanEnvironment } from "../../tools/environment";
import { npm } from "../../tools/npm";
import { everythingPer } from "../support/everything";
import { exitCodes, nightly, readPage } from "../support/pages";
import { Project } from "../support/project";
import { until } from "../support/until";

// Other ways in which Pulumi runs a program. The tests share one stack: each starts from the state that the previous one left.

const everything = everythingPer("suite", (variables) => new Project(variables));
const policies = (role: string): Promise<unknown> => everything().policies(role);

/** Writes a file in the project's folder, outside its program. */
function write(project: Project, name: string, text: string, mode?: number): string {
  const file = join(project.folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode });
  return file;
}

test("a policy pack rejects and remediates resources before any write, and shows no secret", async () => {
  const { project, sandbox } = everything();
  // With its own runtime name, Pulumi loads an analyzer plugin instead of the language host, which may not support policy packs.
  write(project, "policy/PulumiPolicy.yaml", "runtime: here\nmain: index.js\n");
  write(project, "policy/package.json", '{ "name": "policy", "version": "1.0.0", "main": "index.js" }');
  write(project, "policy/index.js", policyPack);
  write(project, "bin/pulumi-analyzer-policy-here", analyzer, 0o755);
  const sdk = dirname(require.resolve("@pulumi/pulumi/package.json"));
  await npm(["install", "--ignore-scripts", "--prefer-offline", "@pulumi/policy@1.21.0", `@pulumi/pulumi@file:${sdk}`], {
    cwd: join(project.folder, "policy"),
    env: cleanEnvironment(),
  });
  const pack = ["--policy-pack", join(project.folder, "policy")];
  const source = (type: string, reason: string): string => `
    new secrets.SchedulerRole("role", { name: "role", type: "${type}", policies: ${type === "client" ? '["one"]' : "[]"} });
    new secrets.SchedulerAccess("access", { address: "http://nomad:4646", token: "canary-token" });
    new platform.ModuleVersionDeprecation("version", { organizationName: "acme", moduleName: "network", moduleProvider: "aws",
      moduleVersion: "1.0.0", reason: "${reason}" });`;
  const written = (): number => sandbox.requests().filter(({ method }) => method !== "GET").length;
  const before = written();
  const refused = await project.program(source("management", "Older.")).pulumi("up", "--yes", ...pack);
  expect(refused.output).toContain("A management token may do everything.");
  expect([refused.code === 0, written() - before, refused.output.includes("canary-token")]).toEqual([false, 0, false]);

  // A remediation is written, and later runs keep it.
  const { output } = await project.program(source("client", "Old.")).up(...pack);
  expect(output).toContain("3 resources of this package, 1 role, 0 hidden outputs");
  expect(output).not.toContain("canary-token");
  expect(await everything().reason("1.0.0")).toBe("Old. Use 2.0.0.");
  await project.preview("--refresh", "--expect-no-changes", ...pack);
  expect(project.stored()).not.toContain("canary-token");
});

test("pulumi watch applies each saved change, and each of its runs is independent", async () => {
  const { project } = everything();
  // Pulumi's releases contain pulumi-watch; a build from source does not.
  write(project, "bin/pulumi-watch", watcher, 0o755);
  const role = (name: string, policy: string): string =>
    `new secrets.SchedulerRole("${name}", { name: "role", policies: ["${policy}"], adopt: true });`;
  project.program(role("role", "one"));
  const child = await project.launch("watch", "--path", "index.js");
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data) => {
      output += data;
    });
  const closed = new Promise((done) => child.on("close", done));
  const shows = (text: RegExp, times: number): Promise<void> =>
    until(`pulumi prints ${text} ${times} times`, () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${output}`);
      return (output.match(new RegExp(text, "g")) ?? []).length >= times;
    });
  try {
    await shows(/Update (complete|failed)/, 1);
    expect([await policies("role"), output.includes("Update failed")]).toEqual([["one"], false]);
    project.program(role("role", "two"));
    await shows(/Update (complete|failed)/, 2);
    expect([await policies("role"), output.includes("Update failed")]).toEqual([["two"], false]);
    project.program(role("renamed", "three"));
    await shows(/Update (complete|failed)/, 3);
    expect([await policies("role"), output.includes("Update failed")]).toEqual([["three"], false]);
  } finally {
    child.kill("SIGINT");
    await closed;
  }
  await project.calm();
});

test("after the nightly check, up leaves drift, and the command that docs/guides/drift.md prints reverts it", async () => {
  const { project, target, mount } = everything();
  const night = async (): Promise<number> => (await project.pulumi(...nightly("docs/getting-started/vault.md"))).code;
  const change = () => target.outOfBand("POST", `${mount}/role/role`, { policies: "theirs" });
  await change();
  expect(await night()).toBe(exitCodes.drift);
  expect((await project.up()).output).toMatch(/Resources:\s+\d+ unchanged/);
  expect([await policies("role"), await night()]).toEqual([["theirs"], exitCodes.drift]);
  const [, advice = ""] = /echo "Drift: see above\. pulumi (.+) reverts it/.exec(readPage("docs/guides/drift.md")) ?? [];
  await project.pulumi(...advice.split(" "), "--yes", "--skip-preview");
  expect([await policies("role"), await night()]).toEqual([["three"], exitCodes.none]);

  // A saved refresh accepts nothing, and a declaration does.
  await change();
  await project.refresh();
  expect([await policies("role"), await night()]).toEqual([["theirs"], exitCodes.none]);
  await project.up();
  expect(await policies("role")).toEqual(["three"]);
  await change();
  project.program('new secrets.SchedulerRole("renamed", { name: "role", policies: ["theirs"] });');
  expect(await everything().writes(() => project.pulumi(...advice.split(" "), "--yes", "--skip-preview"))).toEqual([]);
  expect([await policies("role"), await night()]).toEqual([["theirs"], exitCodes.none]);
});

test.each(["refresh", "destroy"])(
  "%s prints the error of a resource without a stack, and once among the diagnostics",
  async (operation) => {
    const { project, sandbox } = everything();
    sandbox.faults.add({ system: "secrets", path: /role/, action: "respond", status: 400, body: '{"errors":["not today"]}' });
    const { code, output } = await project.pulumi(operation, "--yes", "--skip-preview");
    const [verb, method] = operation === "refresh" ? ["read", "GET"] : ["delete", "DELETE"];
    const request = sandbox.requests().at(-1);
    expect(request?.method).toBe(method);
    const diagnostics = output.slice(output.indexOf("Diagnostics:"), output.indexOf("Resources:"));
    expect(code).not.toBe(0);
    // Pulumi orders the resources by the time of their failure.
    expect(diagnostics.trim().split(/\n\s*/).sort()).toEqual([
      "Diagnostics:",
      `error: Cannot ${verb} Nomad role "role": not today (${method} ${request?.path}, 400).`,
      "error: update failed",
      "pulumi-nodejs:dynamic/steward/secrets:SchedulerRole (renamed):",
      "pulumi:pulumi:Stack (story-dev):",
    ]);
  },
);

// test/provider/program/duplicates.test.ts has a copy with the SDK of the program.
test("a component with a copy of the package and an SDK of its own cannot declare an object of the program", async () => {
  const { project, sandbox } = everything();
  const component = join(project.folder, "program/component");
  for (const name of ["pulumi-steward", "@pulumi/pulumi"]) {
    const from = dirname(require.resolve(`${name}/package.json`));
    for (const part of name === "pulumi-steward" ? ["package.json", "dist"] : [""])
      cpSync(join(from, part), join(component, "node_modules", name, part), { recursive: true });
  }
  const role = (name: string): string => `new secrets.SchedulerRole("${name}", { name: "shared", policies: ["${name}"], adopt: true });`;
  write(project, "program/component/index.js", `const { secrets } = require("pulumi-steward");\n${role("component")}`);
  const before = sandbox.requests().length;
  const { code, output } = await project.program(`${role("program")}\nrequire("./component");`).pulumi("preview");
  expect(output).toMatch(
    /Cannot declare secrets\.SchedulerRole "component": the resource "program" of this program declares the same object/,
  );
  expect([code === 0, sandbox.requests().length - before]).toEqual([false, 0]);
  rmSync(component, { recursive: true });
});

test("the Automation API runs a program several times, and for two stacks at once, in one process", async () => {
  const { project } = everything();
  await project.program(oneOfEach).up();
  writeFileSync(join(project.folder, "program/automation.js"), automation);
  let ended = { code: 1, output: "" };
  const writes = await everything().writes(async () => {
    ended = await project.node("automation.js");
  });
  // A refresh of a token is a write, too.
  expect(writes.filter((write) => !write.endsWith("/lookup"))).toEqual([]);
  const { code, output } = ended;
  expect(output).toMatch(/^preview same: 9, up same: 9, up again same: 9, refresh same: 9, both create: 9 and same: 9$/m);
  // Resources use the workspace's variables, and functions those of this process.
  expect(output).toMatch(/^functions: Cannot list .* STEWARD_TOKEN, which is not set/m);
  expect(code).toBe(0);
});

/** One resource of each type with an object on a server. */
const oneOfEach = `
  const { STEWARD_SCHEDULER: address, STEWARD_SCHEDULER_TOKEN: token } = process.env;
  const access = new secrets.SchedulerAccess("access", { address, token });
  const role = new secrets.SchedulerRole("web", { name: "web", policies: ["readonly"] });
  new secrets.SchedulerLease("lease", { ttl: "1h", maxTtl: "24h" });
  new secrets.SchedulerRoles("set", { roles: { a: { policies: ["one", "two"] }, b: { policies: ["two"] } } });
  new secrets.SchedulerToken("token", { role: role.name }, { dependsOn: access });
  new platform.GeneralSettings("general", { apiRateLimit: 100 });
  new platform.AdminWorkspace("workspace", { workspaceId: "ws-acmeNetworkTest", destroyOnDelete: true });
  new platform.ModuleVersionDeprecation("deprecation", { organizationName: "acme", moduleName: "network", moduleProvider: "aws",
    moduleVersion: "1.0.0", reason: "Old." });`;

const policyPack = `
  const { PolicyPack } = require("@pulumi/policy");
  const of = (type, name) => type === "pulumi-nodejs:dynamic/steward/" + name;
  new PolicyPack("house-rules", { policies: [
    { name: "no-management-roles", description: "Roles are of type client.", enforcementLevel: "mandatory",
      validateResource: ({ type, props }, report) => {
        if (of(type, "secrets:SchedulerRole") && props.type === "management") report("A management token may do everything.");
      } },
    { name: "reasons", description: "A deprecation says what to use.", enforcementLevel: "remediate",
      remediateResource: ({ type, props }) => {
        if (of(type, "platform:ModuleVersionDeprecation") && props.reason === "Old.") return { ...props, reason: "Old. Use 2.0.0." };
      } },
    { name: "count", description: "What it sees.", enforcementLevel: "advisory",
      validateStack: ({ resources }, report) => {
        const ours = resources.filter(({ type }) => type.startsWith("pulumi-nodejs:dynamic/steward/"));
        const roles = ours.filter(({ type, props }) => of(type, "secrets:SchedulerRole") && props.policies[0] === "one");
        const hidden = ours.flatMap(({ props }) => Object.keys(props)).filter((name) => name.startsWith("__"));
        report(ours.length + " resources of this package, " + roles.length + " role, " + hidden.length + " hidden outputs");
      } },
  ] });`;

/** Runs the policy pack in the current folder. */
const analyzer = `#!/usr/bin/env node
process.argv.splice(1, 1, require.resolve("@pulumi/pulumi/cmd/run-policy-pack", { paths: [process.cwd()] }));
require(process.argv[1]);
`;

/** Prints a line at the start and for each change of the watched file. */
const watcher = `#!/usr/bin/env node
const fs = require("node:fs");
const path = require("node:path");
const file = process.argv[process.argv.indexOf("--watch") + 1];
let last;
const look = () => {
  const text = fs.readFileSync(file, "utf8");
  // A complete write ends with a newline.
  if (text.endsWith("\\n") && text !== last) console.log(file);
  last = text;
};
fs.watch(path.dirname(file), look);
look();
`;

/** Runs the program several times in one process with the Automation API, and counts the changes to its resources. */
const automation = `
  const { LocalWorkspace, PulumiCommand } = require("@pulumi/pulumi/automation");
  const { secrets } = require("pulumi-steward");
  const { STEWARD_TOKEN } = process.env;
  delete process.env.STEWARD_TOKEN;
  // A service manager starts a process in the root folder.
  process.chdir("/");
  const functions = new Set();
  const program = async () => {
    delete require.cache[require.resolve("./index.js")];
    require("./index.js");
    functions.add(await secrets.listSchedulerRoles().then(() => "succeed", ({ message }) => message));
  };
  (async () => {
    const pulumiCommand = await PulumiCommand.get();
    const of = (stackName) => [{ stackName, projectName: "story", program }, { workDir: __dirname, pulumiCommand, envVars: { STEWARD_TOKEN } }];
    const dev = await LocalWorkspace.selectStack(...of("dev"));
    const count = ({ changeSummary, summary }, kind) => (changeSummary ?? summary.resourceChanges)[kind] ?? 0;
    const previewed = await dev.preview();
    const first = await dev.up();
    const again = await dev.up();
    const refreshed = await dev.refresh();
    const other = await LocalWorkspace.createStack(...of("other"));
    await other.workspace.saveStackSettings("other", await dev.workspace.stackSettings("dev"));
    const both = await Promise.all([other.preview(), dev.preview()]);
    console.log("preview same: " + count(previewed, "same") + ", up same: " + count(first, "same") + ", up again same: " + count(again, "same")
      + ", refresh same: " + count(refreshed, "same") + ", both create: " + count(both[0], "create") + " and same: " + count(both[1], "same"));
    console.log("functions: " + [...functions].join());
  })().catch((error) => { console.log(error); process.exitCode = 1; });
`;
