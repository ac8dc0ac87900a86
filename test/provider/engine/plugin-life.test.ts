import { unknown } from "../../../provider/contract/inputs";
import { noEngine } from "../../../provider/contract/operation";
import { createPlugin } from "../../../provider/engine/plugin";
import { wrapSecrets } from "../../../provider/engine/plugin-values";
import { Sandbox } from "../../../sandbox/index";
import { Context } from "../../cases/case";
import { configOf, contextOf, resetAll } from "../../support/context";
import { Engine, NativeEngine } from "../../support/engine";
import { limits } from "../../support/limits";
import { printed } from "../../support/printed";
import { startSandbox } from "../../support/sandbox";

// Cases in which the engine sends the native plugin other requests than the dynamic provider.

let sandbox: Sandbox;
let context: Context;
beforeAll(async () => {
  Object.assign(limits, { initialBackoff: 1, maxRetries: 1 });
  sandbox = await startSandbox();
  context = contextOf(sandbox, "hashicorp");
});
beforeEach(() => resetAll(context));

const path = "/api/v2/admin/customization-settings";
test.each(["an update", "a replacement"])(
  "a value that was a secret of the program is not printed in %s, by both mechanisms",
  async (kind) => {
    for (const [Mechanism, secret] of [
      [Engine, { footer: "canary", __secretInputs: ["footer"] }],
      [NativeEngine, wrapSecrets({ footer: "canary" }, [["footer"]])],
    ] as const) {
      printed.length = 0;
      await context.outOfBand("platform", "PATCH", path, { data: { attributes: { footer: "canary" } } });
      const engine = new Mechanism("platform:CustomizationSettings", configOf(context));
      await engine.up({ ...secret, onDelete: "retain" });
      await engine.up({ onDelete: "retain" });
      if (kind === "an update") await engine.up({ footer: "ours", onDelete: "retain" });
      else await engine.replace({ footer: "ours", onDelete: "retain" });
      expect(printed).toEqual(['customization settings "customization": adoption changes footer: [secret] -> [secret].']);
    }
  },
);

describe("the settings of a provider", () => {
  const { checkConfiguration } = createPlugin({ environment: {}, engine: noEngine }, () => {});
  const server = { address: "http://127.0.0.1:8200", dialect: "standard" };

  test.each([
    ["a system as an object", { secrets: server }],
    ["a system as JSON", { platform: JSON.stringify(server) }],
    ["a connection", { production: { secrets: server }, default: JSON.stringify({ platform: server }) }],
    ["a value that is unknown in a preview", { secrets: unknown, production: unknown }],
    ["a value that Pulumi adds", { version: "1.2.3", pluginDownloadURL: "https://x", native: "true" }],
  ])("%s is accepted", (_, settings) => expect(checkConfiguration(settings)).toEqual([]));

  test.each([
    ["secrets", "{canary"],
    ["platform", '["canary"]'],
    ["scheduler", "canary"],
    ["production", "{canary"],
    ["default", ["canary"]],
    ["constructor", "canary"],
  ])("%s: %j is rejected by its name, without its value", (name, value) => {
    const failures = checkConfiguration({ [name]: value });
    expect(failures).toEqual([expect.objectContaining({ path: name, rule: "connection" })]);
    expect(JSON.stringify(failures)).not.toContain("canary");
  });
});

describe("an import of settings", () => {
  const writes = (): number => sandbox.requests().filter(({ method }) => method !== "GET").length;

  test("keeps undeclared attributes, without a warning", async () => {
    const general = new NativeEngine("platform:GeneralSettings", configOf(context));
    const { apiRateLimit, ...others } = await general.import("general");
    expect(Object.keys(others).length).toBeGreaterThan(1);
    const before = writes();
    await general.up({ apiRateLimit });
    expect(general.outputs().managed).toEqual(["apiRateLimit"]);
    await general.destroy();
    expect([writes() - before, printed]).toEqual([0, []]);
  });

  test("that later changed outside Pulumi restores their values at the import", async () => {
    const footer = async (): Promise<unknown> =>
      ((await context.outOfBand("platform", "GET", path)) as { data: { attributes: { footer: unknown } } }).data.attributes.footer;
    const customization = new NativeEngine("platform:CustomizationSettings", configOf(context));
    const [imported, before] = [await customization.import("customization"), await footer()];
    await context.outOfBand("platform", "PATCH", path, { data: { attributes: { footer: "another client" } } });
    expect(await customization.refresh()).toEqual(["footer"]);
    expect(await customization.up(imported)).toBe("update");
    expect(await footer()).toBe(before);
    await customization.destroy();
    expect(await footer()).toBe(before);
  });
});

test.each(["", "x", "nomad/role/", "nomad//role/web", "nomad/role/../web"])("an import by the id %j names the valid form", async (id) => {
  const role = new NativeEngine("secrets:SchedulerRole", configOf(context));
  await expect(role.import(id)).rejects.toThrow(`"${id}" is not a valid id. Write it as <mount>/role/<name>.`);
});

test("an import of an object that does not exist names the id and the import", async () => {
  await context.outOfBand("secrets", "POST", "/v1/nomad/role/other", { policies: "a", type: "client" });
  const role = new NativeEngine("secrets:SchedulerRole", configOf(context));
  await expect(role.import("nomad/role/none")).rejects.toThrow(
    /the id "nomad\/role\/none"\. Correct the id, or remove this import or `get`\.$/,
  );
});

test("operations of many resources run in parallel in one plugin", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `role-${index}`);
  const roles = names.map((name) => ({ name, engine: new NativeEngine("secrets:SchedulerRole", configOf(context)) }));
  await Promise.all(roles.map(({ name, engine }) => engine.up({ name, policies: [name] }, { remembers: true })));
  expect(roles.map(({ engine }) => engine.outputs().policies)).toEqual(names.map((name) => [name]));
});
