import { call } from "../../support/call";
import { certificate as first, sha1Certificate as second } from "../../support/certificates";
import { freshSandbox } from "../sandbox";

describe.each(["standard", "hashicorp"] as const)("SAML settings, %s", (dialect) => {
  const sandbox = freshSandbox({ dialect });
  const real = dialect === "hashicorp";
  const path = "/api/v2/admin/saml-settings";
  const get = () => call(sandbox().platform, "GET", path);
  const patch = (attributes: object) => call(sandbox().platform, "PATCH", path, { data: { attributes } });
  const revoke = () => call(sandbox().platform, "POST", `${path}/actions/revoke-old-certificate`);
  const held = async (): Promise<Record<string, unknown>> => (await get()).json.data.attributes;
  const certificates = async (): Promise<unknown[]> => {
    const { "idp-cert": current, "old-idp-cert": old } = await held();
    return [current, old];
  };
  const complete = {
    "idp-cert": first,
    "slo-endpoint-url": "https://idp.example.com/slo",
    "sso-endpoint-url": "https://idp.example.com/sso",
  };

  test("settings start with the documented defaults and contain the server's own URLs", async () => {
    expect((await get()).json.data).toEqual({
      id: "saml",
      type: "saml-settings",
      attributes: {
        enabled: false,
        debug: false,
        "old-idp-cert": null,
        "idp-cert": null,
        "slo-endpoint-url": null,
        "sso-endpoint-url": null,
        "attr-username": "Username",
        "attr-groups": "MemberOf",
        "attr-site-admin": "SiteAdmin",
        "site-admin-role": "site-admins",
        "sso-api-token-session-timeout": 1_209_600,
        "acs-consumer-url": `${sandbox().platform.url}/users/saml/auth`,
        "metadata-url": `${sandbox().platform.url}/users/saml/metadata`,
        ...(real && {
          "authn-requests-signed": false,
          "want-assertions-signed": false,
          "team-management-enabled": false,
          certificate: null,
          "signature-signing-method": "SHA256",
          "signature-digest-method": "SHA256",
          "provider-type": "unknown",
        }),
      },
    });
  });

  test("a new certificate keeps the old one until it is revoked, and the same one changes nothing", async () => {
    await patch({ "idp-cert": first });
    expect(await certificates()).toEqual([first, null]);
    await patch({ "idp-cert": second });
    expect(await certificates()).toEqual([second, first]);
    await patch({ "idp-cert": second, debug: true });
    expect(await certificates()).toEqual([second, first]);
    const revoked = await revoke();
    expect(revoked).toMatchObject({
      status: 200,
      json: { data: { attributes: { "idp-cert": second, "old-idp-cert": null, debug: true } } },
    });
    expect(await certificates()).toEqual([second, null]);
    expect(await revoke()).toMatchObject({ status: 200, json: { data: { attributes: { "old-idp-cert": null } } } });
    await patch({ "idp-cert": null });
    expect(await certificates()).toEqual([null, second]);
  });

  test("the old certificate and the server's URLs are read-only", async () => {
    await patch({ "old-idp-cert": second, "acs-consumer-url": "https://evil", "metadata-url": "https://evil" });
    expect(await held()).toMatchObject({ "old-idp-cert": null, "acs-consumer-url": `${sandbox().platform.url}/users/saml/auth` });
  });

  test("enabled settings require a certificate and URLs, in the standard dialect also names, and the error lists missing ones", async () => {
    const refused = await patch({ enabled: true, "attr-groups": "" });
    expect(refused.status).toBe(422);
    expect(refused.json.errors.map(({ detail }: { detail: string }) => detail)).toEqual(
      ["idp-cert", "slo-endpoint-url", "sso-endpoint-url", ...(real ? [] : ["attr-groups"])].map(
        (name) => `${name} is required when enabled.`,
      ),
    );
    expect(await held()).toMatchObject({ enabled: false, "attr-groups": "MemberOf" });
    await patch(complete);
    expect((await patch({ enabled: true })).status).toBe(200);
    expect((await patch({ "sso-endpoint-url": null })).status).toBe(422);
    expect(await held()).toMatchObject({ enabled: true, ...complete });
    expect((await patch({ enabled: false, "sso-endpoint-url": null })).status).toBe(200);
  });

  test("endpoints must be HTTPS URLs, and an empty string clears one", async () => {
    for (const url of ["http://idp.example.com", "idp.example.com", "https://"])
      expect(await patch({ "slo-endpoint-url": url })).toMatchObject({
        status: 422,
        json: { errors: [{ detail: "slo-endpoint-url has to be an HTTPS URL." }] },
      });
    expect((await patch({ "slo-endpoint-url": "" })).status).toBe(200);
    expect((await patch({ ...complete, "slo-endpoint-url": "", enabled: true })).status).toBe(422);
  });

  test("the standard dialect rejects a negative session timeout", async () => {
    const timeout = (seconds: number) => patch({ "sso-api-token-session-timeout": seconds });
    expect([(await timeout(0)).status, (await timeout(-1)).status]).toEqual([200, real ? 200 : 422]);
  });

  test("the certificate must be valid, except in the hashicorp dialect, whose client's tests send any string", async () => {
    for (const text of ["testCert", first.replace("MII", "AAA"), first.replaceAll("CERTIFICATE", "PUBLIC KEY")])
      expect((await patch({ "idp-cert": text })).status).toBe(real ? 200 : 422);
    if (!real) expect(await certificates()).toEqual([null, null]);
    expect((await patch({ "idp-cert": "" })).status).toBe(200);
  });

  test("the updates of the official client's own tests are accepted: they enable SAML without names, roles or a session timeout", async () => {
    if (!real) return;
    const signature = { "signature-signing-method": "SHA1", "signature-digest-method": "SHA1" };
    const updates = [
      { enabled: false, debug: false },
      { certificate: "testCert", "private-key": "testPrivateKey", ...complete, "idp-cert": "testCert", ...signature },
      { enabled: true, "team-management-enabled": true, certificate: "testCert", "private-key": "testPrivateKey", ...signature },
    ];
    for (const update of updates) expect((await patch(update)).status).toBe(200);
    expect(await held()).toMatchObject({ enabled: true, "team-management-enabled": true, "attr-username": "Username" });
  });

  test("the hashicorp dialect signs requests with a write-only private key and known methods", async () => {
    if (!real)
      return expect(
        (await patch({ certificate: "c", "private-key": "k", "provider-type": "any" })).json.data.attributes,
      ).not.toHaveProperty("certificate");
    const answer = await patch({ certificate: "c", "private-key": "pr1vate", "signature-digest-method": "SHA1", "provider-type": "okta" });
    expect(answer.json.data.attributes).toMatchObject({ certificate: "c", "signature-digest-method": "SHA1", "provider-type": "okta" });
    expect(answer.text + (await get()).text).not.toMatch(/private-key|pr1vate/);
    for (const wrong of [{ "signature-digest-method": "SHA1234" }, { "signature-signing-method": "MD5" }, { "provider-type": "error" }])
      expect(await patch({ "authn-requests-signed": true, ...wrong })).toMatchObject({
        status: 422,
        json: { errors: [{ detail: expect.stringMatching(/has to be one of/) }] },
      });
    expect(await held()).toMatchObject({ "authn-requests-signed": false });
  });
});
