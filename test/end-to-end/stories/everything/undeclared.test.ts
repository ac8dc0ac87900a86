import { everythingPer } from "../../../support/everything";
import { newStory } from "../../../support/story";

const everything = everythingPer("test", newStory);
const workspace = `new platform.AdminWorkspace("workspace", { workspaceId: "ws-acmeNetworkTest", destroyOnDelete: true });`;
const program = (apiRateLimit: number, inside: string): string => `
  const general = new platform.GeneralSettings("general", { apiRateLimit: ${apiRateLimit} });
  general.defaultRemoteStateAccess.apply(() => { ${inside} });`;
const exists = (): Promise<boolean> => everything().hasWorkspace("ws-acmeNetworkTest");

test("a workspace that the program does not declare because another resource failed is not destroyed", async () => {
  const { project } = everything();
  await project.program(program(50, workspace)).up();
  everything().refuse("PATCH", /general-settings$/, "platform");
  const failed = await project.program(program(60, workspace)).pulumi("up", "--yes", "--skip-preview", "--continue-on-error");
  expect(failed.code).not.toBe(0);
  expect(failed.output).toContain('Cannot delete workspace "ws-acmeNetworkTest": ');
  expect(await exists()).toBe(true);
  await project.up();
  expect(await exists()).toBe(true);
  await project.program(program(60, "")).up();
  expect(await exists()).toBe(false);
});
