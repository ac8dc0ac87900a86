import { certificatePath } from "../../../provider/platform/saml-idp-certificate";
import { idpCertificate, otherCertificate } from "../../support/certificates";
import { Platform, platform } from "../../support/platform";
import { printed } from "../../support/printed";
import { expectRefused, invalidInputs, refusal } from "../../support/refusal";
import { startSandbox } from "../../support/sandbox";
import { complete } from "./attributes";

// The special behavior of the objects that recent releases of Terraform Enterprise added. Their life is in test/provider/cases.

let current: Platform;
beforeAll(async () => {
  current = platform("hashicorp", await startSandbox({ dialect: "hashicorp" }));
});
beforeEach(async () => {
  await current.sandbox.reset();
  await current.change("general", { apiRateLimitingEnabled: false });
});

const version = { organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "1.0.0" };
const news = { title: "News", body: "Soon.", style: "info", audience: "all_users" };
const okta = { displayName: "Okta", certificate: idpCertificate };
const enableSaml = (): Promise<void> => current.change("saml", { ...complete.saml, enabled: true, providerType: "okta" });
/** The attributes of the objects in a list. */
async function listed(path: string): Promise<Record<string, unknown>[]> {
  const { body } = await current.outOfBand("GET", `/api/v2/admin/${path}`);
  return (body.data as unknown as { attributes: Record<string, unknown> }[]).map(({ attributes }) => attributes);
}
const warnings = (): string[] => printed.filter((line) => line.startsWith("warning"));

describe("on an older release", () => {
  const missing = { status: 404, body: { errors: [{ status: "404", title: "not found" }] } };
  test.each<[string, object, RegExp, string]>([
    ["SamlIdpCertificate", okta, /idp-certificates/, "2.1.0"],
    ["Banner", news, /banners/, "2.1.0"],
    ["ScimSettings", { paused: true }, /scim-settings/, "2.0.0"],
    ["ScimToken", { description: "Okta" }, /scim-tokens/, "2.0.0"],
    ["DataRetentionPolicy", { deleteOlderThanDays: 9 }, /data-retention/, "202401-1"],
  ])("creating %s fails with the release that has it", async (type, inputs, path, release) => {
    for (const method of ["GET", "POST"]) current.fault(path, { ...missing, method });
    const expected = refusal("ERR_NOT_FOUND", { rule: "endpoint-missing" });
    await expectRefused(current.engine(type).up({ ...inputs }), expected, `release ${release} or later.`);
  });

  test("a revocation that the response does not show is an error", async () => {
    current.fault(/1\.0\.0$/, { method: "PATCH", status: 200, body: { data: { type: "module-versions", id: "1" } } });
    const revocation = current.engine("ModuleVersionRevocation").up({ ...version, message: "Broken." });
    await expectRefused(revocation, refusal("ERR_REJECTED", { rule: "not-revoked" }), "202505-1");
  });
});

