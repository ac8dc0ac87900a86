import { signatureKey, unknown } from "../../../provider/contract/inputs";
import { onEachDialect } from "../../sandbox/sandbox";
import { configOf } from "../../support/context";
import { Engine } from "../../support/engine";
import { refusal } from "../../support/refusal";

// Values of a server that Pulumi cannot store, or takes for its own.

onEachDialect("a value of the server that Pulumi cannot store", ({ dialect, engine: mount, sandbox, to }) => {
  const engine = (token: string): Engine => new Engine(token, configOf({ sandbox: sandbox(), dialect }));
  const outside = (path: string, body: object) => to.secrets("POST", `/v1/${mount}/${path}`, body);

  test.each([
    ["secrets:SchedulerRole", { name: "web", policies: ["a"] }, "policies[0]"],
    ["secrets:SchedulerRoles", { roles: { web: { policies: ["a"] } } }, "roles.web.policies[0]"],
  ])("is an error of %s that names it", async (token, inputs, path) => {
    const resource = engine(token);
    await resource.up(inputs);
    const before = structuredClone(resource.state);
    await outside("role/web", { policies: unknown, type: "client" });
    await expect(resource.refresh()).rejects.toThrow(refusal("ERR_UNEXPECTED_RESPONSE", { rule: "unstorable" }));
    await expect(resource.refresh()).rejects.toThrow(`the value of ${path} on the server`);
    expect(resource.state).toEqual(before);
    // An update reverts it.
    await outside("role/web", { policies: "b", type: "client" });
    expect(await resource.refresh()).not.toEqual([]);
    await resource.destroy();
  });

  test("is an error of an exclusive set that names the role", async () => {
    const roles = engine("secrets:SchedulerRoles");
    await roles.up({ roles: { web: { policies: ["a"] } }, exclusive: true });
    await outside(`role/${unknown}`, { policies: "b", type: "client" });
    await expect(roles.refresh()).rejects.toThrow(`roles whose names Pulumi cannot store: "${unknown}"`);
  });

  test.each([
    ["a mark of Pulumi", JSON.stringify({ [signatureKey]: "nope" })],
    ["an asset", JSON.stringify({ [signatureKey]: "c44067f5952c0a294b673a41bacd8c17", uri: "http://127.0.0.1:1/meta-data" })],
    ["5,000 levels", "[".repeat(5_000) + "]".repeat(5_000)],
  ])("is an error of settings that names the attribute: %s", async (_, footer) => {
    const settings = engine("platform:CustomizationSettings");
    await settings.up({ error: "Call us." });
    const path = "/api/v2/admin/customization-settings";
    const { json } = await to.platform("GET", path);
    json.data.attributes.footer = "the footer";
    const body = JSON.stringify(json).replace('"the footer"', footer);
    sandbox().faults.add({ system: "platform", method: "GET", path, action: "respond", status: 200, body });
    await expect(settings.refresh()).rejects.toThrow("the value of footer is no string, number or boolean");
    expect(await settings.refresh()).toEqual([]);
  });

  test("is the placeholder of an unknown value in settings", async () => {
    const settings = engine("platform:CustomizationSettings");
    await settings.up({ error: "Call us." });
    const data = { attributes: { footer: unknown } };
    await to.platform("PATCH", "/api/v2/admin/customization-settings", { data });
    await expect(settings.refresh()).rejects.toThrow("the value of footer on the server");
  });
});
