import { everythingPer } from "../../../support/everything";
import { newStory } from "../../../support/story";

// The effect of Pulumi's resource options on the resources of this package.

const versionOf = (version: string): string =>
  `organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "${version}"`;

describe("resource options", () => {
  const everything = everythingPer("test", newStory);
  const policies = (role: string): Promise<unknown> => everything().policies(role);

  // A dynamic provider in Node cannot report which inputs changed, so the engine ignores replaceOnChanges.
  test("replaceOnChanges updates in place, and --replace recreates each object with the new values", async () => {
    const { project, target, mount, platform } = everything();
    const source = (policy: string, destroyOnDelete: boolean, reason: string): string => `
      new secrets.SchedulerRole("adopts", { name: "adopts", policies: ["${policy}"], adopt: true }, { replaceOnChanges: ["policies"] });
      new secrets.SchedulerRole("deletes", { name: "deletes", policies: ["${policy}"] }, { replaceOnChanges: ["*"], deleteBeforeReplace: true });
      new secrets.SchedulerRoles("set", { roles: { a: { policies: ["${policy}"] } } }, { replaceOnChanges: ["roles"] });
      new secrets.SchedulerLease("lease", { ttl: "${policy === "one" ? 60 : 120}s" }, { replaceOnChanges: ["ttl"] });
      new platform.GeneralSettings("general", { apiRateLimit: ${policy === "one" ? 100 : 200} }, { replaceOnChanges: ["apiRateLimit"] });
      new platform.AdminWorkspace("workspace", { workspaceId: "ws-acmeNetworkTest", destroyOnDelete: ${destroyOnDelete} }, { replaceOnChanges: ["destroyOnDelete"] });
      new platform.ModuleVersionDeprecation("version", { ${versionOf("1.0.0")}, reason: "${reason}", adopt: true }, { replaceOnChanges: ["reason"] });`;
    await project.program(source("one", true, "Old.")).up();
    expect((await project.program(source("two", false, "Older.")).preview()).output).toMatch(/~ 7 to update/);
    const urns = (await project.resources()).map(({ urn }) => urn).filter((urn) => urn.includes("dynamic/"));
    expect((await project.up(...urns.flatMap((urn) => ["--replace", urn]))).output).toMatch(/\+-7 replaced/);
    expect([await policies("adopts"), await policies("deletes"), await policies("a")]).toEqual([["two"], ["two"], ["two"]]);
    expect((await target.outOfBand("GET", `${mount}/config/lease`)).data).toMatchObject({ ttl: 120 });
    expect((await platform.held("general")).apiRateLimit).toBe(200);
    expect([await everything().hasWorkspace("ws-acmeNetworkTest"), await everything().reason("1.0.0")]).toEqual([true, "Older."]);
    await project.calm();
    await project.destroy();
    expect([await policies("adopts"), (await platform.held("general")).apiRateLimit]).toEqual([undefined, 30]);
  });
});
