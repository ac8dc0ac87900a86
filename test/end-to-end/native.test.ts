import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setAllConfig } from "@pulumi/pulumi/runtime/config";
import { parse } from "yaml";
import { secrets } from "../../provider";
import { call } from "../support/call";
import { nativeProject, Project } from "../support/project";
import { registered } from "../support/registered";
import { sentBy, startSandbox } from "../support/sandbox";

// A stack of a Node program switches from the dynamic provider to the native plugin and back.

const program = (policies: string): string => `
const access = new secrets.SchedulerAccess("access", { address: process.env.SCHEDULER, token: process.env.SCHEDULER_TOKEN });
const role = new secrets.SchedulerRole("web", { name: "web", policies: [${policies}] }, { dependsOn: access });
const token = new secrets.SchedulerToken("token", { role: role.name });
new platform.GeneralSettings("general", { apiRateLimit: 100 });
new platform.SmtpSettings("mail", { host: "mail", sender: "a@b.c", auth: "login", username: "user", password: "canary-password" });
const shares = process.env.SHARES.split(" ");
const rekey = new secrets.Rekey("unseal", { secretShares: 2, secretThreshold: 2, keepSharesInState: true, currentShares: shares });
exports.secret = token.secretId; exports.complete = rekey.complete;
`;

test("a stack switches to the native plugin and back without a request, and works with both", async () => {
  const sandbox = await startSandbox();
  const project = new Project({
    ...sandbox.env,
    SCHEDULER: sandbox.scheduler.url,
    SCHEDULER_TOKEN: sandbox.scheduler.token,
    SHARES: sandbox.secrets.shares.join(" "),
  });
  project.files({ "Pulumi.yaml": nativeProject() }).program(program('"a"'));
  const typesOf = async (): Promise<string[]> =>
    (await project.resources()).flatMap(({ urn }) => /::([^:]*steward[^:]*:\w+:\w+|[^:]*steward[^:]*:\w+)::/.exec(urn)?.[1] ?? []);
  await project.up();
  const { secret, complete } = await project.outputs();
  expect(complete).toBe(true);
  await project.set("steward:native", "true");
  expect(await sentBy(sandbox, () => project.up("--expect-no-changes"))).toMatchObject({ sent: [] });
  expect(await typesOf()).toEqual(expect.arrayContaining(["steward:secrets:SchedulerToken", "steward:platform:SmtpSettings"]));
  expect((await typesOf()).filter((type) => type.includes("dynamic"))).toEqual([]);
  await project.refresh("--expect-no-changes");

  const { output } = await project.program(program('"a", "b"')).pulumi("preview");
  expect(output).toContain("[diff: ~policies]");
  const changed = await project.up();
  expect(changed.changes).toContain('+ [1]: "b"');
  await project.calm();

  // test/end-to-end/import.test.ts has `pulumi import`.
  await call(sandbox.secrets, "POST", "/v1/nomad/role/option", { policies: ["c", "d"], type: "client" });
  const option = 'new secrets.SchedulerRole("option", { name: "option", policies: ["c", "d"] }, { import: "nomad/role/option" });';
  const taken = await sentBy(sandbox, () => project.program(program('"a", "b"') + option).up());
  expect(taken.run.output).toContain("1 imported");
  expect(taken.sent).toEqual(["GET /v1/nomad/role/option"]);
  await project.calm();

  project.program(program('"a", "b"'));
  await project.up();

  await project.set("steward:native", "false");
  const back = await sentBy(sandbox, () => project.up());
  expect(back.sent).toEqual([]);
  // This includes the three resources of the rekey.
  expect(back.run.output).toContain("8 updated");
  // A component has the same type with both.
  expect((await typesOf()).filter((type) => !type.includes("dynamic"))).toEqual(["steward:secrets:Rekey"]);
  await project.calm();
  expect((await project.outputs()).secret).toEqual(secret);
  expect(project.stored()).not.toContain("canary");
  expect(await sandbox.secrets.opens(sandbox.secrets.shares)).toBe(true);
  await project.program(program('"a", "b"').replace("keepSharesInState: true", "keepSharesInState: true, discardShares: true")).up();
  await project.destroy();
});

test("a role that moves into a set stays unless the same up switches to the native plugin", async () => {
  const sandbox = await startSandbox();
  const project = new Project(sandbox.env).files({ "Pulumi.yaml": nativeProject() });
  const role = 'new secrets.SchedulerRole("web", { name: "web", policies: ["a"], adopt: true });';
  const set = 'new secrets.SchedulerRoles("all", { roles: { web: { policies: ["a"] } }, adopt: true });';
  const status = async (): Promise<number> => (await call(sandbox.secrets, "GET", "/v1/nomad/role/web")).status;
  await project.program(role).up();
  await project
    .config({ "steward:native": true as never })
    .program(set)
    .up();
  expect(await status()).toBe(404);
  await project.preview("--expect-no-changes");
  await project.up("--refresh");

  await project.program(role).up();
  await project.config({ "steward:native": false as never }).up();
  expect(await status()).toBe(200);
  await project.calm();
});

test("only a plugin of another version than the package causes a warning", async () => {
  const project = new Project().files({ "Pulumi.yaml": nativeProject() });
  const warnings = async (options: object): Promise<string[]> => {
    project.program(`new secrets.SchedulerRole("web", { name: "web", policies: ["a"] }, ${JSON.stringify(options)});`);
    const { output } = await project.pulumi("preview");
    return output.split("Diagnostics:")[1]?.match(/(?<=warning: ).*version.*/g) ?? [];
  };
  await project.set("steward:native", "true");
  const own = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8")).version;
  const asked = await registered(() => {
    setAllConfig({ "steward:native": "true" });
    return new secrets.SchedulerRole("web", { name: "web", policies: [] });
  });
  expect(asked.getVersion()).toBe(own);
  expect(await warnings({})).toEqual([]);
  expect(await warnings({ version: "99.0.0" })).toEqual([expect.stringContaining(`expected to have version >=99.0.0, but has ${own}`)]);
  expect(await warnings({ version: "0.0.1" })).toEqual([
    expect.stringContaining(`the program uses pulumi-steward 0.0.1, but Pulumi runs version ${own} of the plugin`),
  ]);
});

test("if Pulumi does not find the plugin, the error says what to add to Pulumi.yaml", async () => {
  const project = new Project().program('new secrets.SchedulerRole("web", { name: "web", policies: ["a"] });');
  await project.set("steward:native", "true");
  const { code, output } = await project.pulumi("preview");
  expect(code).not.toBe(0);
  const [, advice = ""] = /Add `(.*)` to Pulumi\.yaml/.exec(output) ?? [];
  expect(output).not.toMatch(/\n\s+at /);
  const { plugins } = parse(advice);
  expect(plugins.providers).toEqual([{ name: "steward", path: "node_modules/pulumi-steward/bin" }]);
  project.files({ "Pulumi.yaml": `name: story\nruntime: nodejs\n${advice}\n` });
  expect((await project.pulumi("preview")).output).not.toContain("cannot find the plugin");
  rmSync(join(project.folder, "program/Pulumi.yaml"));
  project.files({ "Pulumi.json": JSON.stringify({ name: "story", runtime: "nodejs", plugins }, null, 2) });
  expect((await project.pulumi("preview")).output).not.toContain("cannot find the plugin");
});
