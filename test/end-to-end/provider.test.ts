import { Sandbox } from "../../sandbox/index";
import { call } from "../support/call";
import { nativeProject, Project } from "../support/project";
import { startSandbox } from "../support/sandbox";

// An explicit provider names the servers of its resources, instead of the configuration.

const program = (more = ""): string => `
const { Provider } = require("pulumi-steward");
const other = new Provider("other", { secrets: { address: process.env.OTHER, token: process.env.OTHER_TOKEN, dialect: "hashicorp" } });
const role = new secrets.SchedulerRole("web", { name: "web", policies: ["there"] }, { provider: other });
new secrets.SchedulerRole("here", { name: "web", policies: ["here"] });
${more}`;

const policiesIn = async (sandbox: Sandbox): Promise<unknown> =>
  (await call(sandbox.secrets, "GET", "/v1/nomad/role/web")).json.data?.policies;

test("a resource with an explicit provider is managed on that provider's server", async () => {
  const [sandbox, other] = await Promise.all([startSandbox(), startSandbox()]);
  const project = new Project({ ...sandbox.env, OTHER: other.secrets.url, OTHER_TOKEN: other.secrets.token });
  project.files({ "Pulumi.yaml": nativeProject() }).program(program());
  const refused = await project.pulumi("preview");
  expect(refused.code).not.toBe(0);
  expect(refused.output).toContain("pulumi config set steward:native true");
  await project.set("steward:native", "true");
  await project.up();
  expect(await policiesIn(other)).toEqual(["there"]);
  expect(await policiesIn(sandbox)).toEqual(["here"]);
  expect(project.stored()).not.toContain(other.secrets.token);
  await project.calm();
  const moved = await project.program(program().replace("process.env.OTHER,", '"http://127.0.0.1:1",')).pulumi("preview");
  expect(moved.output).toContain('but the provider "other" points to http://127.0.0.1:1');
  const before = other.requests().length;
  const imported =
    'new secrets.SchedulerRole("again", { name: "web", policies: ["there"] }, { provider: other, import: "nomad/role/web" });';
  const twice = await project.program(program(imported)).pulumi("up", "--yes", "--skip-preview");
  expect(twice.output).toContain('the resource "web" of this program declares the same object');
  expect(other.requests().length - before).toBeLessThan(3);
  await project.program(program()).up();
  await project.destroy();
  expect(await policiesIn(other)).toBeUndefined();
});
