import { onEachPlatform } from "../../support/platform";
import { printed, printedBesidesAdoption } from "../../support/printed";
import { invalidInputs } from "../../support/refusal";
import { complete } from "./attributes";

/** The credentials for one cloud, but one. */
const allButOne = { cloudCClientId: "c", cloudCClientSecret: "s", cloudCTenantId: "t" };

onEachPlatform("settings that the server would reject", (current) => {
  test.each([
    ["SmtpSettings", { enabled: true, port: 25 }, ["host", "sender"]],
    ["SmtpSettings", { ...complete.smtp, enabled: true, auth: "plain" }, ["username", "password"]],
    ["SmsSettings", { enabled: true, accountSid: "AC1" }, ["authToken", "fromNumber"]],
    ["SamlSettings", { enabled: true, ssoEndpointUrl: "https://idp.example.com" }, ["idpCert", "sloEndpointUrl"]],
    ["CostEstimationSettings", { enabled: true, cloudCTenantId: "t" }, ["cloudCClientId", "cloudCClientSecret", "cloudCSubscriptionId"]],
    ["CostEstimationSettings", { ...allButOne, enabled: true, cloudAAccessKeyId: "a" }, ["cloudCSubscriptionId"]],
    ["CostEstimationSettings", { enabled: true }, ["cloudAAccessKeyId", "cloudASecretKey"]],
  ])("%s %j fails before any write", async (token, inputs, missing) => {
    const { engine, requests } = current();
    const reason = expect.stringMatching(new RegExp(`^\\w+ ${missing.join(", ")},`));
    const failures = [{ path: "enabled", rule: "missing-attributes", reason }];
    const refused = { code: "ERR_INVALID_INPUT", details: { failures } };
    const sent = await requests(() => expect(engine(token).up(inputs)).rejects.toMatchObject(refused));
    expect(sent.filter((each) => !each.startsWith("GET"))).toEqual([]);
    expect(printed).toEqual([]);
  });

  test("the server decides which other attributes SAML requires", async () => {
    const { engine, held, dialect } = current();
    const saml = engine("SamlSettings");
    expect(Object.keys(complete.saml ?? {})).toEqual(["idpCert", "sloEndpointUrl", "ssoEndpointUrl"]);
    await saml.up({ ...complete.saml, enabled: true });
    expect(await held("saml")).toMatchObject({ enabled: true, attrUsername: "Username", siteAdminRole: "site-admins" });
    const emptied = saml.up({ ...complete.saml, enabled: true, attrSiteAdmin: "" });
    if (dialect === "hashicorp") expect(await emptied).toBe("update");
    else await expect(emptied).rejects.toMatchObject({ details: { failures: [{ path: "attrSiteAdmin", rule: "empty" }] } });
  });

  test("are checked together with the values on the server", async () => {
    const { engine, change, held } = current();
    await change("smtp", complete.smtp ?? {});
    await engine("SmtpSettings").up({ enabled: true });
    expect(await held("smtp")).toMatchObject({ enabled: true, host: "mail.example.com" });
    // The settings were enabled before, so the server may have a password that it does not show: it decides, not the check.
    const refused = { code: "ERR_REJECTED", status: 422 };
    await expect(engine("SmtpSettings").up({ auth: "plain", username: "platform" })).rejects.toMatchObject(refused);
  });

  test("are a warning in the preview of an update and an error before its request", async () => {
    const { engine, requests } = current();
    const sms = engine("SmsSettings");
    const account = { accountSid: "AC1", authToken: "token" };
    await sms.up({ ...account, onDelete: "retain" });
    expect(await requests(() => sms.preview({ ...account, enabled: true }))).toEqual([]);
    expect(printedBesidesAdoption()).toEqual([expect.stringMatching(/^warning: SMS settings "sms": enabled: \w+ fromNumber,/)]);
    const refused = invalidInputs("enabled: missing-attributes");
    const sent = await requests(() => expect(sms.up({ ...account, enabled: true })).rejects.toThrow(refused));
    // An added attribute is read first.
    expect(sent).toEqual([`GET ${current().dialect === "hashicorp" ? "twilio" : "sms"}-settings`]);
    await sms.up({ ...account, enabled: true, fromNumber: "+1" });
  });
});

onEachPlatform("invalid input", (current) => {
  test("an invalid certificate is an error if it is a path or the platform rejects it, and otherwise a warning", async () => {
    const saml = current().engine("SamlSettings");
    expect(await saml.problems({ idpCert: "idp.pem" })).toEqual(["idpCert: certificate"]);
    expect(printedBesidesAdoption()).toEqual([]);
    const problems = await saml.problems({ idpCert: "canary".repeat(50) });
    const isStandard = current().dialect === "standard";
    expect(problems).toEqual(isStandard ? ["idpCert: certificate"] : []);
    expect(printedBesidesAdoption()).toEqual(isStandard ? [] : [expect.stringMatching(/^warning: SAML settings "saml": idpCert: /)]);
  });

  test("an attribute of Terraform Enterprise requires its dialect", async () => {
    const problems = await current().engine("GeneralSettings").problems({ applyTimeout: "1h", apiRateLimit: 30 });
    expect(problems).toEqual(current().dialect === "standard" ? ["applyTimeout: dialect"] : []);
  });

  test("an attribute that this release of Terraform Enterprise does not have is rejected before anything is sent", async () => {
    const { engine, requests, dialect, show } = current();
    if (dialect === "standard") return;
    show("general", { apiRateLimit: 30 });
    const refused = invalidInputs("applyTimeout: unsupported");
    const create = (): Promise<unknown> => expect(engine("GeneralSettings").up({ applyTimeout: "1h" })).rejects.toThrow(refused);
    expect(await requests(create)).toEqual(["GET general-settings"]);
  });
});
