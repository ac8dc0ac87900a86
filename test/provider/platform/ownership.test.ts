import { clearCache } from "../../../provider/engine/dynamic-runtime";
import { onEachPlatform } from "../../support/platform";
import { printed } from "../../support/printed";

const remembers = { remembers: true };
const workspace = { workspaceId: "ws-acmeNetworkProd", destroyOnDelete: true };

onEachPlatform("one owner for each object of the platform", (current) => {
  const workspaceStatus = async (): Promise<number> =>
    (await current().outOfBand("GET", `/api/v2/admin/workspaces/${workspace.workspaceId}`)).status;

  test("a declared workspace is not destroyed if its new resource was not created", async () => {
    const [former, renamed] = [current().engine("AdminWorkspace"), current().engine("AdminWorkspace")];
    await former.up(workspace);
    clearCache();
    // A sibling that it depends on has failed. The engine checks the resource and then skips it.
    await renamed.preview(workspace);
    await expect(former.destroy(remembers)).rejects.toMatchObject({ code: "ERR_REJECTED" });
    expect(await workspaceStatus()).toBe(200);
    expect(former.state).toBeDefined();
  });

  const limits = { apiRateLimit: 400, defaultRemoteStateAccess: false };
  test.each([
    ["general", "GeneralSettings", { apiRateLimit: 77 }, limits],
    ["cost-estimation", "CostEstimationSettings", { cloudASecretKey: "canary-original" }, { cloudASecretKey: "canary-ours" }],
  ])(
    "%s settings whose resource was renamed keep the declared values, and a warning names the lost original values, without secrets",
    async (settings, type, theirs, inputs) => {
      const { change, held, engine } = current();
      await change(settings, theirs);
      // The new resource took over the settings in an earlier run, which did not reach the deletion.
      const [former, renamed] = [engine(type), engine(type)];
      for (const each of [former, renamed]) await each.up(inputs);
      clearCache();
      await renamed.up(inputs, remembers);
      await former.destroy(remembers);
      expect(await held(settings)).toMatchObject(inputs);
      expect(printed.at(-1)).toMatch(new RegExp(`^warning: .*: ${Object.keys(inputs).join(", ")}\\.`));
      expect(printed.join("\n")).not.toContain("canary");
      expect(await renamed.refresh()).toEqual([]);
    },
  );

  test.each([
    [0, 1],
    [1, 0],
    [1, 0, 2],
  ])("deleting resources of the same settings restores the values before all of them: %j %j %j", async (...order) => {
    const { change, held, engine } = current();
    await change("customization", { footer: "theirs", error: "their error" });
    const declared = [
      { footer: "ours", error: "their error" },
      { footer: "ours again", error: "our error", loginHelp: "ask us" },
      { footer: "ours at last" },
    ];
    const resources = order.map(() => engine("CustomizationSettings"));
    for (const [index, resource] of resources.entries()) await resource.up(declared[index] ?? {});
    clearCache();
    for (const index of order) await resources[index]?.destroy(remembers);
    expect(await held("customization")).toMatchObject({ footer: "theirs", error: "their error", loginHelp: "" });
  });

  test("settings that another resource enables stay enabled if a password cannot be restored", async () => {
    const { change, held, engine } = current();
    const mail = { enabled: true, host: "mail.example.com", port: 25, sender: "platform@example.com" };
    await change("smtp", mail);
    const [former, other] = [engine("SmtpSettings"), engine("SmtpSettings")];
    await former.up({ password: "canary" });
    await other.up(mail);
    await former.destroy(remembers);
    expect(await held("smtp")).toMatchObject({ enabled: true });
  });
});
