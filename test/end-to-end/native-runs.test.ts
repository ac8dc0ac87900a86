import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { freshSandbox } from "../sandbox/sandbox";
import { afterKill } from "../support/after-kill";
import { call } from "../support/call";
import { startGateway } from "../support/gateway";
import { kill, Process, processesWith } from "../support/processes";
import { nativeProject, Project } from "../support/project";
import { sentBy } from "../support/sandbox";
import { until } from "../support/until";

// The native plugin with the real command line: kills, Ctrl-C, a large set of roles, and the size of the state.

const sandbox = freshSandbox({ dialect: "hashicorp" });
const requests = () => sandbox().requests();
let project: Project;
const run = `${process.pid}-${Math.random()}`;
beforeEach(() => {
  project = new Project({ ...sandbox().env, STEWARD_RUN: run });
  project.files({ "Pulumi.yaml": nativeProject() });
  project.config({ "steward:native": true as never });
});
afterEach(() => {
  kill(processesWith("STEWARD_RUN", run));
});

/** The processes that are left. Pulumi's own language host outlives a killed engine. */
const left = (): Process[] => processesWith("STEWARD_RUN", run).filter(({ command }) => !command.includes("pulumi-language-nodejs"));

async function expectNoneLeft(): Promise<void> {
  for (const end = Date.now() + 30_000; left().length > 0 && Date.now() < end; ) await sleep(100);
  expect(left()).toEqual([]);
}

const typeOf = ({ urn }: { urn: string }): string => urn.split("::")[2] ?? "";

test.each(["dynamic", "native"])(
  "the page on kills restores a %s set of roles after a killed update and a killed destroy",
  async (mechanism) => {
    const gateway = await startGateway(sandbox().secrets.url);
    project.with({ VAULT_ADDR: gateway.url }).config({ "steward:native": (mechanism === "native") as never });
    const names = Array.from({ length: 60 }, (_, index) => `role-${index}`);
    const declare = (policy: string): Project =>
      project.program(`
const names = ${JSON.stringify(names)};
new secrets.SchedulerRoles("roles", { roles: Object.fromEntries(names.map((name) => [name, { policies: ["${policy}"] }])) });`);
    const held = async (): Promise<string[]> => {
      const roles = await Promise.all(names.map((name) => call(sandbox().secrets, "GET", `/v1/nomad/role/${name}`)));
      return [...new Set(roles.map(({ status, json }) => (status === 404 ? "none" : json.data.policies[0])))].sort();
    };
    /** Kills the command line at the twentieth write, which the server never receives. */
    const killed = async (command: string): Promise<void> => {
      const child = await project.launch(command, "--yes", "--skip-preview");
      const exits = new Promise((done) => child.on("exit", done));
      let writes = 0;
      gateway.interrupt = ({ method }) =>
        method === "GET" || ++writes < 20 ? undefined : { when: "before", act: () => void child.kill("SIGKILL") };
      await exits;
      await expectNoneLeft();
      gateway.interrupt = undefined;
    };
    const recover = async (): Promise<string> => {
      await project.pulumi(...afterKill.cancel.split(" "));
      return (await project.pulumi(...afterKill.up.split(" "), "--yes", "--skip-preview")).output;
    };
    try {
      await declare("old").up();
      declare("new");
      await killed("up");
      expect(await held()).toEqual(["new", "old"]);
      declare("old");
      expect(await recover()).toContain("~ 1 updated");
      expect(await held()).toEqual(["old"]);

      await killed("destroy");
      expect(await held()).toEqual(["none", "old"]);
      expect(await recover()).toContain("~ 1 updated");
      expect(await held()).toEqual(["old"]);

      await killed("destroy");
      await project.pulumi(...afterKill.cancel.split(" "));
      await project.destroy();
      expect(await held()).toEqual(["none"]);
    } finally {
      await gateway.close();
    }
  },
);

