import { Platform } from "../../support/platform";

export const version = { organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "1.0.0" };
export const inputs = { ...version, reason: "Use 2.0.0.", link: "https://wiki.example.com/2" };
/** The requests that a deprecation of it sends. */
export const read = "GET /api/registry/v1/modules/acme/network/aws/versions";
export const write = "PATCH /api/v2/organizations/acme/registry-modules/private/acme/network/aws/1.0.0";

interface Deprecations {
  /** The deprecation that the registry shows. */
  shown(of?: string): Promise<unknown>;
  /** A write outside Pulumi. */
  deprecate(deprecation: object, of?: string): Promise<void>;
}

export const deprecationsOn = (current: () => Platform): Deprecations => ({
  async shown(of = "1.0.0") {
    const { body } = await current().outOfBand("GET", `/api/registry/v1/modules/acme/network/aws/${encodeURIComponent(of)}`);
    return (body as unknown as { deprecation: unknown }).deprecation;
  },
  async deprecate(deprecation, of = "1.0.0") {
    const path = `/api/v2/organizations/acme/registry-modules/private/acme/network/aws/${encodeURIComponent(of)}`;
    const { status } = await current().outOfBand("PATCH", path, { data: { type: "module-versions", attributes: { deprecation } } });
    expect(status).toBe(200);
  },
});
