import { readFileSync } from "node:fs";
import { Sandbox } from "../../sandbox/index";
import { call } from "../support/call";
import { ownName } from "../support/definitions";
import { nativeProject, Project, Run } from "../support/project";
import { startSandbox } from "../support/sandbox";

// A user sees the inputs and the public outputs of a resource. The state also has what only the provider uses, and no command prints that.
// test/end-to-end/import.test.ts and discover-dynamic.test.ts search an import.

describe.each(["dynamic", "native"] as const)("%s", (mechanism) => {
  const isNative = mechanism === "native";
  const canary = "canary-original";
  let sandbox: Sandbox;
  let project: Project;

  const settings = (page: string, attributes: object): Promise<unknown> =>
    call(sandbox.platform, "PATCH", `/api/v2/admin/${page}-settings`, { data: { attributes } });

  const program = `
      new secrets.SchedulerRole("web", { name: "web", policies: [pulumi.secret("deploy")] });
      new secrets.SchedulerRoles("set", { mount: "team", roles: { a: { policies: ["deploy"] } }, exclusive: true });
      new platform.CostEstimationSettings("cost", { cloudASecretKey: "ours" });
      new platform.GeneralSettings("general", { apiRateLimit: 60 });`;

  /** Runs a command whose output contains no name of the provider. */
  async function run(...args: string[]): Promise<Run> {
    const done = await project.pulumi(...args);
    expect(done.output).not.toMatch(ownName);
    expect(done.output).not.toContain(canary);
    return done;
  }

  /** The outputs of a resource in the backend's file. */
  const outputsOf = (name: string): Record<string, unknown> =>
    JSON.parse(readFileSync(project.stateFile, "utf8")).checkpoint.latest.resources.find(({ urn }: { urn: string }) =>
      urn.endsWith(`::${name}`),
    ).outputs;

  beforeAll(async () => {
    sandbox = await startSandbox({ dialect: "hashicorp" });
    project = new Project(sandbox.env);
    if (!isNative) return;
    project.files({ "Pulumi.yaml": nativeProject() });
    await project.set("steward:native", "true");
  });

  test("no command shows what only the provider uses, and a refresh shows exactly the drift", async () => {
    await settings("cost-estimation", { "aws-access-key-id": "AKIA", "aws-secret-key": canary });
    project.program(program);
    await call(sandbox.secrets, "POST", "/v1/sys/mounts/team", { type: "nomad" });
    expect((await run("preview", "--diff")).code).toBe(0);
    expect((await run("up", "--yes", "--skip-preview", "--diff")).code).toBe(0);
    expect(Object.keys(outputsOf("cost"))).toEqual(expect.arrayContaining(["__declared", "__instance", "__server"]));
    expect(outputsOf("cost").__originalValues).toHaveProperty("ciphertext");
    expect(project.stored()).not.toContain(canary);

    await settings("general", { "api-rate-limit": 77 });
    const drift = ["~ apiRateLimit: 60 => 77"];
    expect((await run("refresh", "--preview-only", "--diff")).changes).toEqual(drift);
    expect((await run("refresh", "--yes", "--skip-preview", "--diff")).changes).toEqual(drift);
    expect((await run("preview", "--diff")).changes).toEqual(["~ apiRateLimit: 77 => 60"]);
    const { steps } = JSON.parse((await run("preview", "--json")).output);
    const planned = steps.filter(({ op }: { op: string }) => op !== "same");
    expect(planned).toEqual([expect.objectContaining({ op: "update", urn: expect.stringMatching(/::general$/) })]);
    expect(planned[0].detailedDiff).toEqual(isNative ? { apiRateLimit: { kind: "update", inputDiff: false } } : null);
    expect((await run("up", "--yes", "--skip-preview", "--diff")).changes).toEqual(["~ apiRateLimit: 77 => 60"]);
  });

  test("an update without a visible change prints why", async () => {
    await call(sandbox.secrets, "POST", "/v1/team/role/theirs", { policies: "b" });
    const refreshed = await run("refresh", "--yes", "--skip-preview", "--diff");
    expect(refreshed).toMatchObject({ code: 0, changes: [] });
    expect(refreshed.output).toContain('Nomad roles at mount "team": found other roles on the server (theirs)\n');
    const planned = await run("preview", "--diff");
    expect(planned.changes).toEqual([]);
    expect(planned.output).toContain(
      'Nomad roles at mount "team": roles: theirs will be deleted, since the program does not declare them\n',
    );
    expect(planned.output).toMatch(/~ 1 to update/);

    project.program(`${program}\nnew secrets.SchedulerRole("new", { name: "new", policies: ["deploy"] });`);
    sandbox.faults.add({ system: "secrets", method: "POST", path: /role.new/, action: "drop-after", times: 9 });
    expect((await run("up", "--yes", "--skip-preview", "--diff")).code).not.toBe(0);
    sandbox.faults.clear();
    const repaired = await run("up", "--yes", "--skip-preview", "--diff");
    expect(repaired).toMatchObject({ code: 0, changes: [] });
    expect(repaired.output).toContain('Nomad role "new": its last run did not complete, so `pulumi up` continues it\n');
    await project.expectConverged();
    expect((await run("destroy", "--yes", "--skip-preview", "--diff")).code).toBe(0);
  });
});
