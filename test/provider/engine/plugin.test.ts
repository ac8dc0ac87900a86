import { unknown } from "../../../provider/contract/inputs";
import { noEngine } from "../../../provider/contract/operation";
import { createPlugin } from "../../../provider/engine/plugin";
import { freshSandbox } from "../../sandbox/sandbox";
import { configOf } from "../../support/context";
import { limits } from "../../support/limits";

// Only the native plugin knows imports and the URNs of all resources.

const urn = (type: string, name: string): string => `urn:pulumi:dev::test::steward:${type}::${name}`;
const role = (name: string): string => urn("secrets:SchedulerRole", name);

const sandbox = freshSandbox({ dialect: "hashicorp" });
let lines: string[];
let plugin: ReturnType<typeof createPlugin>;

/** Starts a new plugin process, as each operation of the command line does. */
function startPlugin(): void {
  const settings = JSON.stringify(configOf({ sandbox: sandbox(), dialect: "hashicorp" })["steward:default"]);
  lines = [];
  plugin = createPlugin({ environment: {}, engine: noEngine, limits }, (_, line) => lines.push(line));
  plugin.configure({ default: settings, same: settings });
}
beforeEach(startPlugin);

const rulesOf = async (resource: string, news: Record<string, unknown>): Promise<string[]> =>
  (await plugin.check(resource, {}, news)).failures.map(({ path, rule, reason }) => {
    expect(reason).not.toMatch(/^undefined|\n/);
    return `${path}: ${rule}`;
  });

describe("two resources of one program", () => {
  const inputs = { name: "web", policies: ["read"] };

  test.each([{}, { connection: "same" }, { mount: "/nomad/" }])("must not declare the same object, also with %j", async (otherwise) => {
    expect(await rulesOf(role("first"), inputs)).toEqual([]);
    expect(await rulesOf(role("second"), { ...inputs, ...otherwise })).toEqual([": declared-twice"]);
    const { failures } = await plugin.check(role("second"), {}, { ...inputs, ...otherwise });
    expect(failures[0]?.reason).toContain('the resource "first"');
    expect(await rulesOf(role("first"), inputs)).toEqual([]);
    expect(await rulesOf(role("third"), { ...inputs, name: "other" })).toEqual([]);
  });

  test("may declare objects that are not known yet", async () => {
    expect(await rulesOf(role("first"), { ...inputs, name: unknown })).toEqual([]);
    expect(await rulesOf(role("second"), { ...inputs, name: unknown })).toEqual([]);
  });

  test("must not declare an exclusive set and a role of its mount", async () => {
    const set = urn("secrets:SchedulerRoles", "set");
    const exclusive = { roles: { site: { policies: ["read"] } }, exclusive: true };
    expect(await rulesOf(set, exclusive)).toEqual([]);
    expect(await rulesOf(set, exclusive)).toEqual([]);
    expect(await rulesOf(role("one"), inputs)).toEqual([": declared-twice"]);
    expect(await rulesOf(role("two"), { ...inputs, mount: "other" })).toEqual([]);
    expect(await rulesOf(urn("secrets:SchedulerRoles", "second"), { ...exclusive, mount: "other" })).toEqual([": declared-twice"]);
  });
});

test.each([
  [
    "secrets:SchedulerRole",
    { name: "web", policies: [1.1, null] },
    { "policies[0]": "must be a string", "policies[1]": "must be a string" },
  ],
  ["secrets:SchedulerAccess", { address: "https://nomad.example.com", token: "t", caCert: 5 }, { caCert: "must be a string" }],
  [
    "secrets:SchedulerRoles",
    { roles: { one: { policies: ["a"] }, two: null } },
    { "roles.two": "must be an object with policies, global, type" },
  ],
])("a number or null, as YAML reads it without quotes, is rejected by its path: %s", async (type, news, reasons) => {
  const { failures } = await plugin.check(urn(type, "yaml"), {}, news);
  expect(Object.fromEntries(failures.map(({ path, reason }) => [path, reason]))).toEqual(reasons);
});

describe("an import", () => {
  const create = async (name: string): Promise<unknown> =>
    plugin.create(role("web"), (await plugin.check(role("web"), {}, { name, policies: ["read"] })).inputs, false);

  test("of a resource that names a connection is rejected", async () => {
    await create("imported");
    startPlugin();
    const found = await plugin.read(role("web"), "nomad/role/imported", {}, {});
    const inputs = found?.inputs ?? {};
    expect(inputs).toMatchObject({ name: "imported", policies: ["read"] });
    expect(await rulesOf(role("web"), { ...inputs, connection: "same" })).toEqual(["connection: import-connection"]);
    expect(await rulesOf(role("web"), { ...inputs, connection: "default" })).toEqual([]);
    startPlugin();
    expect(await rulesOf(role("web"), { ...inputs, connection: "same" })).toEqual([]);
  });

  test("of one role under several names keeps it while the program declares one of them", async () => {
    await create("several");
    const states = new Map<string, { state: Record<string, unknown>; inputs: Record<string, unknown> }>();
    for (const name of ["stays", "leaves", "leaves-too"]) {
      startPlugin();
      states.set(name, await plugin.read(role(name), "nomad/role/several", {}, {}).then((found) => found ?? { state: {}, inputs: {} }));
    }
    startPlugin();
    const { state = {}, inputs = {} } = states.get("stays") ?? {};
    const { inputs: news } = await plugin.check(role("stays"), inputs, inputs);
    expect(await plugin.diff(role("stays"), "nomad/role/several", state, inputs, news)).toMatchObject({ changes: false });
    for (const name of ["leaves", "leaves-too"]) await plugin.delete(role(name), "nomad/role/several", states.get(name)?.state ?? {});
    expect(lines).toEqual([expect.stringContaining("not deleted"), expect.stringContaining("not deleted")]);
    startPlugin();
    expect(await plugin.read(role("stays"), "nomad/role/several", state, inputs)).toBeDefined();
    await plugin.delete(role("stays"), "nomad/role/several", state);
    expect(await plugin.read(role("stays"), "nomad/role/several", state, inputs)).toBeUndefined();
  });
});
