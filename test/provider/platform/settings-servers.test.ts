import { onEachPlatform } from "../../support/platform";
import { printedBesidesAdoption } from "../../support/printed";

onEachPlatform("servers with unusual responses", (current) => {
  const answer = (method: string, settings: string, attributes: object): void => {
    const body = JSON.stringify({ data: { id: settings, type: `${settings}-settings`, attributes } });
    current().sandbox.faults.add({ system: "platform", method, path: new RegExp(settings), action: "respond", status: 200, body });
  };

  test("a value that the server normalizes causes one warning, and no drift until it changes outside Pulumi", async () => {
    const { engine, requests } = current();
    const texts = engine("CustomizationSettings");
    const inputs = { footer: "<b onclick='x()'>ours</b>" };
    answer("PATCH", "customization", { footer: "<b>ours</b>" });
    await texts.up(inputs);
    expect(printedBesidesAdoption()).toEqual([expect.stringMatching(/^warning: customization settings "customization": .* footer$/)]);
    answer("GET", "customization", { footer: "<b>ours</b>" });
    expect(await texts.refresh()).toEqual([]);
    expect(await requests(() => texts.up(inputs))).toEqual([]);
    answer("GET", "customization", { footer: "theirs" });
    expect(await texts.refresh()).toEqual(["footer"]);
  });

  test("an attribute that the server leaves empty is written once", async () => {
    const { engine, requests } = current();
    const smtp = engine("SmtpSettings");
    answer("PATCH", "smtp", { enabled: false, auth: "none", username: null });
    await smtp.up({ auth: "none", username: "ignored", testEmailAddress: "me@example.com" });
    expect(printedBesidesAdoption()).toEqual([expect.stringMatching(/^warning: SMTP settings "smtp": .* username$/)]);
    expect(await smtp.refresh()).toEqual([]);
    expect(await requests(() => smtp.up({ auth: "none", username: "ignored", testEmailAddress: "me@example.com" }))).toEqual([]);
  });

  test("a partial response to a write is used for its attributes", async () => {
    const { engine } = current();
    const general = engine("GeneralSettings");
    answer("PATCH", "general", { "api-rate-limit": 100 });
    await general.up({ apiRateLimit: 100, defaultRemoteStateAccess: false });
    expect(general.outputs()).toMatchObject({ apiRateLimit: 100, defaultRemoteStateAccess: false, limitUserOrganizationCreation: true });
  });

  test("write-only attributes in a response are dropped", async () => {
    const { engine } = current();
    answer("GET", "saml", { enabled: false, "private-key": "canary", "provider-type": "okta" });
    const saml = await engine("SamlSettings").get("saml");
    answer("GET", "smtp", { enabled: false, password: "canary", "test-email-address": "canary" });
    const smtp = await engine("SmtpSettings").get("smtp");
    expect(JSON.stringify([saml, smtp])).not.toContain("canary");
  });

  test("an attribute with a name that Pulumi cannot store is left out", async () => {
    const { engine, sandbox } = current();
    const attributes = '{"api-rate-limit":50,"__proto__":{"apiRateLimit":7},"4dabf18193072939515e22adb298388d":"x","\\ud800":1}';
    const body = `{"data":{"id":"general","type":"general-settings","attributes":${attributes}}}`;
    sandbox.faults.add({ system: "platform", method: "GET", path: /general/, action: "respond", status: 200, body });
    const general = await engine("GeneralSettings").get("general");
    expect(general.apiRateLimit).toBe(50);
  });
});
