import { Sandbox, start } from "../../../sandbox/index";
import { Context } from "../../cases/case";
import { configOf, contextOf, resetAll } from "../../support/context";
import { Engine } from "../../support/engine";
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
