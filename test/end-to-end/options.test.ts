import { Everything } from "../everything";

// What Pulumi's resource options mean for resources of this package.

const versionOf = (version: string): string =>
  `organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "${version}"`;

describe("resource options", () => {
  let everything: Everything;
  beforeEach(async () => {
    everything = await Everything.start("hashicorp");
  });
  afterEach(() => everything.stop());

  /** The requests of an operation that are no reads of ours, sorted; roles and versions by their names. */
  async function writes(operation: () => Promise<unknown>): Promise<string[]> {
    const before = everything.sandbox.requests().length;
    await operation();
    return everything.sandbox
      .requests()
      .slice(before)
      .filter(({ method, path }) => method !== "GET" || path.includes("/creds/"))
      .map(({ method, path }) => `${method} ${path.replace(/^.*(role|config|creds|aws|workspaces|admin)\//, "$1/")}`)
      .sort();
  }
  const policies = async (name: string): Promise<unknown> =>
    (await everything.target.outside("GET", `${everything.mount}/role/${name}`)).data?.policies;
  const reasons = async (...versions: string[]): Promise<unknown[]> =>
    Promise.all(
      versions.map(async (version) => {
        const { body } = await everything.platform.outside("GET", `/api/registry/v1/modules/acme/network/aws/${version}`);
        return (body as { deprecation?: { reason: string } }).deprecation?.reason;
      }),
    );
  const workspace = async (id: string): Promise<number> =>
    (await everything.platform.outside("GET", `/api/v2/admin/workspaces/${id}`)).status;

  test("ignoreChanges: what it names is neither written nor repaired, the rest is", async () => {
    const { project, mount, target, platform } = everything;
    const source = (policy: string, global: boolean, ttl: string, limit: number, month: string): string => `
      const { STEWARD_SCHEDULER: address, STEWARD_SCHEDULER_TOKEN: token } = process.env;
      const access = new secrets.SchedulerAccess("access", { address, token });
      const readers = new secrets.SchedulerRole("readers", { name: "readers", policies: ["readonly"] });
      new secrets.SchedulerToken("token", { role: readers.name, keepers: { month: "${month}" } }, { dependsOn: access, ignoreChanges: ["keepers"] });
      new secrets.SchedulerRole("role", { name: "role", policies: ["${policy}"], global: ${global} }, { ignoreChanges: ["policies"] });
      new secrets.SchedulerRoles("set", { roles: { a: { policies: ["${policy}"] }, b: { policies: ["${policy}"] } } }, { ignoreChanges: ["roles.a.policies"] });
      new secrets.SchedulerLease("lease", { ttl: "${ttl}", maxTtl: "24h" }, { ignoreChanges: ["ttl"] });
      new platform.GeneralSettings("general", { apiRateLimit: ${limit} }, { ignoreChanges: ["apiRateLimit"] });
      new platform.ModuleVersionDeprecation("version", { ${versionOf("1.0.0")}, reason: "Says ${policy}." }, { ignoreChanges: ["reason"] });`;
    await project.program(source("one", false, "1h", 100, "january")).up();
    expect(everything.tokens).toHaveLength(1);
    expect(await writes(() => project.program(source("two", false, "2h", 200, "february")).up())).toEqual(["POST role/b"]);
    expect([await policies("role"), await policies("a"), await policies("b")]).toEqual([["one"], ["one"], ["two"]]);
    // The rest of the resource is written with what was ignored as it was.
    expect(await writes(() => project.program(source("three", true, "3h", 300, "march")).up())).toEqual(["POST role/b", "POST role/role"]);
    expect((await target.outside("GET", `${mount}/role/role`)).data).toMatchObject({ policies: ["one"], global: true });
    await project.calm();

    // Changed outside: it is shown, and it stays.
    await target.outside("POST", `${mount}/role/role`, { policies: "theirs", type: "client", global: true });
    await target.outside("POST", `${mount}/config/lease`, { ttl: 60, max_ttl: 7200 });
    await platform.change("general", { apiRateLimit: 77 });
    expect((await project.refresh()).changes.join("\n")).toContain('"one" => "theirs"');
    expect(await writes(() => project.up())).toEqual(["POST config/lease"]);
    expect((await target.outside("GET", `${mount}/config/lease`)).data).toMatchObject({ ttl: 60, max_ttl: 86400 });
    expect([await policies("role"), (await platform.held("general")).apiRateLimit]).toEqual([["theirs"], 77]);
    await project.calm();
    await project.destroy();
    expect((await platform.held("general")).apiRateLimit).toBe(30);
  });

  // Node's dynamic providers cannot tell the engine which inputs changed, and by these it would know.
  test("replaceOnChanges: it updates in place; replaced by the user's order, each object is there with the new values", async () => {
    const { project, target, mount, platform } = everything;
    const source = (policy: string, destroyOnDelete: boolean, reason: string): string => `
      new secrets.SchedulerRole("adopts", { name: "adopts", policies: ["${policy}"], adopt: true }, { replaceOnChanges: ["policies"] });
      new secrets.SchedulerRole("deletes", { name: "deletes", policies: ["${policy}"] }, { replaceOnChanges: ["*"], deleteBeforeReplace: true });
      new secrets.SchedulerRoles("set", { roles: { a: { policies: ["${policy}"] } } }, { replaceOnChanges: ["roles"] });
      new secrets.SchedulerLease("lease", { ttl: "${policy === "one" ? 60 : 120}s" }, { replaceOnChanges: ["ttl"] });
      new platform.GeneralSettings("general", { apiRateLimit: ${policy === "one" ? 100 : 200} }, { replaceOnChanges: ["apiRateLimit"] });
      new platform.AdminWorkspace("workspace", { workspaceId: "ws-acmeNetworkTest", destroyOnDelete: ${destroyOnDelete} }, { replaceOnChanges: ["destroyOnDelete"] });
      new platform.ModuleVersionDeprecation("version", { ${versionOf("1.0.0")}, reason: "${reason}", adopt: true }, { replaceOnChanges: ["reason"] });`;
    await project.program(source("one", true, "Old.")).up();
    expect((await project.program(source("two", false, "Older.")).preview()).output).toMatch(/~ 7 to update/);
    const urns = (await project.resources()).map(({ urn }) => urn).filter((urn) => urn.includes("dynamic/"));
    expect((await project.up(...urns.flatMap((urn) => ["--replace", urn]))).output).toMatch(/\+-7 replaced/);
    expect([await policies("adopts"), await policies("deletes"), await policies("a")]).toEqual([["two"], ["two"], ["two"]]);
    expect((await target.outside("GET", `${mount}/config/lease`)).data).toMatchObject({ ttl: 120 });
    expect((await platform.held("general")).apiRateLimit).toBe(200);
    expect([await workspace("ws-acmeNetworkTest"), ...(await reasons("1.0.0"))]).toEqual([200, "Older."]);
    await project.calm();

    const role = (policy: string): string => `new secrets.SchedulerRole("role", { name: "role", policies: ["${policy}"] });`;
    await project.program(role("one")).up();
    expect([await policies("adopts"), (await platform.held("general")).apiRateLimit]).toEqual([undefined, 30]);
    const urn = (await project.resources()).map((each) => each.urn).find((each) => each.endsWith("::role")) as string;
    const taken = await project.program(role("two")).pulumi("up", "--yes", "--skip-preview", "--replace", urn);
    // Its successor finds it there: the message says how to go on, and the role stays.
    expect([taken.code === 0, taken.output.includes("adopt: true"), await policies("role")]).toEqual([false, true, ["one"]]);
    await project.destroy();
  });

  test("retainOnDelete, protect and deletedWith: what leaves the program stays, is refused, or is left to another", async () => {
    const { project, platform } = everything;
    const kept = `
      const retained = { retainOnDelete: true };
      new secrets.SchedulerRole("role", { name: "retained", policies: ["one"] }, retained);
      new secrets.SchedulerRoles("set", { roles: { a: { policies: ["one"] } } }, retained);
      new platform.GeneralSettings("general", { apiRateLimit: 100 }, retained);
      new platform.AdminWorkspace("workspace", { workspaceId: "ws-acmeNetworkTest", destroyOnDelete: true }, retained);
      new platform.ModuleVersionDeprecation("version", { ${versionOf("1.0.0")}, reason: "Old." }, retained);
      const owner = new secrets.SchedulerRole("owner", { name: "owner", policies: ["one"] });
      new secrets.SchedulerRole("with", { name: "with", policies: ["one"] }, { deletedWith: owner });`;
    const guarded = (name: string, protect: boolean): string => `
      new secrets.SchedulerRole("${name}", { name: "protected", policies: ["one"], adopt: true }, { protect: ${protect} });
      new secrets.SchedulerLease("${name}-lease", { ttl: "1h" }, { protect: ${protect} });`;
    await project.program(kept + guarded("protected", true)).up();

    // Retained: out of the state, and nothing is sent. With its owner: neither is sent for it.
    expect(await writes(() => project.program(guarded("protected", true)).up())).toEqual(["DELETE role/owner"]);
    expect([await policies("retained"), await policies("a"), await policies("with"), await policies("owner")]).toEqual([
      ["one"],
      ["one"],
      ["one"],
      undefined,
    ]);
    expect([await workspace("ws-acmeNetworkTest"), (await platform.held("general")).apiRateLimit, ...(await reasons("1.0.0"))]).toEqual([
      200,
      100,
      "Old.",
    ]);

    // Protected: it cannot go, neither by the stack's end nor by a new name.
    const isRefused = async (...operation: string[]): Promise<void> => {
      const { code, output } = await project.pulumi(...operation, "--yes", "--skip-preview");
      expect([code === 0, output.includes("it is protected"), await policies("protected")]).toEqual([false, true, ["one"]]);
    };
    await isRefused("destroy");
    const renamed = project.program(guarded("renamed", false));
    await isRefused("up");

    // Once the former ones are free, they leave to the renamed ones what these hold.
    await project.pulumi("state", "unprotect", "--all", "--yes");
    await renamed.up();
    expect(await policies("protected")).toEqual(["one"]);
    await project.calm();
    await project.destroy();
    expect(await policies("protected")).toBeUndefined();

    // What was retained is taken over again only on request.
    const again = await project
      .program(`new secrets.SchedulerRole("role", { name: "retained", policies: ["one"] });`)
      .pulumi("up", "--yes", "--skip-preview");
    expect(again.output).toContain("exists already");
  });

  test("aliases, components, transforms and customTimeouts: another place in the program sends nothing", async () => {
    const { project } = everything;
    const inner = (aliases: string): string => `
      class Team extends pulumi.ComponentResource {
        constructor(name, policies, opts) {
          super("test:Team", name, {}, opts);
          const parent = { parent: this };
          this.role = new secrets.SchedulerRole(name + "-role", { name, policies }, parent);
          new platform.ModuleVersionDeprecation(name + "-version", { ${versionOf("1.0.0")}, reason: "Old." }, parent);
          this.registerOutputs({ id: this.role.id });
        }
      }
      class Division extends pulumi.ComponentResource {
        constructor(name, opts) {
          super("test:Division", name, {}, opts);
          this.team = new Team("team", ["one"], { parent: this });
          new secrets.SchedulerRoles(name + "-set", { roles: { a: { policies: ["one"] } } }, { parent: this${aliases} });
          new platform.GeneralSettings("general", { apiRateLimit: 100 }, { parent: this });
          new platform.AdminWorkspace("workspace", { workspaceId: "ws-acmeNetworkTest", destroyOnDelete: true }, { parent: this });
          this.registerOutputs({});
        }
      }`;
    const before = `${inner("")}
      const division = new Division("division");
      new secrets.SchedulerLease("lease", { ttl: "1h" }, { customTimeouts: { create: "1s", update: "1s", delete: "1s" } });
      exports.id = division.team.role.id;`;
    await project.program(before).up();
    await project.calm();

    // The whole tree moves under a company, the lease into it, and what was called by the division is called by its new name.
    const tree = (moved: boolean, opts: string): string => {
      const aliases = (text: string): string => (moved ? `aliases: [${text}]` : "");
      return `${inner(`, ${aliases('{ name: "division-set" }')}`)}
        class Company extends pulumi.ComponentResource {
          constructor(opts) {
            super("test:Company", "company", {}, opts);
            this.division = new Division("department", { parent: this, ${aliases('{ name: "division", parent: pulumi.rootStackResource }')} });
            new secrets.SchedulerLease("rented", { ttl: "1h" }, { parent: this, ${aliases('{ name: "lease", parent: pulumi.rootStackResource }')} });
          }
        }
        exports.id = new Company(${opts}).division.team.role.id;`;
    };
    expect(await writes(() => project.program(tree(true, "{}")).up())).toEqual([]);
    const urns = (await project.resources()).map(({ urn }) => urn);
    expect(urns.filter((urn) => urn.includes("test:Company$test:Division$test:Team$pulumi-nodejs:dynamic/steward/"))).toHaveLength(2);
    expect(urns.filter((urn) => urn.includes("SchedulerLease::"))).toEqual([expect.stringContaining("::rented")]);
    await project.calm();

    // What the whole tree is declared with is changed from outside it. A slow server takes longer than the timeout, of which the engine does not tell
    // a dynamic provider.
    const transforms = `{ transforms: [({ type, props, opts }) => {
      if (type.endsWith(":SchedulerRole")) return { props: { ...props, policies: ["added"] }, opts };
      if (type.endsWith(":SchedulerLease")) return { props: { ...props, ttl: "2h" }, opts: { ...opts, customTimeouts: { update: "1s" } } };
    }] }`;
    const transformation =
      "({ type, props, opts }) => (type.endsWith(':SchedulerRole') ? { props: { ...props, global: true }, opts } : undefined)";
    const transformed = `pulumi.runtime.registerStackTransformation(${transformation}); ${tree(false, transforms)}`;
    everything.sandbox.faults.add({ system: "secrets", method: "POST", path: /config\/lease$/, action: "delay", delayMs: 1500 });
    expect(await writes(() => project.program(transformed).up())).toEqual(["POST config/lease", "POST role/team"]);
    const { data } = await everything.target.outside("GET", `${everything.mount}/role/team`);
    expect(data).toMatchObject({ policies: ["added"], global: true });
    await project.calm();
    await project.destroy();
    expect([await policies("team"), await workspace("ws-acmeNetworkTest")]).toEqual([undefined, 404]);
  });

  test("transforms that give resources of one name mounts of their own: nothing is declared twice", async () => {
    const { project, target, mount } = everything;
    const other = await target.newMount();
    await project
      .program(`
        const at = (mount) => ({ transforms: [({ props, opts }) => ({ props: { ...props, mount }, opts })] });
        new secrets.SchedulerRole("here", { name: "web", policies: ["here"] }, at("${mount}"));
        new secrets.SchedulerRole("there", { name: "web", policies: ["there"] }, at("${other}"));`)
      .up();
    expect([await policies("web"), (await target.outside("GET", `${other}/role/web`)).data?.policies]).toEqual([["here"], ["there"]]);
    await project.calm();
  });
});
