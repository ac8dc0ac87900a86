import { onEachPlatform } from "../../support/platform";
import { printedBesidesAdoption } from "../../support/printed";
import { invalidInputs, refusal } from "../../support/refusal";

const misspelt = { "require-two-factor-for-admin": true };
const refused = invalidInputs('extra["require-two-factor-for-admin"]: unknown-attribute');

onEachPlatform(
  "an attribute in extra that the platform does not show",
  (current) => {
    /** The state of a release that accepted unconfirmed attributes. */
    const trusted = async (inputs: object = {}): Promise<ReturnType<ReturnType<typeof current>["engine"]>> => {
      const general = current().engine("GeneralSettings");
      await general.up({ apiRateLimit: 100, extra: { "apply-timeout": "12h" }, ...inputs });
      const state = general.state as NonNullable<typeof general.state>;
      state.inputs = { ...state.inputs, extra: misspelt };
      const managed = ["apiRateLimit", "extra.require-two-factor-for-admin"];
      const declared = (state.outputs.declared as string[]).map((name) => name.replace("apply-timeout", "require-two-factor-for-admin"));
      const { "extra.apply-timeout": _, ...originalValues } = state.outputs.originalValues as Record<string, unknown>;
      state.outputs = { ...state.outputs, managed, declared, originalValues, extra: { ...(state.outputs.extra as object), ...misspelt } };
      return general;
    };

    test("is rejected before anything is sent, at the creation and when it is added", async () => {
      const { engine, requests } = current();
      const general = engine("GeneralSettings");
      const inputs = { apiRateLimit: 100, extra: misspelt };
      expect(await requests(() => expect(general.up(inputs)).rejects.toThrow(refused))).toEqual(["GET general-settings"]);
      expect(general.state).toBeUndefined();
      await general.up({ apiRateLimit: 100 });
      expect(await requests(() => expect(general.up(inputs)).rejects.toThrow(refused))).toEqual(["GET general-settings"]);
    });

    test("that misspells the name of an argument suggests that argument, and all are named at once", async () => {
      const saml = current().engine("SamlSettings");
      const extra = { "atr-groups": "teams", "colour-scheme": "dark" };
      const failures = [
        { path: 'extra["atr-groups"]', rule: "unknown-attribute", reason: expect.stringContaining('"attrGroups"') },
        { path: 'extra["colour-scheme"]', rule: "unknown-attribute", reason: expect.not.stringContaining('"') },
        { path: "enabled", rule: "missing-attributes", reason: expect.stringContaining(" idpCert, sloEndpointUrl, ssoEndpointUrl,") },
      ];
      await expect(saml.up({ enabled: true, extra })).rejects.toMatchObject({ code: "ERR_INVALID_INPUT", details: { failures } });
    });

    test("and that is in the state is reported by a refresh and rejected by the next up", async () => {
      const general = await trusted();
      expect(await general.refresh()).toEqual(["extra"]);
      expect(general.outputs().extra).not.toHaveProperty("require-two-factor-for-admin");
      await expect(general.up({ apiRateLimit: 100, extra: misspelt })).rejects.toThrow(refused);
    });

    test.each([true, false])("and that is in the state is removed by the next up (after a refresh: %s)", async (isRefreshed) => {
      const general = await trusted();
      if (isRefreshed) await general.refresh();
      const inputs = { apiRateLimit: 100, extra: { "plan-timeout": "1h" } };
      expect(await general.up(inputs)).toBe("update");
      expect(general.outputs().managed).toEqual(["apiRateLimit", "extra.plan-timeout"]);
      expect(general.outputs().extra).not.toHaveProperty("require-two-factor-for-admin");
      expect(await general.refresh()).toEqual([]);
      expect(await general.up(inputs)).toBe("same");
      expect(printedBesidesAdoption()).toEqual([]);
    });

    test("and that is in the state does not prevent a complete destroy", async () => {
      const general = await trusted();
      await general.destroy();
      expect((await current().held("general")).apiRateLimit).toBe(30);
      expect(printedBesidesAdoption()).toEqual([]);
    });

    test("and that is in the state fails a write of other attributes, which are stored", async () => {
      const general = await trusted();
      const inputs = { apiRateLimit: 200, extra: { "require-two-factor-for-admin": false } };
      await expect(general.up(inputs)).rejects.toThrow(refusal("ERR_INCOMPLETE", { rule: "unknown-attribute" }));
      expect((await current().held("general")).apiRateLimit).toBe(200);
      await expect(general.up(inputs)).rejects.toThrow(refused);
      expect(await general.up({ apiRateLimit: 200 })).toBe("update");
      expect(await general.refresh()).toEqual([]);
      await general.destroy();
      expect((await current().held("general")).apiRateLimit).toBe(30);
    });

    test("keeps SAML enabled when it is removed from the program", async () => {
      const { engine } = current();
      const saml = engine("SamlSettings");
      await saml.up({ debug: true });
      const state = saml.state as NonNullable<typeof saml.state>;
      state.outputs.managed = ["debug", "extra.provider-typ"];
      state.outputs.declared = ["debug", "extra.provider-typ"];
      state.outputs.extra = { ...(state.outputs.extra as object), "provider-typ": "okta" };
      state.outputs.enabled = true;
      expect(await current().requests(() => saml.up({ debug: true }))).toEqual([]);
      expect(saml.outputs().enabled).toBe(true);
      expect(printedBesidesAdoption()).toEqual([]);
    });
  },
  ["hashicorp"],
);

