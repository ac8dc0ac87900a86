import { platform } from "../../../provider";
import { onEachPlatform } from "../../support/platform";
import { printed } from "../../support/printed";
import { registered } from "../../support/registered";
import { complete } from "./attributes";

onEachPlatform("settings that the server would reject", (current) => {
  test.each([
    ["SmtpSettings", { enabled: true, port: 25 }, ["host", "sender"]],
    ["SmtpSettings", { ...complete.smtp, enabled: true, auth: "plain" }, ["username", "password"]],
    ["SmsSettings", { enabled: true, accountSid: "AC1" }, ["authToken", "fromNumber"]],
    ["SamlSettings", { enabled: true, ssoEndpointUrl: "https://idp.example.com" }, ["idpCert", "sloEndpointUrl"]],
    ["CostEstimationSettings", { enabled: true, cloudCTenantId: "t" }, ["cloudCClientId", "cloudCClientSecret", "cloudCSubscriptionId"]],
    [
      "CostEstimationSettings",
      { enabled: true, cloudAAccessKeyId: "a", cloudCClientId: "c", cloudCClientSecret: "s", cloudCTenantId: "t" },
      ["cloudCSubscriptionId"],
    ],
    ["CostEstimationSettings", { enabled: true }, ["cloudAAccessKeyId", "cloudASecretKey"]],
  ])("%s %j fails before any write", async (token, inputs, missing) => {
    const { engine, requests } = current();
    const sent = await requests(async () => {
      const error: Error = await engine(token)
        .up(inputs)
        .then(
          () => Promise.reject(new Error("it succeeded")),
          (reason) => reason,
        );
      expect(error.message).toContain(`enabled: needs ${missing.join(", ")}, which neither the program declares nor the server shows.`);
    });
    expect(sent.filter((each) => !each.startsWith("GET"))).toEqual([]);
  });

  test("are checked against the values on the server, which may complete them", async () => {
    const { engine, change, held } = current();
    await change("smtp", complete.smtp ?? {});
    await engine("SmtpSettings").up({ enabled: true });
    expect(await held("smtp")).toMatchObject({ enabled: true, host: "mail.example.com" });
    // In use before us, so the password that the server does not show is there.
    await engine("SmtpSettings")
      .up({ auth: "plain", username: "platform" })
      .catch(() => undefined);
  });

  test("are a warning in the preview of an update and an error before its request", async () => {
    const { engine, requests } = current();
    const sms = engine("SmsSettings");
    await sms.up({ accountSid: "AC1", authToken: "token" });
    expect(await requests(() => sms.preview({ accountSid: "AC1", authToken: "token", enabled: true }))).toEqual([]);
    expect(printed).toEqual([
      'warning: SMS settings "sms": enabled: needs fromNumber, which neither the program declares nor the server shows',
    ]);
    const sent = await requests(() =>
      expect(sms.up({ accountSid: "AC1", authToken: "token", enabled: true })).rejects.toThrow("fromNumber"),
    );
    // One attribute joins, so that it is looked at first.
    expect(sent).toEqual([`GET ${current().dialect === "hashicorp" ? "twilio" : "sms"}-settings`]);
    await sms.up({ accountSid: "AC1", authToken: "token", enabled: true, fromNumber: "+1" });
  });
});

onEachPlatform("invalid input", (current) => {
  test.each([
    [
      "GeneralSettings",
      { apiRateLimit: 29, defaultRemoteStateAccess: "yes" },
      ["apiRateLimit: must be at least 30", "defaultRemoteStateAccess: must be"],
    ],
    ["GeneralSettings", { apiRateLimits: 30 }, ['"apiRateLimits" (did you mean apiRateLimit?) is not known here; known are ']],
    ["GeneralSettings", { onDelete: "keep" }, ['onDelete: must be "restore" or "retain"']],
    [
      "SamlSettings",
      { ssoEndpointUrl: "http://idp", sloEndpointUrl: "idp" },
      ["sloEndpointUrl: must be an https URL", "ssoEndpointUrl: must be an https URL"],
    ],
    ["SmtpSettings", { port: 0, auth: "digest" }, ["port: must be a port from 1 to 65535", 'auth: must be "none", "plain" or "login"']],
    ["CostEstimationSettings", { cloudBCredentials: "canary{" }, ["cloudBCredentials: must be the JSON text"]],
    ["CostEstimationSettings", { cloudBCredentials: '"canary"' }, ["cloudBCredentials: must be the JSON text"]],
  ])("%s %j", async (token, inputs, reasons) => {
    const { engine, requests } = current();
    const sent = await requests(async () => {
      const problems = await engine(token).problems(inputs);
      expect(problems).toHaveLength(reasons.length);
      for (const [index, reason] of reasons.entries()) expect(problems[index]).toContain(reason);
      expect(problems.join()).not.toContain("canary");
    });
    expect(sent).toEqual([]);
  });

  test("a certificate that cannot be parsed is an error where the platform rejects it, and a warning elsewhere", async () => {
    const problems = await current().engine("SamlSettings").problems({ idpCert: "canary" });
    const reason = "idpCert: must be a certificate in PEM form that can be parsed, not a path";
    const isStandard = current().dialect === "standard";
    expect(problems).toEqual(isStandard ? [reason] : []);
    expect(printed).toEqual(isStandard ? [] : [`warning: SAML settings "saml": ${reason}`]);
  });

  test("`extra` passes further attributes in the hashicorp dialect only", async () => {
    const extra = { "apply-timeout": "1h", "api-rate-limit": 30, applyTimeout: "1h" };
    const problems = await current().engine("GeneralSettings").problems({ extra });
    expect(problems).toEqual(
      current().dialect === "standard"
        ? ['extra: is for the connection\'s dialect "hashicorp": the API document knows no further attributes']
        : [
            "extra.api-rate-limit: has its own place: apiRateLimit",
            "extra.applyTimeout: must be the product's own name, such as apply-timeout",
          ],
    );
  });
});

test.each([null, "text", 5])("extra: %j is rejected by check", async (extra) => {
  const request = await registered(() => new platform.SamlSettings("saml", { extra: extra as never }));
  expect(request.getObject()?.toJavaScript().extra ?? null).toEqual(extra);
});
