import { platform } from "../../../provider";
import { NativeEngine } from "../../support/engine";
import { onEachPlatform } from "../../support/platform";
import { printed, printedBesidesAdoption } from "../../support/printed";
import { refusal } from "../../support/refusal";
import { registered } from "../../support/registered";

const notFound = { errors: [{ status: "404", title: "not found" }] };

onEachPlatform("managed attributes", (current) => {
  test("an attribute with the current value is not written, also on removal, and its drift is detected", async () => {
    const { engine, requests, change, held } = current();
    const general = engine("GeneralSettings");
    expect(await requests(() => general.up({ apiRateLimit: 30 }))).toEqual(["GET general-settings"]);
    await change("general", { apiRateLimit: 90 });
    expect(await general.refresh()).toEqual(["apiRateLimit"]);
    await general.up({ apiRateLimit: 30 });
    expect((await held("general")).apiRateLimit).toBe(30);
    expect(await requests(() => general.up({}))).toEqual([]);
    expect(general.outputs().managed).toEqual([]);
  });

  test("a change of an imported attribute is no adoption", async () => {
    const { config, change, held } = current();
    await change("general", { apiRateLimit: 90 });
    const general = new NativeEngine("platform:GeneralSettings", config());
    const imported = await general.import("general");
    await general.up({ ...imported, apiRateLimit: 60 });
    expect([printed, (await held("general")).apiRateLimit]).toEqual([[], 60]);
    await general.destroy();
    expect((await held("general")).apiRateLimit).toBe(90);
    // A value that changed on the server since the import is overwritten with a line.
    const { defaultRemoteStateAccess, ...inputs } = await general.import("general");
    await change("general", { apiRateLimit: 40, defaultRemoteStateAccess: !defaultRemoteStateAccess });
    await general.up({ ...inputs, defaultRemoteStateAccess, apiRateLimit: 60 });
    expect(printed.join()).toContain(
      `adoption changes defaultRemoteStateAccess: ${!defaultRemoteStateAccess} -> ${defaultRemoteStateAccess}`,
    );
  });

  test("the original value of an added attribute is read from the server, not from the state", async () => {
    const { engine, requests, change, held } = current();
    const general = engine("GeneralSettings");
    await general.up({ apiRateLimit: 100 });
    await change("general", { defaultRemoteStateAccess: false });
    const joined = { apiRateLimit: 100, defaultRemoteStateAccess: true };
    expect(await requests(() => general.up(joined))).toEqual(["GET general-settings", "PATCH general-settings"]);
    expect(general.outputs().managed).toEqual(["apiRateLimit", "defaultRemoteStateAccess"]);
    expect(printed.at(-1)).toBe('general settings "general": adoption changes defaultRemoteStateAccess: false -> true.');
    await general.destroy();
    expect(await held("general")).toMatchObject({ apiRateLimit: 30, defaultRemoteStateAccess: false });
  });

  test("a removed attribute is restored and not in `managed`, and its value is captured again when it returns", async () => {
    const { engine, requests, change, held } = current();
    const texts = engine("CustomizationSettings");
    await change("customization", { footer: "theirs" });
    await texts.up({ footer: "ours", error: "ours" });
    expect(await requests(() => texts.up({ error: "ours" }))).toEqual(["PATCH customization-settings"]);
    expect(await held("customization")).toMatchObject({ footer: "theirs", error: "ours" });
    expect(texts.outputs().managed).toEqual(["error"]);
    await change("customization", { footer: "theirs again" });
    expect(await texts.refresh()).toEqual([]);
    await texts.up({ error: "ours", footer: "ours again" });
    await texts.destroy();
    expect(await held("customization")).toMatchObject({ footer: "theirs again", error: "" });
  });

  test("preview prints the value that an attribute returns to, unless it is secret", async () => {
    const { engine } = current();
    const cost = engine("CostEstimationSettings");
    await cost.up({ cloudAAccessKeyId: "AKIA", cloudASecretKey: "canary" });
    await cost.preview({});
    expect(printedBesidesAdoption()).toEqual([
      expect.stringMatching(/^warning: cost estimation settings "cost-estimation": cloudAAccessKeyId: .* an empty value$/),
    ]);
    const general = engine("GeneralSettings");
    await general.up({ apiRateLimit: 100, defaultRemoteStateAccess: false });
    await general.preview({ defaultRemoteStateAccess: false });
    expect(printed.at(-1)).toMatch(/^warning: general settings "general": apiRateLimit: (?!.*nothing$)/);
  });

  test("an update sends only changed attributes", async () => {
    const { engine, change, held } = current();
    const general = engine("GeneralSettings");
    const inputs = { apiRateLimit: 200, defaultRemoteStateAccess: false };
    await general.up({ ...inputs, apiRateLimit: 100 });
    // A write with more than the changed attribute would revert this one.
    await change("general", { defaultRemoteStateAccess: true });
    await general.up(inputs);
    expect((await held("general")).defaultRemoteStateAccess).toBe(true);
    // The response shows it, so the next up reverts it without a refresh.
    expect(await general.up(inputs)).toBe("update");
    expect((await held("general")).defaultRemoteStateAccess).toBe(false);
  });

  test('onDelete "retain" keeps all values, and changing onDelete sends nothing', async () => {
    const { engine, requests, held } = current();
    const general = engine("GeneralSettings");
    await general.up({ apiRateLimit: 100, onDelete: "retain" });
    expect(await requests(() => general.destroy())).toEqual([]);
    expect((await held("general")).apiRateLimit).toBe(100);
    const again = engine("GeneralSettings");
    await again.up({ apiRateLimit: 200, onDelete: "retain" });
    expect(await requests(async () => expect(await again.up({ apiRateLimit: 200 })).toBe("update"))).toEqual([]);
    await again.destroy();
    expect((await held("general")).apiRateLimit).toBe(100);
  });

  test("a 404 of settings is reported as a missing permission and keeps the state", async () => {
    const { engine, service, held } = current();
    const general = engine("GeneralSettings");
    const forbidden = refusal("ERR_FORBIDDEN", { rule: "not-administrator", path: "/api/v2/admin/general-settings", status: 404 });
    await general.up({ apiRateLimit: 100 });
    general.configure(current().config({ token: service.memberToken }));
    for (const operation of [() => general.refresh(), () => general.up({ apiRateLimit: 200 }), () => general.destroy()])
      await expect(operation()).rejects.toThrow(forbidden);
    expect(general.state?.outputs).toMatchObject({ apiRateLimit: 100 });
    await expect(engine("GeneralSettings", { token: service.memberToken }).up({})).rejects.toThrow(forbidden);
    general.configure(current().config());
    await general.destroy();
    expect((await held("general")).apiRateLimit).toBe(30);
  });

  test("an endpoint that an older platform does not have is distinguished from a missing permission by reading the general settings, and removes nothing from the state", async () => {
    const { engine, requests, fault } = current();
    const texts = engine("CustomizationSettings");
    await texts.up({ footer: "ours" });
    fault(/customization/, { status: 404, body: notFound, times: 9 });
    const read = { method: "GET", path: "/api/v2/admin/customization-settings", status: 404 };
    const missing = refusal("ERR_NOT_FOUND", { rule: "endpoint-missing", ...read });
    for (const operation of [() => texts.refresh(), () => engine("CustomizationSettings").up({ footer: "ours" })])
      expect(await requests(() => expect(operation()).rejects.toThrow(missing))).toEqual([
        "GET customization-settings",
        "GET general-settings",
      ]);
    expect(texts.state?.outputs).toMatchObject({ footer: "ours" });
  });
});

test("a forced replacement deletes before it creates", async () => {
  const request = await registered(() => new platform.GeneralSettings("general", {}));
  expect([request.getDeletebeforereplace(), request.getDeletebeforereplacedefined()]).toEqual([true, true]);
});
