import { sha1Certificate, otherCertificate as third } from "../../support/certificates";
import { onEachPlatform } from "../../support/platform";
import { printed } from "../../support/printed";
import { invalidInputs } from "../../support/refusal";
import { complete } from "./attributes";

onEachPlatform("the rotation of the identity provider's certificate", (current) => {
  test("moves the old certificate to oldIdpCert, and its revocation removes it, both without drift", async () => {
    const { engine, held, requests } = current();
    const [first, second] = [String(complete.saml?.idpCert), `${String(complete.saml?.idpCert).trim()}\r\n`];
    const saml = engine("SamlSettings");
    await saml.up({ idpCert: first });
    expect(await requests(() => saml.up({ idpCert: second }))).toEqual([]);
    expect((await held("saml")).oldIdpCert).toBeNull();
    expect(await requests(() => saml.up({ idpCert: sha1Certificate }))).toEqual(["GET saml-settings", "PATCH saml-settings"]);
    expect(saml.outputs().oldIdpCert).toBe(first);
    expect(await saml.refresh()).toEqual([]);

    await engine("SamlCertificateRevocation").up({});
    expect((await held("saml")).oldIdpCert).toBeNull();
    expect(await saml.refresh()).toEqual([]);
    expect(saml.outputs().oldIdpCert).toBeUndefined();
    await saml.up({ idpCert: sha1Certificate, debug: true });
    expect((await held("saml")).oldIdpCert).toBeNull();
  });

  test("the certificate changes again only after a revocation, also if the state does not show the old one", async () => {
    const { engine, held, requests, change } = current();
    const [saml, later] = [engine("SamlSettings"), engine("SamlSettings")];
    await saml.up({ idpCert: complete.saml?.idpCert });
    // Outside Pulumi, so the state shows no old certificate.
    await change("saml", { idpCert: sha1Certificate });
    const before = await held("saml");
    const failure = invalidInputs("idpCert: old-certificate");
    for (const each of [saml, later]) await expect(each.up({ idpCert: third })).rejects.toThrow(failure);
    expect(await held("saml")).toEqual(before);

    await engine("SamlCertificateRevocation").up({});
    expect(await requests(() => saml.up({ idpCert: third }))).toEqual(["GET saml-settings", "PATCH saml-settings"]);
    expect(await held("saml")).toMatchObject({ idpCert: third, oldIdpCert: sha1Certificate });
    // The current certificate is lost, as intended.
    await saml.up({ idpCert: sha1Certificate });
    expect(await held("saml")).toMatchObject({ idpCert: sha1Certificate, oldIdpCert: sha1Certificate });
  });

  describe("an original certificate", () => {
    const kept = "idpCert keeps its current value, because the original one is no longer accepted";

    test.each(["a destroy", "the removal of idpCert"])("that was revoked is not accepted again after %s", async (how) => {
      const { engine, held, change } = current();
      await change("saml", { ...complete.saml, enabled: true });
      const saml = engine("SamlSettings");
      await saml.up({ idpCert: sha1Certificate });
      await engine("SamlCertificateRevocation").up({});
      await saml.up({ idpCert: third });
      const before = await held("saml");
      await (how === "a destroy" ? saml.destroy() : saml.up({}));
      expect(printed).toContainEqual(expect.stringContaining(kept));
      expect(await held("saml")).toEqual(before);
    });

    test("that never existed leaves the replaced one, of which a line warns", async () => {
      const { engine, held } = current();
      const saml = engine("SamlSettings");
      await saml.up({ idpCert: sha1Certificate });
      await saml.up({ idpCert: third });
      await saml.destroy();
      expect(await held("saml")).toMatchObject({ idpCert: null });
      expect(printed).toContainEqual(expect.stringMatching(/^warning: SAML settings "saml": .* is still accepted, as oldIdpCert\. Once/));
    });

    test("that is still accepted is restored", async () => {
      const { engine, held, change } = current();
      await change("saml", { ...complete.saml, enabled: true });
      const saml = engine("SamlSettings");
      await saml.up({ idpCert: sha1Certificate });
      await saml.destroy();
      expect(await held("saml")).toMatchObject({ idpCert: complete.saml?.idpCert });
    });
  });
});
