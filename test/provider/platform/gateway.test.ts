import { onEachPlatform } from "../../support/platform";
import "../../support/printed";
import { bodies } from "../foreign-404";

const version = { organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "1.0.0", reason: "old" };
const resources = [
  { type: "AdminWorkspace", inputs: { workspaceId: "ws-acmeNetworkTest", destroyOnDelete: true }, deletes: "DELETE" },
  { type: "ModuleVersionDeprecation", inputs: version, deletes: "PATCH" },
];

const kept = { code: "ERR_NOT_FOUND", status: 404, message: expect.stringContaining("pulumi state delete") };

onEachPlatform("a gateway responds instead of the platform", (current) => {
  const cases = resources.flatMap((resource) => bodies.map((body) => ({ ...resource, body })));

  test.each(cases)("$type stays in the state: 404 $body, and 200", async ({ type, inputs, body, deletes }) => {
    const resource = current().engine(type);
    await resource.up(inputs);
    const before = structuredClone(resource.state);
    // The administration routes respond, so the token belongs to an administrator. That alone does not prove that the platform sent the 404.
    const answer404 = (method: string): void => current().fault(/workspaces|registry/, { method, status: 404, body });
    answer404("GET");
    await expect(resource.refresh()).rejects.toMatchObject(kept);
    expect(resource.state).toEqual(before);
    answer404(deletes);
    await expect(resource.destroy()).rejects.toMatchObject(kept);
    current().fault(/./, { method: deletes, status: 200, body: { message: "maintenance" } });
    await expect(resource.destroy()).rejects.toMatchObject(foreign);
    expect(resource.state).toEqual(before);
    expect(await resource.refresh()).toEqual([]);
    await resource.destroy();
  });

  const foreign = { code: "ERR_UNEXPECTED_RESPONSE", details: { outcomeUnknown: true } };

  test.each(["SamlCertificateRevocation", "OidcKeyRotation", "OidcKeyTrim"])("%s runs again", async (type) => {
    const { engine, requests } = current();
    const action = engine(type);
    current().fault(/./, { method: "POST", status: 200, body: { message: "maintenance" } });
    await expect(action.up({})).rejects.toMatchObject(foreign);
    expect(await requests(() => action.up({}))).toHaveLength(1);
    expect(await action.up({})).toBe("same");
  });
});
