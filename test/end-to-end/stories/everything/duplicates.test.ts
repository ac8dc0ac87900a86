import { everythingPer } from "../../../support/everything";
import { sentBy } from "../../../support/sandbox";
import { newStory } from "../../../support/story";

const role = (name: string): string => `new secrets.SchedulerRole("${name}", { name: "web", policies: ["x"], adopt: true });`;
const set = (name: string): string =>
  `new secrets.SchedulerRoles("${name}", { roles: { web: { policies: ["x"] }, ${name}: { policies: ["x"] } }, adopt: true });`;
const exclusive = (name: string): string =>
  `new secrets.SchedulerRoles("${name}", { roles: { ${name}: { policies: ["x"] } }, exclusive: true, adopt: true });`;
const settings = (name: string, args: string): string => `new platform.GeneralSettings("${name}", ${args});`;

/** Programs with two resources for the same object. test/troubles/table.test.ts has two of each type. */
const twice: Record<string, string> = {
  role: role("first") + role("second"),
  "role whose name and mount are unknown at first": `
    const late = (value) => pulumi.output(new Promise((done) => setTimeout(() => done(value), 100)));
    ${role("first")}
    new secrets.SchedulerRole("second", { name: late("web"), mount: late("/" + process.env.STEWARD_MOUNT + "/"), policies: ["x"] });`,
  "role and set": role("first") + set("second"),
  "set and role": set("first") + role("second"),
  "role and exclusive set": role("first") + exclusive("second"),
  "two exclusive sets of one mount": exclusive("first") + exclusive("second"),
  settings: `${settings("first", "{}")} ${settings("second", '{ connection: "default" }')}`,
  "settings whose connection is an output": `${settings("first", "{}")} ${settings("second", '{ connection: pulumi.output("default") }')}`,
};

describe("one object that a program declares twice", () => {
  const everything = everythingPer("suite", newStory);

  test.each(Object.keys(twice))("%s: the preview rejects it, names the other resource and writes nothing", async (object) => {
    const { project, sandbox } = everything();
    const { run, writes } = await sentBy(sandbox, () => project.program(twice[object] as string).pulumi("up", "--yes"));
    expect([run.code === 0 ? "success" : "refused", writes]).toEqual(["refused", []]);
    expect(run.output).toMatch(/Cannot declare .*"second".*"first"/);
    expect(run.output).not.toMatch(/^\s+at /m);
  });

  test("objects that `get` reads, and settings of another kind, do not count as declared twice", async () => {
    const { project } = everything();
    const others = `platform.GeneralSettings.get("second", "general"); new platform.CustomizationSettings("third", {});`;
    await project.program(settings("first", "{}") + others).up();
    await project.expectConverged();
    await project.destroy();
  });
});

describe("one object of several resources", () => {
  const everything = everythingPer("test", newStory);
  const policies = (role: string): Promise<unknown> => everything().policies(role);

  test("roles survive swapped names, and a refresh after an unfinished rename", async () => {
    const { project } = everything();
    const declare = (more: string, one: string, two: string): string => `
      const one = new secrets.SchedulerRole("one${more}", { name: "${one}", policies: ["one"], adopt: true });
      const two = new secrets.SchedulerRole("two${more}", { name: "${two}", policies: ["two"], adopt: true });`;
    await project.program(declare("", "a", "b")).up();
    await project.program(declare("", "b", "a")).up();
    await project.calm();
    expect([await policies("a"), await policies("b")]).toEqual([["two"], ["one"]]);

    // From here on the state holds both the renamed resources and the old ones.
    everything().refuse("POST", /role\/c$/);
    const third = 'new secrets.SchedulerRole("three", { name: "c", policies: ["three"] }, { dependsOn: [one, two] });';
    const failed = await project.program(declare("-new", "b", "a") + third).pulumi("up", "--yes", "--skip-preview");
    expect(failed.code).not.toBe(0);
    expect((await project.resources()).filter((each) => each.urn.includes("SchedulerRole::"))).toHaveLength(4);
    await project.refresh("--expect-no-changes");
    await project.up("--refresh");
    expect([await policies("a"), await policies("b"), await policies("c")]).toEqual([["two"], ["one"], ["three"]]);
    await project.calm();
  });
});
