import { platform } from "../../../provider";
import { onEachPlatform } from "../../support/platform";

const body = '{"errors":[{"status":"404","title":"not found"}]}';

onEachPlatform("a platform that is older than an endpoint", (current) => {
  const removed = (path: RegExp): void =>
    current().sandbox.faults.add({ system: "platform", path, action: "respond", status: 404, body, times: Number.POSITIVE_INFINITY });

  test("is told from a missing right: the general settings are shown to an administrator", async () => {
    const { engine, requests } = current();
    removed(/customization/);
    const sent = await requests(() =>
      expect(engine("CustomizationSettings").up({ footer: "ours" })).rejects.toMatchObject({
        code: "ERR_NOT_FOUND",
        message:
          'Cannot create customization settings "customization": this release of the platform has no such endpoint (GET /api/v2/admin/customization-settings, 404). Upgrade the platform: customization settings exist from release 202003-1, the administration of workspaces from release 201807-1.',
      }),
    );
    expect(sent).toEqual(["GET customization-settings", "GET general-settings"]);
  });

  test("removes nothing from the state", async () => {
    const { engine } = current();
    const texts = engine("CustomizationSettings");
    await texts.up({ footer: "ours" });
    removed(/customization/);
    await expect(texts.refresh()).rejects.toMatchObject({ code: "ERR_NOT_FOUND" });
    expect(texts.state?.outputs).toMatchObject({ footer: "ours" });
  });

  test("says so of the list of workspaces, too", async () => {
    current().configureProgram();
    removed(/workspaces/);
    await expect(platform.listWorkspaces().totalCount()).rejects.toMatchObject({ code: "ERR_NOT_FOUND" });
  });

  test("is not suspected where the token is not an administrator's", async () => {
    const { engine, service } = current();
    const texts = engine("CustomizationSettings", { token: service.memberToken });
    await expect(texts.up({})).rejects.toMatchObject({ code: "ERR_FORBIDDEN", status: 404 });
  });
});