describe("the certificates of the identity provider", () => {
  test("a certificate that the SAML settings have is not created again, and an old one only after its revocation", async () => {
    await current.change("saml", { idpCert: idpCertificate });
    const expected = refusal("ERR_ALREADY_EXISTS", { rule: "saml-settings" });
    await expectRefused(current.engine("SamlIdpCertificate").up(okta), expected, "as idpCert", "SamlSettings");
    await current.change("saml", { idpCert: otherCertificate });
    const certificate = current.engine("SamlIdpCertificate");
    await expectRefused(certificate.up({ ...okta, adopt: true }), expected, "as oldIdpCert", "SamlCertificateRevocation");
    await current.engine("SamlCertificateRevocation").up({});
    await certificate.up(okta);
    expect(certificate.outputs().fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  });

  test("one program cannot declare a certificate in both places", async () => {
    await current.engine("SamlSettings").up({ idpCert: idpCertificate });
    const both = current.engine("SamlIdpCertificate").up(okta, { remembers: true });
    await expectRefused(both, refusal("ERR_ALREADY_EXISTS", { rule: "declared-twice" }), certificatePath(idpCertificate));
  });

  test("a certificate of the list stands in for idpCert, until the last one would leave SAML without any", async () => {
    const { idpCert, ...endpoints } = complete.saml ?? {};
    const saml = current.engine("SamlSettings");
    // The old certificate of the settings is in the list, too.
    for (const each of [String(idpCert), null]) await current.change("saml", { idpCert: each });
    await expect(saml.up({ ...endpoints, enabled: true })).rejects.toThrow(invalidInputs("enabled: missing-attributes"));
    const certificate = current.engine("SamlIdpCertificate");
    await certificate.up(okta);
    await saml.up({ ...endpoints, enabled: true });
    expect(await current.held("saml")).toMatchObject({ enabled: true, idpCert: null });
    expect(await saml.refresh()).toEqual([]);
    await expectRefused(certificate.destroy(), refusal("ERR_REJECTED", { status: 422 }), "Add another certificate first");
    await current.engine("SamlIdpCertificate").up({ displayName: "Entra", certificate: otherCertificate });
    await certificate.destroy();
    expect((await listed("saml-settings/idp-certificates")).map((each) => each["display-name"])).toEqual(["old-idp-cert", "Entra"]);
  });

  test("another name is an adoption, and a rename sends only the name", async () => {
    await current.engine("SamlIdpCertificate").up({ ...okta, displayName: "Theirs" });
    const certificate = current.engine("SamlIdpCertificate");
    await expect(certificate.up(okta)).rejects.toThrow(refusal("ERR_ALREADY_EXISTS", { rule: "exists" }));
    await certificate.up({ ...okta, adopt: true });
    expect(printed).toEqual([expect.stringContaining('adoption changes displayName: "Theirs" -> "Okta"')]);
    expect(await listed("saml-settings/idp-certificates")).toHaveLength(1);
  });
});

describe("the banner", () => {
  test("another banner stays until it is adopted, and is then changed, not replaced", async () => {
    await current.engine("Banner").up(news);
    const banner = current.engine("Banner");
    const ours = { ...news, title: "Maintenance" };
    await expect(banner.up(ours)).rejects.toThrow(refusal("ERR_ALREADY_EXISTS", { rule: "exists" }));
    expect(await listed("banners")).toMatchObject([{ title: "News" }]);
    expect(await current.requests(() => banner.up({ ...ours, adopt: true }))).toEqual([
      "GET banners",
      expect.stringMatching(/^PATCH banners/),
    ]);
    expect(await listed("banners")).toMatchObject([{ title: "Maintenance" }]);
  });

  test("HTML that the server removes, and the end of the schedule, are no drift", async () => {
    const banner = current.engine("Banner");
    const [from, to] = [1, 2].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
    await banner.up({ ...news, body: "<u>Soon</u>, <b>really</b>.", scheduledPublishAt: from, scheduledExpireAt: to, timezone: "UTC" });
    expect(await listed("banners")).toMatchObject([{ body: "Soon, <b>really</b>.", "published-at": null }]);
    expect(await banner.refresh()).toEqual([]);
    current.sandbox.clock.advance(3 * 86_400_000);
    jest.useFakeTimers({ now: Date.now() + 3 * 86_400_000, doNotFake: ["nextTick", "setImmediate", "setTimeout"] });
    expect(await banner.refresh().finally(() => jest.useRealTimers())).toEqual([]);
    expect(await listed("banners")).toEqual([]);
  });

  test("a part of a schedule is rejected before anything is sent", async () => {
    const part = current.engine("Banner").up({ ...news, timezone: "UTC" });
    await expect(part).rejects.toThrow(invalidInputs("scheduledPublishAt: schedule", "scheduledExpireAt: schedule"));
  });
});

describe("SCIM", () => {
  test("enabling it requires SAML, and only a program that declares false disables it, with a warning", async () => {
    const scim = current.engine("ScimSettings");
    await expect(scim.up({ enabled: true })).rejects.toThrow(refusal("ERR_REJECTED", { status: 422 }));
    await enableSaml();
    await scim.up({ enabled: true, siteAdminGroupScimId: "admins" });
    expect(warnings()).toEqual([]);
    const token = current.engine("ScimToken");
    await token.up({ description: "Okta" });
    expect(await current.requests(() => scim.destroy())).toEqual(["PATCH scim-settings"]);
    expect(await current.held("scim")).toMatchObject({ enabled: true, siteAdminGroupScimId: null });

    const off = current.engine("ScimSettings");
    await off.preview({ enabled: false });
    expect(warnings()).toEqual([expect.stringContaining("enabled")]);
    expect(await current.requests(() => off.up({ enabled: false }))).toEqual(["DELETE scim-settings", "GET scim-settings"]);
    expect(await current.held("scim")).toMatchObject({ enabled: false });
    expect(await token.refresh()).toBe("gone");
  });

  test("a token whose response is lost is named as lost, and the next one is a secret of its own", async () => {
    const token = current.engine("ScimToken");
    current.fault(/scim-tokens/, { method: "POST", action: "drop-after" });
    await expectRefused(token.up({ description: "Okta" }), refusal("ERR_NO_RESPONSE", { rule: "perhaps-created" }), /Delete it in/);
    expect(token.state).toBeUndefined();
    await token.up({ description: "Okta" });
    expect(await listed("scim-tokens")).toMatchObject([{ token: null }, { token: null }]);
    expect(JSON.stringify(token.outputs().token)).toMatch(/\w{20}/);
  });
});

test.each<[string, object, object]>([
  ["a token without an id", { attributes: { token: "canary-token" } }, { rule: "perhaps-created" }],
  ["a token that is not shown", { id: "at-1", attributes: { token: null } }, { rule: "perhaps-created" }],
])("%s is an error, and leaves no state", async (_, data, details) => {
  const token = current.engine("ScimToken");
  current.fault(/scim-tokens/, { method: "POST", status: 201, body: { data } });
  await expectRefused(token.up({ description: "Okta" }), refusal("ERR_UNEXPECTED_RESPONSE", details), /Delete it in/);
  expect(token.state).toBeUndefined();
});

test("a banner without an id or a document is an error, and the next create finds it", async () => {
  for (const body of [{ data: { attributes: news } }, {}]) {
    const banner = current.engine("Banner");
    current.fault(/banners/, { method: "POST", status: 201, body });
    await expectRefused(banner.up(news), refusal("ERR_UNEXPECTED_RESPONSE", { rule: "perhaps-created" }), "finds it");
    expect(banner.state).toBeUndefined();
  }
});

test("a token at a new address is not written, and one that has expired is gone although the list has it", async () => {
  const token = current.engine("ScimToken");
  await token.up({ description: "Okta" });
  const { tokenId, token: secret } = token.outputs();
  token.configure(current.config({ address: current.service.url.replace("127.0.0.1", "localhost"), allowAddressChange: true }));
  expect(await current.requests(() => token.up({ description: "Okta" }))).toEqual([]);
  expect(token.outputs()).toMatchObject({ tokenId, token: secret });
  expect(token.hidden()).not.toHaveProperty("outcomeUnknown");
  expect(await token.refresh()).toEqual([]);
  const expired = { id: tokenId, attributes: { description: "Okta", "expired-at": new Date(Date.now() - 1000).toISOString() } };
  current.fault(/scim-tokens/, { method: "GET", status: 200, body: { data: [expired] } });
  expect(await token.refresh()).toBe("gone");
});

test("a site without a data retention policy may respond with no data instead of a 404", async () => {
  const retention = current.engine("DataRetentionPolicy");
  const none = (): void => current.fault(/data-retention/, { method: "GET", status: 200, body: { data: null } });
  none();
  await retention.up({ deleteOlderThanDays: 90 });
  none();
  expect(await retention.refresh()).toBe("gone");
});

test("a data retention policy warns of what it deletes, when it is created and when it becomes shorter", async () => {
  const retention = current.engine("DataRetentionPolicy");
  const warned = async (deleteOlderThanDays: number): Promise<number> => {
    const before = warnings().length;
    await retention.up({ deleteOlderThanDays });
    return warnings().length - before;
  };
  expect([await warned(90), await warned(180), await warned(30)]).toEqual([1, 0, 1]);
});

test("only a deprecated version is revoked, and a 404 to a user of another organization is no removal", async () => {
  const revocation = current.engine("ModuleVersionRevocation");
  const inputs = { ...version, message: "Broken." };
  await expectRefused(revocation.up(inputs), refusal("ERR_REJECTED", { status: 422 }), "ModuleVersionDeprecation");
  await current.engine("ModuleVersionDeprecation").up({ ...version, reason: "Old." });
  await revocation.up(inputs);
  const missing = { status: 404, body: { errors: [{ status: "404", title: "not found" }] } };
  for (const path of [/version\?/, /organizations\/acme$/]) current.fault(path, { ...missing, method: "GET" });
  await expect(revocation.refresh()).rejects.toThrow(refusal("ERR_NOT_FOUND"));
  expect(revocation.state).toBeDefined();
});
