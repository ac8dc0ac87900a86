import { platform } from "../../../provider";
import { onEachPlatform } from "../../support/platform";
import { refusal } from "../../support/refusal";

const body = '{"errors":[{"status":"404","title":"not found"}]}';

onEachPlatform("a platform that is older than an endpoint", (current) => {
  const removed = (path: RegExp): void => current().fault(path, { status: 404, body, times: Number.POSITIVE_INFINITY });

  test("is distinguished from a missing permission by reading the general settings, and removes nothing from the state", async () => {
    const { engine, requests } = current();
    const texts = engine("CustomizationSettings");
    await texts.up({ footer: "ours" });
    removed(/customization/);
    const read = { method: "GET", path: "/api/v2/admin/customization-settings", status: 404 };
    const missing = refusal("ERR_NOT_FOUND", { rule: "endpoint-missing", ...read });
    for (const operation of [() => texts.refresh(), () => engine("CustomizationSettings").up({ footer: "ours" })])
      expect(await requests(() => expect(operation()).rejects.toThrow(missing))).toEqual([
        "GET customization-settings",
        "GET general-settings",
      ]);
    expect(texts.state?.outputs).toMatchObject({ footer: "ours" });
  });

  test("is reported for the list of workspaces, too", async () => {
    current().configureProgram();
    removed(/workspaces/);
    await expect(platform.listWorkspaces().totalCount()).rejects.toThrow(refusal("ERR_NOT_FOUND", { rule: "endpoint-missing" }));
  });
});
