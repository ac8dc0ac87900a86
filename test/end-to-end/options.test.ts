import { everythingPer } from "../support/everything";
import { Project } from "../support/project";

// Resource options that the stand-in of Pulumi's engine does not implement, in one stack. test/end-to-end/stories/everything covers the others.

const versionOf = (version: string): string =>
  `organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "${version}"`;

/** Resources whose changing inputs are in ignoreChanges. */
const ignoring = (policy: string, global: boolean, ttl: string, limit: number, month: string): string => `
  const { STEWARD_SCHEDULER: address, STEWARD_SCHEDULER_TOKEN: token } = process.env;
  const access = new secrets.SchedulerAccess("access", { address, token });
  const readers = new secrets.SchedulerRole("readers", { name: "readers", policies: ["readonly"] });
  new secrets.SchedulerToken("token", { role: readers.name, keepers: { month: "${month}" } }, { dependsOn: access, ignoreChanges: ["keepers"] });
  new secrets.SchedulerRole("role", { name: "role", policies: ["${policy}"], global: ${global} }, { ignoreChanges: ["policies"] });
  new secrets.SchedulerRoles("set", { roles: { a: { policies: ["${policy}"] }, b: { policies: ["${policy}"] } } }, { ignoreChanges: ["roles.a.policies"] });
  new secrets.SchedulerLease("lease", { ttl: "${ttl}", maxTtl: "24h" }, { ignoreChanges: ["ttl"] });
  new platform.GeneralSettings("general", { apiRateLimit: ${limit} }, { ignoreChanges: ["apiRateLimit"] });
  new platform.ModuleVersionDeprecation("version", { ${versionOf("1.0.0")}, reason: "Says ${policy}." }, { ignoreChanges: ["reason"] });`;

/** Resources that are retained on removal, and two that are deleted with their owners. */
const kept = (mount: string): string => `
  const retained = { retainOnDelete: true };
  new secrets.SchedulerRole("retained", { name: "retained", policies: ["one"], mount: "${mount}" }, retained);
  new secrets.SchedulerRoles("retained-set", { roles: { a: { policies: ["one"] } }, mount: "${mount}" }, retained);
  new platform.CustomizationSettings("customization", { supportEmailAddress: "help@acme.example" }, retained);
  new platform.AdminWorkspace("workspace", { workspaceId: "ws-acmeNetworkTest", destroyOnDelete: true }, retained);
  new platform.ModuleVersionDeprecation("retained-version", { ${versionOf("1.1.0")}, reason: "Old." }, retained);
  const owner = new secrets.SchedulerRole("owner", { name: "owner", policies: ["one"], mount: "${mount}" });
  new secrets.SchedulerRole("with", { name: "with", policies: ["one"], mount: "${mount}" }, { deletedWith: owner });
  const engine = new secrets.SchedulerEngine("engine", { mount: "own", destroyOnDelete: true });
  new secrets.SchedulerAccess("own", { address, token, mount: engine.mount }, { deletedWith: engine });`;

/** Protected resources. */
const guarded = (name: string, protect: boolean, mount: string): string => `
  new secrets.SchedulerRole("${name}", { name: "protected", policies: ["one"], adopt: true, mount: "${mount}" }, { protect: ${protect} });
  new secrets.SchedulerLease("${name}-lease", { ttl: "1h", adopt: true, mount: "${mount}" }, { protect: ${protect} });`;

