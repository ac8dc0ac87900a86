import { platform } from "../../../provider";
import { onEachPlatform } from "../../support/platform";
import { refusal } from "../../support/refusal";

const body = '{"errors":[{"status":"404","title":"not found"}]}';

onEachPlatform("a platform that is older than an endpoint", (current) => {
  const removed = (path: RegExp): void =>
    current().sandbox.faults.add({ system: "platform", path, action: "respond", status: 404, body, times: Number.POSITIVE_INFINITY });

  test("is distinguished from a missing permission by reading the general settings", async () => {
    const { engine, requests } = current();
    removed(/customization/);
    const sent = await requests(() =>
      expect(engine("CustomizationSettings").up({ footer: "ours" })).rejects.toThrow(
        refusal("ERR_NOT_FOUND", {
          rule: "endpoint-missing",
          method: "GET",
          path: "/api/v2/admin/customization-settings",
          status: 404,
        }),
      ),
    );
    expect(sent).toEqual(["GET customization-settings", "GET general-settings"]);
  });

  test("removes nothing from the state", async () => {
    const { engine } = current();
    const texts = engine("CustomizationSettings");
    await texts.up({ footer: "ours" });
    removed(/customization/);
    await expect(texts.refresh()).rejects.toThrow(refusal("ERR_NOT_FOUND", { rule: "endpoint-missing" }));
    expect(texts.state?.outputs).toMatchObject({ footer: "ours" });
  });

  test("is reported for the list of workspaces, too", async () => {
    current().configureProgram();
    removed(/workspaces/);
    await expect(platform.listWorkspaces().totalCount()).rejects.toThrow(refusal("ERR_NOT_FOUND", { rule: "endpoint-missing" }));
  });
});
