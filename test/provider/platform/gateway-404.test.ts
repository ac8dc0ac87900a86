import { onEachPlatform } from "../../support/platform";
import "../../support/printed";
import { bodies } from "../gateway-404";

const version = { organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "1.0.0", reason: "old" };
const resources = [
  { type: "AdminWorkspace", inputs: { workspaceId: "ws-acmeNetworkTest", destroyOnDelete: true }, deletes: "DELETE" },
  { type: "ModuleVersionDeprecation", inputs: version, deletes: "PATCH" },
];

const kept = { code: "ERR_NOT_FOUND", status: 404, message: expect.stringContaining("pulumi state delete") };

onEachPlatform("a gateway responds with 404 instead of the platform", (current) => {
  const cases = resources.flatMap((resource) => bodies.map((body) => ({ ...resource, body })));

  test.each(cases)("$type stays in the state: 404 $body", async ({ type, inputs, body, deletes }) => {
    const { engine, sandbox } = current();
    const resource = engine(type);
    await resource.up(inputs);
    const before = structuredClone(resource.state);
    // The administration routes respond, so the token belongs to an administrator. That alone does not prove that the platform sent the 404.
    const fault = { system: "platform" as const, path: /workspaces|registry/, action: "respond" as const, status: 404, body };
    sandbox.faults.add({ ...fault, method: "GET" });
    await expect(resource.refresh()).rejects.toMatchObject(kept);
    expect(resource.state).toEqual(before);
    sandbox.faults.add({ ...fault, method: deletes });
    await expect(resource.destroy()).rejects.toMatchObject(kept);
    expect(resource.state).toEqual(before);
    expect(await resource.refresh()).toEqual([]);
    await resource.destroy();
  });
});