test("Ctrl-C during a create keeps its resource in the state and leaves no process, and the next up converges", async () => {
  project.program(`
const first = new secrets.SchedulerRole("first", { name: "first", policies: ["a"] });
const second = new secrets.SchedulerRole("second", { name: "second", policies: ["b"] }, { dependsOn: first });
new platform.SmtpSettings("mail", { host: "mail", sender: "a@b.c", password: "canary-password" }, { dependsOn: second });`);
  sandbox().faults.add({ system: "secrets", method: "POST", path: "/v1/nomad/role/second", action: "delay", delayMs: 4000 });
  const child = await project.launch("up", "--yes", "--skip-preview");
  child.stdout.resume();
  child.stderr.resume();
  await until("the second role", () => {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error("it ended before the second role");
    return requests().some(({ method, path }) => method === "POST" && path.endsWith("/second"));
  });
  expect(left().map(({ command }) => command)).toEqual(expect.arrayContaining([expect.stringContaining("pulumi-resource-steward")]));
  const ending = new Promise<number>((done) => child.on("close", (code) => done(code ?? 1)));
  child.kill("SIGINT");
  expect(await ending).not.toBe(0);
  const names = (await project.resources()).map(({ urn }) => urn.split("::").at(-1));
  expect(names).toEqual(expect.arrayContaining(["first", "second"]));
  expect(names).not.toContain("mail");
  await expectNoneLeft();
  await project.up();
  await project.calm();
  const held = (await project.resources()).map(typeOf).filter((type) => type.startsWith("steward:"));
  expect(held.sort()).toEqual(["steward:platform:SmtpSettings", "steward:secrets:SchedulerRole", "steward:secrets:SchedulerRole"]);
  expect(project.stored()).not.toContain("canary");
  await project.destroy();
});

test("a set of roles with messages above gRPC's default limit of 4 MB is created, updated and destroyed, also after a partial failure", async () => {
  project.program(`
const policies = Array.from({ length: 200 }, (_, index) => \`\${"p".repeat(120)}-\${index}\`);
const roles = Object.fromEntries(Array.from({ length: 180 }, (_, index) => [\`role-\${index}\`, { policies }]));
new secrets.SchedulerRoles("roles", { roles });`);
  const refusal = { action: "respond", status: 403, body: '{"errors":["not today"]}' } as const;
  sandbox().faults.add({ system: "secrets", method: "POST", path: "/v1/nomad/role/role-179", ...refusal });
  expect((await project.pulumi("up", "--yes", "--skip-preview")).code).not.toBe(0);
  const written = (): number => requests().filter(({ method, status }) => method === "POST" && status < 300).length;
  const first = written();
  await project.up();
  expect([first > 0, written()]).toEqual([true, 180]);
  const set = (await project.resources()).find((resource) => typeOf(resource) === "steward:secrets:SchedulerRoles");
  expect(JSON.stringify(set?.inputs).length).toBeGreaterThan(4 * 1024 * 1024);
  expect(await sentBy(sandbox(), () => project.preview("--expect-no-changes"))).toMatchObject({ sent: [] });
  await project.refresh("--expect-no-changes");
  await project.destroy();
  expect(requests().filter(({ method }) => method === "DELETE")).toHaveLength(180);
});

test("a role takes at most 1,250 bytes of the state", async () => {
  const roles = (count: number): string =>
    `for (let index = 0; index < ${count}; index++) new secrets.SchedulerRole("role-" + index, { name: "role-" + index, policies: ["readonly"] });`;
  await project.program(roles(5)).up();
  const few = statSync(project.stateFile).size;
  await project.program(roles(25)).up();
  expect((statSync(project.stateFile).size - few) / 20).toBeLessThanOrEqual(1250);
});

test("a preview accepts an explicit provider with unknown settings", async () => {
  const settings = { address: sandbox().secrets.url, token: sandbox().secrets.token, dialect: "hashicorp" };
  const of = (extra: object): string => `
const first = new secrets.SchedulerRole("first", { name: "first", policies: ["a"] });
const settings = pulumi.secret(first.id).apply(() => JSON.stringify(${JSON.stringify({ ...settings, ...extra })}));
const provider = new (require("pulumi-steward").Provider)("own", { secrets: settings });
new secrets.SchedulerRole("second", { name: "second", policies: ["b"] }, { provider });`;
  await project.program(of({})).preview();
  await project.up();
  await project.calm();
  expect(project.stored()).not.toContain(sandbox().secrets.token);
  // Another setting of the same server changes no resource.
  await project.program(of({ allowAddressChange: true })).up();
  await project.destroy();
});