/** A tree of components that transforms change, and resources of the same name that transforms put on different mounts. */
const transformed = (opts: string, mount: string, other: string): string => `
  class Team extends pulumi.ComponentResource {
    constructor(name, policies, opts) {
      super("test:Team", name, {}, opts);
      const parent = { parent: this };
      this.role = new secrets.SchedulerRole(name + "-role", { name, policies, mount: "${mount}" }, parent);
      new platform.ModuleVersionDeprecation(name + "-version", { ${versionOf("2.0.0")}, reason: "Old." }, parent);
      this.registerOutputs({ id: this.role.id });
    }
  }
  class Company extends pulumi.ComponentResource {
    constructor(opts) {
      super("test:Company", "company", {}, opts);
      this.team = new Team("team", ["one"], { parent: this });
      new secrets.SchedulerRoles("company-set", { roles: { a: { policies: ["one"] } }, mount: "${mount}" }, { parent: this });
      new platform.SamlSettings("saml", { attrUsername: "User" }, { parent: this });
      new platform.AdminWorkspace("company-workspace", { workspaceId: "ws-acmeNetworkProd", destroyOnDelete: true }, { parent: this });
      new secrets.SchedulerLease("rented", { ttl: "1h", mount: "${mount}" }, { parent: this });
    }
  }
  new Company(${opts});
  const at = (mount) => ({ transforms: [({ props, opts }) => ({ props: { ...props, mount }, opts })] });
  new secrets.SchedulerRole("here", { name: "web", policies: ["here"] }, at("${mount}"));
  new secrets.SchedulerRole("there", { name: "web", policies: ["there"] }, at("${other}"));`;

// A server slower than the timeout causes no error: the engine does not pass customTimeouts to a dynamic provider.
const transforms = `{ transforms: [({ type, props, opts }) => {
  if (type.endsWith(":SchedulerRole")) return { props: { ...props, policies: ["added"] }, opts };
  if (type.endsWith(":SchedulerLease")) return { props: { ...props, ttl: "2h" }, opts: { ...opts, customTimeouts: { update: "1s" } } };
}] }`;
const transformation = `pulumi.runtime.registerStackTransformation(({ type, props, opts }) =>
  (type.endsWith(":SchedulerRole") && props.name === "team" ? { props: { ...props, global: true }, opts } : undefined));`;

