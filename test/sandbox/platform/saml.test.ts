import { certificate as first, sha1Certificate as second } from "../../support/certificates";
import { onEachDialect, settingsOf } from "../sandbox";

onEachDialect("SAML settings", ({ real, sandbox }) => {
  const settings = settingsOf(sandbox);
  const patch = (attributes: object) => settings.patch("saml", attributes);
  const current = () => settings.attributesOf("saml");
  const complete = {
    "idp-cert": first,
    "slo-endpoint-url": "https://idp.example.com/slo",
    "sso-endpoint-url": "https://idp.example.com/sso",
  };

  test("the old certificate and the server's URLs are read-only", async () => {
    const before = await current();
    await patch({ "old-idp-cert": second, "acs-consumer-url": "https://evil", "metadata-url": "https://evil" });
    expect(await current()).toEqual(before);
  });

  const noUrl = "slo-endpoint-url has to be an HTTPS URL.";
  const noMethod = "has to be one of";
  // The status in the standard dialect and, if it is another one, in Terraform Enterprise, whose client's tests send any certificate.
  test.each<[object, number, number?, string?]>([
    [{ "slo-endpoint-url": "http://idp.example.com" }, 422, 422, noUrl],
    [{ "slo-endpoint-url": "idp.example.com" }, 422, 422, noUrl],
    [{ "slo-endpoint-url": "https://" }, 422, 422, noUrl],
    [{ "slo-endpoint-url": "" }, 200],
    [{ ...complete, "slo-endpoint-url": "", enabled: true }, 422],
    [{ "sso-api-token-session-timeout": 0 }, 200],
    [{ "sso-api-token-session-timeout": -1 }, 422, 200],
    [{ "idp-cert": "testCert" }, 422, 200],
    [{ "idp-cert": first.replace("MII", "AAA") }, 422, 200],
    [{ "idp-cert": first.replaceAll("CERTIFICATE", "PUBLIC KEY") }, 422, 200],
    [{ "idp-cert": "" }, 200],
    [{ "signature-digest-method": "SHA1234", "authn-requests-signed": true }, 200, 422, noMethod],
    [{ "signature-signing-method": "MD5", "authn-requests-signed": true }, 200, 422, noMethod],
    [{ "provider-type": "error", "authn-requests-signed": true }, 200, 422, noMethod],
  ])("a change to %j", async (attributes, inStandard, inHashicorp = inStandard, reason = "") => {
    const before = await current();
    const { status, text } = await patch(attributes);
    expect(status).toBe(real ? inHashicorp : inStandard);
    if (status === 200) return;
    expect(text).toContain(reason);
    expect(await current()).toEqual(before);
  });

  test("the updates of the official client's own tests are accepted: they enable SAML without names, roles or a session timeout", async () => {
    if (!real) return;
    const signature = { "signature-signing-method": "SHA1", "signature-digest-method": "SHA1" };
    const keys = { certificate: "testCert", "private-key": "testPrivateKey", ...signature };
    for (const update of [
      { enabled: false, debug: false },
      { ...keys, ...complete, "idp-cert": "testCert" },
      { ...keys, enabled: true, "team-management-enabled": true },
    ])
      expect((await patch(update)).status).toBe(200);
    expect(await current()).toMatchObject({ enabled: true, "team-management-enabled": true, "attr-username": "Username" });
  });
});
