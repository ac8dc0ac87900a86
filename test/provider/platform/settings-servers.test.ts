import { onEachPlatform } from "../../support/platform";
import { printedBesidesAdoption } from "../../support/printed";

onEachPlatform("servers with unusual responses", (current) => {
  test("a value that the server normalizes causes one warning, and no drift until it changes outside Pulumi", async () => {
    const { engine, requests } = current();
    const texts = engine("CustomizationSettings");
    const inputs = { footer: "<b onclick='x()'>ours</b>" };
    current().show("customization", { footer: "<b>ours</b>" }, "PATCH");
    await texts.up(inputs);
    expect(printedBesidesAdoption()).toEqual([expect.stringMatching(/^warning: customization settings "customization": .* footer$/)]);
    current().show("customization", { footer: "<b>ours</b>" });
    expect(await texts.refresh()).toEqual([]);
    expect(await requests(() => texts.up(inputs))).toEqual([]);
    current().show("customization", { footer: "theirs" });
    expect(await texts.refresh()).toEqual(["footer"]);
  });

  test("an attribute that the server leaves empty is written once", async () => {
    const { engine, requests } = current();
    const smtp = engine("SmtpSettings");
    current().show("smtp", { enabled: false, auth: "none", username: null }, "PATCH");
    await smtp.up({ auth: "none", username: "ignored", testEmailAddress: "me@example.com" });
    expect(printedBesidesAdoption()).toEqual([expect.stringMatching(/^warning: SMTP settings "smtp": .* username$/)]);
    expect(await smtp.refresh()).toEqual([]);
    expect(await requests(() => smtp.up({ auth: "none", username: "ignored", testEmailAddress: "me@example.com" }))).toEqual([]);
  });

  test("a partial response to a write is used for its attributes", async () => {
    const { engine } = current();
    const general = engine("GeneralSettings");
    current().show("general", { apiRateLimit: 100 }, "PATCH");
    await general.up({ apiRateLimit: 100, defaultRemoteStateAccess: false });
    expect(general.outputs()).toMatchObject({ apiRateLimit: 100, defaultRemoteStateAccess: false, limitUserOrganizationCreation: true });
  });

  test("write-only attributes in a response are dropped", async () => {
    const { engine } = current();
    current().show("saml", { enabled: false, privateKey: "canary", providerType: "okta" });
    const saml = await engine("SamlSettings").get("saml");
    current().show("smtp", { enabled: false, password: "canary", testEmailAddress: "canary" });
    const smtp = await engine("SmtpSettings").get("smtp");
    expect(JSON.stringify([saml, smtp])).not.toContain("canary");
  });

  test("an attribute with a name that Pulumi cannot store is left out", async () => {
    const { engine, fault } = current();
    const attributes = '{"api-rate-limit":50,"__proto__":{"apiRateLimit":7},"4dabf18193072939515e22adb298388d":"x","\\ud800":1}';
    const body = `{"data":{"id":"general","type":"general-settings","attributes":${attributes}}}`;
    fault(/general/, { method: "GET", status: 200, body });
    const general = await engine("GeneralSettings").get("general");
    expect(general.apiRateLimit).toBe(50);
  });
});