describe("resource options", () => {
  const everything = everythingPer("suite", (variables) => new Project(variables));
  let other: string;
  let third: string;
  beforeAll(async () => {
    other = await everything().target.newMount();
    third = await everything().target.newMount();
  });

  const read = async (path: string): Promise<unknown> => (await everything().target.outOfBand("GET", path)).data;
  const policies = async (role: string, mount = everything().mount): Promise<unknown> =>
    ((await read(`${mount}/role/${role}`)) as { policies: unknown } | undefined)?.policies;
  const reason = (version: string): Promise<unknown> => everything().reason(version);
  const hasWorkspace = (id: string): Promise<boolean> => everything().hasWorkspace(id);

  // The tests share one stack: each starts from the state that the previous one left.
  test("ignoreChanges, retainOnDelete, deletedWith and transforms decide which requests are sent", async () => {
    const { project, mount, target, platform, sandbox } = everything();
    const rest = guarded("protected", true, other) + transformed(`{}`, third, other);
    await project.program(ignoring("one", false, "1h", 100, "january") + kept(other) + rest).up();
    expect(sandbox.requests().filter(({ path }) => path.includes("/creds/"))).toHaveLength(1);
    expect([await policies("web", third), await policies("web", other)]).toEqual([["here"], ["there"]]);

    // A retained resource leaves the state without a request, and so does one that is deleted with its owner.
    sandbox.faults.add({ system: "secrets", method: "POST", path: /config\/lease$/, action: "delay", delayMs: 1500 });
    const changed = guarded("protected", true, other) + transformation + transformed(transforms, third, other);
    expect(await everything().writes(() => project.program(ignoring("two", false, "2h", 200, "february") + changed).up())).toEqual([
      "DELETE /v1/sys/mounts/own",
      "DELETE role/owner",
      "POST config/lease",
      "POST role/b",
      "POST role/team",
    ]);
    expect([await policies("role"), await policies("a"), await policies("b")]).toEqual([["one"], ["one"], ["two"]]);
    expect(await read(`${third}/role/team`)).toMatchObject({ policies: ["added"], global: true });
    const left = ["retained", "a", "with", "owner"].map((role) => policies(role, other));
    expect(await Promise.all(left)).toEqual([["one"], ["one"], ["one"], undefined]);
    expect((await platform.held("customization")).supportEmailAddress).toBe("help@acme.example");
    expect([await hasWorkspace("ws-acmeNetworkTest"), await reason("1.1.0")]).toEqual([true, "Old."]);

    // An update writes the ignored inputs with their old values, also over a change outside Pulumi.
    await target.outOfBand("POST", `${mount}/role/role`, { policies: "theirs", type: "client" });
    expect(await everything().writes(() => project.program(ignoring("three", true, "3h", 300, "march") + changed).up())).toEqual([
      "POST role/b",
      "POST role/role",
    ]);
    expect(await read(`${mount}/role/role`)).toMatchObject({ policies: ["one"], global: true });
    await project.calm();

    // Refresh shows a change outside Pulumi to an ignored input, and up keeps it.
    await target.outOfBand("POST", `${mount}/role/role`, { policies: "theirs", type: "client", global: true });
    await target.outOfBand("POST", `${mount}/config/lease`, { ttl: 60, max_ttl: 7200 });
    await platform.change("general", { apiRateLimit: 77 });
    expect((await project.refresh()).changes.join("\n")).toContain('"one" => "theirs"');
    expect(await everything().writes(() => project.up())).toEqual(["POST config/lease"]);
    expect(await read(`${mount}/config/lease`)).toMatchObject({ ttl: 60, max_ttl: 86400 });
    expect([await policies("role"), (await platform.held("general")).apiRateLimit]).toEqual([["theirs"], 77]);
    await project.calm();
  });

  test("protect blocks destroy and a rename, and a retained role is adopted only on request", async () => {
    const { project, platform } = everything();
    const refused = async (...operation: string[]): Promise<string> => {
      const { code, output } = await project.pulumi(...operation, "--yes", "--skip-preview");
      expect([code === 0, output.includes("it is protected"), await policies("protected", other)]).toEqual([false, true, ["one"]]);
      return output;
    };
    await refused("destroy");
    const again = `new secrets.SchedulerRole("again", { name: "retained", policies: ["one"], mount: "${other}" });`;
    project.program(guarded("renamed", false, other) + again);
    const { output: preview } = await project.pulumi("preview", "--refresh");
    expect(preview).toMatch(/"protected": another resource in the state has the same object, .* add an alias of its old name/);
    expect(await refused("up", "--continue-on-error")).toMatch(/"retained".*adopt: true/);

    // The unprotected old resources leave their objects to the renamed ones. All others are deleted.
    await project.pulumi("state", "unprotect", "--all", "--yes");
    await project.program(guarded("renamed", false, other)).up();
    expect(await policies("protected", other)).toEqual(["one"]);
    expect((await platform.held("general")).apiRateLimit).toBe(30);
    expect([await policies("team", third), await hasWorkspace("ws-acmeNetworkProd")]).toEqual([undefined, false]);
    await project.calm();
  });

  test("a tainted role is replaced as with --replace, and the last resources are destroyed", async () => {
    const { project } = everything();
    const role = (opts: string): string =>
      `new secrets.SchedulerRole("tainted", { name: "tainted", policies: ["one"], mount: "${other}" }, ${opts});`;
    await project.program(guarded("renamed", false, other) + role("{}")).up();
    const { urn = "" } = (await project.resources()).find((resource) => resource.urn.endsWith("::tainted")) ?? {};
    expect((await project.pulumi("state", "taint", urn, "--yes")).code).toBe(0);
    const taken = await project.pulumi("up", "--yes", "--skip-preview");
    expect(taken.output).toMatch(/already exists.*pulumi state taint.*deleteBeforeReplace: true/);
    project.program(guarded("renamed", false, other) + role("{ deleteBeforeReplace: true }"));
    expect(await everything().writes(() => project.up())).toEqual(["DELETE role/tainted", "POST role/tainted"]);
    await project.calm();
    await project.destroy();
    expect([await policies("protected", other), await policies("tainted", other)]).toEqual([undefined, undefined]);
  });
});
