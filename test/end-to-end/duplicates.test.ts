import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Everything } from "../everything";

const role = (name: string, more = ""): string => `new secrets.SchedulerRole("${name}", { name: "web", policies: ["${name}"], ${more} });`;
const version = `organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "1.0.0"`;

/** Two resources for one object; the second is called "second". */
const twice: Record<string, string> = {
  role: `${role("first")} ${role("second")}`,
  "role that both adopt": `${role("first", "adopt: true")} ${role("second", "adopt: true")}`,
  "role whose name and mount are known late": `
    const late = (value) => pulumi.output(new Promise((done) => setTimeout(() => done(value), 100)));
    ${role("first")} new secrets.SchedulerRole("second", { name: late("web"), mount: late("/" + process.env.STEWARD_MOUNT + "/"), policies: ["second"] });`,
  "role in a set": `${role("first", "adopt: true")} new secrets.SchedulerRoles("second", { roles: { a: { policies: ["x"] }, web: { policies: ["x"] } }, adopt: true });`,
  "role in a set before it": `new secrets.SchedulerRoles("first", { roles: { web: { policies: ["x"] } }, adopt: true }); ${role("second", "adopt: true")}`,
  "role in two sets": ["first", "second"]
    .map(
      (name) =>
        `new secrets.SchedulerRoles("${name}", { roles: { web: { policies: ["x"] }, ${name}: { policies: ["x"] } }, adopt: true });`,
    )
    .join(" "),
  access: ["first", "second"]
    .map((name) => `new secrets.SchedulerAccess("${name}", { address: "http://127.0.0.1:4646", token: "${name}", adopt: true });`)
    .join(" "),
  lease: ["first", "second"].map((name) => `new secrets.SchedulerLease("${name}", { ttl: "1h" });`).join(" "),
  deprecation: ["first", "second"]
    .map((name) => `new platform.ModuleVersionDeprecation("${name}", { ${version}, reason: "Old.", adopt: true });`)
    .join(" "),
  workspace: ["first", "second"]
    .map((name) => `new platform.AdminWorkspace("${name}", { workspaceId: "ws-acmeNetworkTest", destroyOnDelete: true });`)
    .join(" "),
};

describe("one object that a program declares twice", () => {
  let everything: Everything;
  beforeAll(async () => {
    everything = await Everything.start("hashicorp");
  });
  afterAll(() => everything.stop());
  const writes = (): number => everything.sandbox.requests().filter(({ method }) => method !== "GET").length;

  test.each(Object.keys(twice))("%s: refused in the preview, which names the other resource; nothing is sent", async (object) => {
    const before = writes();
    const { code, output } = await everything.project.program(twice[object] as string).pulumi("up", "--yes");
    expect(output).toMatch(/Cannot declare .*"second": "first" declares .*/);
    expect(output).not.toMatch(/^\s+at /m);
    expect(code).not.toBe(0);
    expect(writes()).toBe(before);
  });

  test.each(["role", "access", "lease", "workspace", "deprecation"])("%s: no success without a preview either", async (object) => {
    const { code } = await everything.project.program(twice[object] as string).pulumi("up", "--yes", "--skip-preview");
    expect(code).not.toBe(0);
    await everything.project.destroy();
  });
});

describe("one object that is declared once at a time", () => {
  let everything: Everything;
  beforeEach(async () => {
    everything = await Everything.start("hashicorp");
  });
  afterEach(() => everything.stop());
  const policies = async (name: string): Promise<unknown> =>
    (await everything.target.outside("GET", `${everything.mount}/role/${name}`)).data?.policies;

  test("a program that runs several times, and for two stacks at once, in one process", async () => {
    const { project } = everything;
    everything.declare({ name: "" });
    await project.up();
    writeFileSync(join(project.folder, "program/automation.js"), automation);
    const { code, output } = await project.node("automation.js");
    expect(output).toMatch(/^preview same: 9, up same: 9, up again same: 9, refresh same: 9, both create: 9 and same: 9$/m);
    expect(code).toBe(0);
    expect(await everything.held()).toEqual(everything.declared());
  });

  test("a role replaced by the user's order, roles that swap their names, and the twins of a rename under refresh", async () => {
    const { project } = everything;
    const source = (one: string, two: string): string => `
      new secrets.SchedulerRole("one", { name: "${one}", policies: ["one"], adopt: true });
      new secrets.SchedulerRole("two", { name: "${two}", policies: ["two"], adopt: true });`;
    await project.program(source("a", "b")).up();
    const urn = (await project.resources()).map((each) => each.urn).find((each) => each.endsWith("::one")) as string;
    await project.up("--replace", urn);
    expect([await policies("a"), await policies("b")]).toEqual([["one"], ["two"]]);
    await project.calm();

    await project.program(source("b", "a")).up();
    expect([await policies("a"), await policies("b")]).toEqual([["two"], ["one"]]);
    await project.calm();
    expect([await policies("a"), await policies("b")]).toEqual([["two"], ["one"]]);

    // The first two are there twice from now on.
    everything.refuse("POST", /role\/failing$/);
    const renamed = `${source("b", "a").replace(/"(one|two)", \{/g, '"new-$1", {')}
      new secrets.SchedulerRole("failing", { name: "failing", policies: ["x"] }, { dependsOn: everything });`;
    await project
      .program(
        renamed.replace(/new secrets.SchedulerRole\("new/g, "everything[everything.length] = $&").replace(/^/, "const everything = [];"),
      )
      .pulumi("up", "--yes", "--skip-preview");
    expect((await project.resources()).filter((each) => each.urn.includes("SchedulerRole::")).length).toBe(4);
    await project.refresh("--expect-no-changes");
    await project.up("--refresh");
    expect([await policies("a"), await policies("b"), await policies("failing")]).toEqual([["two"], ["one"], ["x"]]);
    await project.calm();
  });
});

/** Runs the program as one of the Automation API's, again and again in one process, and counts what happens to its resources. */
const automation = `
  const { LocalWorkspace } = require("@pulumi/pulumi/automation");
  const program = async () => {
    delete require.cache[require.resolve("./index.js")];
    require("./index.js");
  };
  const projectSettings = { name: "story", runtime: "nodejs" };
  (async () => {
    const stackOf = async (stackName) => {
      const stack = await LocalWorkspace.createOrSelectStack({ stackName, projectName: "story", program }, { workDir: __dirname });
      return stack;
    };
    const dev = await stackOf("dev");
    const count = ({ changeSummary, summary }, kind) => (changeSummary ?? summary.resourceChanges)[kind] ?? 0;
    const previewed = await dev.preview();
    const first = await dev.up();
    const again = await dev.up();
    const refreshed = await dev.refresh();
    const other = await stackOf("other");
    await other.setAllConfig(await dev.getAllConfig());
    const both = await Promise.all([other.preview(), dev.preview()]);
    console.log("preview same: " + count(previewed, "same") + ", up same: " + count(first, "same") + ", up again same: " + count(again, "same")
      + ", refresh same: " + count(refreshed, "same") + ", both create: " + count(both[0], "create") + " and same: " + count(both[1], "same"));
  })().catch((error) => { console.log(error); process.exitCode = 1; });
`;
