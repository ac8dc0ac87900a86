import { createPlugin } from "../../../provider/adapters/plugin";
import { Sandbox, start } from "../../../sandbox/index";
import { Context } from "../../cases/case";
import { configOf, contextOf, resetAll } from "../../support/context";
import { Engine, noEngine } from "../../support/engine";
import { limits } from "../../support/limits";
import { endPlugin, NativeEngine } from "../../support/native-engine";

// The native plugin where the engine tells it other things than it tells the dynamic provider.

let sandbox: Sandbox;
let context: Context;
beforeAll(async () => {
  Object.assign(limits, { initialBackoff: 1, maxRetries: 1 });
  sandbox = await start({ dialect: "hashicorp" });
  context = contextOf(sandbox, "hashicorp");
  jest.spyOn(console, "log").mockImplementation(() => {});
});
beforeEach(() => resetAll(context));
afterAll(async () => {
  await endPlugin();
  await sandbox.close();
});

const path = "/api/v2/admin/customization-settings";
const attributes = async (): Promise<Record<string, unknown>> =>
  ((await context.outOfBand("platform", "GET", path)) as { data: { attributes: Record<string, unknown> } }).data.attributes;

describe.each([
  ["dynamic", Engine],
  ["native", NativeEngine],
] as const)("%s", (_, Mechanism) => {
  test.each(["up", "destroy"] as const)(
    "an attribute that joined in an update which lost its response is put back by the next %s",
    async (next) => {
      const engine = new Mechanism("platform:CustomizationSettings", configOf(context));
      const before = await attributes();
      await engine.up({ footer: "ours" });
      sandbox.faults.add({ system: "platform", method: "PATCH", path, action: "drop-after", times: 9 });
      await expect(engine.up({ footer: "ours", error: "Call us." })).rejects.toThrow("PATCH");
      sandbox.faults.clear();
      expect((await attributes()).error).toBe("Call us.");
      if (next === "up") {
        await engine.up({ footer: "ours" });
        expect(await attributes()).toEqual({ ...before, footer: "ours" });
      }
      await engine.destroy();
      expect(await attributes()).toEqual(before);
    },
  );
});

describe("the settings of a provider", () => {
  const { checkConfiguration } = createPlugin({ environment: {}, engine: noEngine }, () => {});
  const address = "http://127.0.0.1:8200";
  const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

  test.each([
    ["a system as an object", { secrets: { address } }],
    ["a system as JSON", { platform: JSON.stringify({ address }) }],
    ["a connection", { production: { secrets: { address } }, default: JSON.stringify({ platform: { address } }) }],
    ["what a preview cannot know", { secrets: unknown, production: unknown }],
    ["what Pulumi adds", { version: "1.2.3", pluginDownloadURL: "https://x", native: "true" }],
  ])("%s is accepted", (_, settings) => expect(checkConfiguration(settings)).toEqual([]));

  test.each([
    ["secrets", "{canary"],
    ["platform", '["canary"]'],
    ["scheduler", "canary"],
    ["production", "{canary"],
    ["default", ["canary"]],
    ["constructor", "canary"],
  ])("%s: %j is refused by its name, without its value", (name, value) => {
    const failures = checkConfiguration({ [name]: value });
    expect(failures).toEqual([expect.objectContaining({ path: name, rule: "connection" })]);
    expect(JSON.stringify(failures)).not.toContain("canary");
  });
});

test.each(["", "x", "nomad/role/", "nomad//role/web", "nomad/role/../web"])("an import by the id %j says how to write it", async (id) => {
  const role = new NativeEngine("secrets:SchedulerRole", configOf(context));
  await expect(role.import(id)).rejects.toThrow(`"${id}" is not a valid id. Write it as <mount>/role/<name>.`);
});

test("an import of nothing names the id, and the import", async () => {
  await context.outOfBand("secrets", "POST", "/v1/nomad/role/other", { policies: "a", type: "client" });
  const role = new NativeEngine("secrets:SchedulerRole", configOf(context));
  await expect(role.import("nomad/role/none")).rejects.toThrow(
    /the id "nomad\/role\/none"\. Correct the id, or remove this import or `get`\.$/,
  );
});

test("a null in a map, as YAML writes an empty value, is refused by its path", async () => {
  const roles = new NativeEngine("secrets:SchedulerRoles", configOf(context));
  const reason = await roles.up({ roles: { one: { policies: ["a"] }, two: null } }).then(String, String);
  expect(reason).toContain("roles.two: ");
});

test("operations of many resources run side by side in one plugin", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `role-${index}`);
  const roles = names.map((name) => ({ name, engine: new NativeEngine("secrets:SchedulerRole", configOf(context)) }));
  await Promise.all(roles.map(({ name, engine }) => engine.up({ name, policies: [name] }, { remembers: true })));
  expect(roles.map(({ engine }) => engine.outputs().policies)).toEqual(names.map((name) => [name]));
});
