import { certificate } from "../../../support/certificates";
import { onEachPlatform } from "../../../support/platform";
import { Story, storyOnPlatform } from "../../../support/story";

onEachPlatform("the examples of the platform", (current) => {
  let project: Story;
  beforeEach(() => {
    project = storyOnPlatform(current());
  });
  const writes = async (operation: () => Promise<unknown>): Promise<string[]> =>
    (await current().requests(operation)).filter((each) => !each.startsWith("GET"));

  test("platform-settings writes six settings, starts a certificate rotation and revokes the old certificate on request", async () => {
    const { held, service, dialect } = current();
    project.example("platform-settings");
    await project.set("idp", "https://idp.example.com");
    await project.set("idpCert", certificate);
    project.with({ SMTP_PASSWORD: "a-password", SMS_TOKEN: "a-token", PRICE_KEY: "a-key" });
    const sms = dialect === "hashicorp" ? "twilio-settings" : "sms-settings";
    const all = ["cost-estimation-settings", "customization-settings", "general-settings", "saml-settings", "smtp-settings", sms];
    expect(await writes(() => project.up())).toEqual(all.map((settings) => `PATCH ${settings}`).sort());
    await project.expectConverged();
    expect(await project.outputs()).toEqual({ managed: ["apiRateLimit", "defaultRemoteStateAccess", "limitUserOrganizationCreation"] });
    expect(await held("saml")).toMatchObject({ enabled: true, siteAdminRole: "platform-admins", oldIdpCert: null });
    expect(service.mail.sent()).toEqual([]);
    expect(project.stored()).not.toMatch(/a-(password|token|key)/);
    await project.set("certificateSwitched", "1");
    expect(await writes(() => project.up())).toEqual(["POST saml-settings/actions/revoke-old-certificate"]);
    await project.expectConverged();
    const saml = await held("saml");
    await project.destroy();
    expect(await held("general")).toMatchObject({ apiRateLimit: 30, defaultRemoteStateAccess: true });
    expect(saml).toMatchObject({ enabled: true });
    expect(await held("saml")).toEqual(saml);
  });

  test("module-deprecation deprecates three versions, and destroy reinstates them", async () => {
    const { service, outOfBand } = current();
    service.appendToReasons(" Applies will be blocked in 15 days.");
    project.example("module-deprecation");
    await project.set("organization", "acme");
    await project.up();
    await project.expectConverged();
    const reason = "Use 2.0.0, which encrypts the flow logs. Applies will be blocked in 15 days.";
    expect(await project.outputs()).toEqual({ published: [reason, reason, reason] });
    await project.destroy();
    const { body } = await outOfBand("GET", "/api/registry/v1/modules/acme/network/aws/1.0.0");
    expect(body).toMatchObject({ deprecation: null });
  });

  test("key-leak-response rotates, trims at once and notifies once for each incident", async () => {
    const { service, change, held } = current();
    const theirs = { enabled: true, accountSid: "ACtheirs", fromNumber: "+15550111" };
    await change("sms", { ...theirs, authToken: "theirs" });
    project.example("key-leak-response");
    await project.set("incident", "first");
    await project.set("onCallNumber", "+15550123");
    const [first] = service.signingKeys();
    await project.up();
    const { rotatedAt, trimmedAt } = await project.outputs();
    expect(Date.parse(String(trimmedAt))).toBeGreaterThanOrEqual(Date.parse(String(rotatedAt)));
    const [second, ...others] = service.signingKeys();
    expect(others).toEqual([]);
    expect(second?.kid).not.toBe(first?.kid);
    expect(service.sms.sent()).toHaveLength(1);
    expect(await writes(() => project.expectConverged())).toEqual([]);
    await project.set("incident", "second");
    await project.up();
    expect(service.signingKeys()[0]?.kid).not.toBe(second?.kid);
    expect(service.sms.sent()).toHaveLength(2);
    await project.destroy();
    expect(await held("sms")).toMatchObject(theirs);
  });
});