onEachPlatform("extraWriteOnly", (current) => {
  const inputs = { extra: { "later-secret": "canary-later" }, extraWriteOnly: ["later-secret"] };
  const standard = ["extra: dialect", "extraWriteOnly: dialect"];

  test("lists accepted attributes that are never shown, without drift or another write", async () => {
    const { engine, requests, dialect } = current();
    const general = engine("GeneralSettings");
    if (dialect === "standard") return expect(await general.problems(inputs)).toEqual(standard);
    expect(await requests(() => general.up(inputs))).toEqual(["GET general-settings", "PATCH general-settings"]);
    expect(await general.refresh()).toEqual([]);
    expect(await requests(async () => expect(await general.up(inputs)).toBe("same"))).toEqual([]);
    const changed = { ...inputs, extra: { "later-secret": "canary-other" } };
    expect(await requests(() => general.up(changed))).toEqual(["PATCH general-settings"]);
    // Without the list, the attribute is unknown again.
    await expect(general.up({ extra: changed.extra })).rejects.toThrow(invalidInputs('extra["later-secret"]: unknown-attribute'));
    expect(await requests(() => general.up({}))).toEqual([]);
    expect(JSON.stringify(general.state)).not.toContain("canary");
    expect(printedBesidesAdoption()).toEqual([expect.stringMatching(/^warning: general settings "general": extra\.later-secret /)]);
  });

  test("is not in an error, although the server echoes it", async () => {
    const { engine, sandbox, dialect } = current();
    if (dialect === "standard") return;
    const body = JSON.stringify({ errors: ["canary-later is too short"] });
    sandbox.faults.add({ system: "platform", method: "PATCH", path: /general/, action: "respond", status: 422, body });
    await expect(engine("GeneralSettings").up(inputs)).rejects.toThrow("[secret] is too short");
  });

  test("accepts the same names as `extra`", async () => {
    const { engine, dialect } = current();
    const problems = await engine("GeneralSettings").problems({ extraWriteOnly: ["api-rate-limit", "laterSecret"] });
    expect(problems).toEqual(
      dialect === "standard" ? [standard[1]] : ["extraWriteOnly[0]: own-input", "extraWriteOnly[1]: attribute-name"],
    );
  });
});
