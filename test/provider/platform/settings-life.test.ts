import { platform } from "../../../provider";
import { onEachPlatform } from "../../platform";
import { registered } from "../../registered";
import { complete } from "./attributes";

let printed: string[];
beforeEach(() => {
  printed = [];
  jest.spyOn(console, "log").mockImplementation((line) => void printed.push(String(line)));
});
afterEach(() => jest.restoreAllMocks());

onEachPlatform("what is declared, and for how long", (current) => {
  test("nothing declared: one read, and nothing to put back", async () => {
    const { engine, requests } = current();
    const general = engine("GeneralSettings");
    expect(await requests(() => general.up({}))).toEqual(["GET general-settings"]);
    expect(general.outputs()).toMatchObject({ apiRateLimit: 30, limitUserOrganizationCreation: true, managed: [] });
    expect(await requests(() => general.destroy())).toEqual([]);
  });

  test("declared as it is already: nothing is written, drift is seen all the same", async () => {
    const { engine, requests, change, held } = current();
    const general = engine("GeneralSettings");
    expect(await requests(() => general.up({ apiRateLimit: 30 }))).toEqual(["GET general-settings"]);
    await change("general", { apiRateLimit: 90 });
    expect(await general.refresh()).toEqual(["apiRateLimit"]);
    await general.up({ apiRateLimit: 30 });
    expect((await held("general")).apiRateLimit).toBe(30);
  });

  test("an attribute that joins is captured as it is then, not as the state remembers it", async () => {
    const { engine, requests, change, held } = current();
    const general = engine("GeneralSettings");
    await general.up({ apiRateLimit: 100 });
    await change("general", { defaultRemoteStateAccess: false });
    const joined = { apiRateLimit: 100, defaultRemoteStateAccess: true };
    expect(await requests(() => general.up(joined))).toEqual(["GET general-settings", "PATCH general-settings"]);
    expect(general.outputs().managed).toEqual(["apiRateLimit", "defaultRemoteStateAccess"]);
    await general.destroy();
    expect(await held("general")).toMatchObject({ apiRateLimit: 30, defaultRemoteStateAccess: false });
  });

  test("an attribute that leaves is put back and leaves `managed`; the next one that joins is captured anew", async () => {
    const { engine, requests, change, held } = current();
    const texts = engine("CustomizationSettings");
    await change("customization", { footer: "theirs" });
    await texts.up({ footer: "ours", error: "ours" });
    expect(await requests(() => texts.up({ error: "ours" }))).toEqual(["PATCH customization-settings"]);
    expect(await held("customization")).toMatchObject({ footer: "theirs", error: "ours" });
    expect(texts.outputs().managed).toEqual(["error"]);
    await change("customization", { footer: "theirs again" });
    expect(await texts.refresh()).toEqual([]);
    await texts.up({ error: "ours", footer: "ours again" });
    await texts.destroy();
    expect(await held("customization")).toMatchObject({ footer: "theirs again", error: "" });
  });

  test("a preview says what an attribute goes back to, unless it is a secret", async () => {
    const { engine } = current();
    const cost = engine("CostEstimationSettings");
    await cost.up({ cloudAAccessKeyId: "AKIA", cloudASecretKey: "canary" });
    await cost.preview({});
    expect(printed).toEqual([
      'warning: cost estimation settings "cost-estimation": cloudAAccessKeyId: is declared no more, and is put back to nothing',
    ]);
    const general = engine("GeneralSettings");
    await general.up({ apiRateLimit: 100, defaultRemoteStateAccess: false });
    await general.preview({ defaultRemoteStateAccess: false });
    expect(printed.at(-1)).toBe('warning: general settings "general": apiRateLimit: is declared no more, and is put back to 30');
  });

  test("an attribute that leaves with the value that it had before sends nothing", async () => {
    const { engine, requests } = current();
    const general = engine("GeneralSettings");
    await general.up({ apiRateLimit: 30, defaultRemoteStateAccess: false });
    expect(await requests(() => general.up({ defaultRemoteStateAccess: false }))).toEqual([]);
    expect(general.outputs().managed).toEqual(["defaultRemoteStateAccess"]);
  });

  test("only what changes is written", async () => {
    const { engine, sandbox, service } = current();
    const general = engine("GeneralSettings");
    await general.up({ apiRateLimit: 100, defaultRemoteStateAccess: false });
    // A write that carried more than the changed attribute would put this one back.
    await current().change("general", { defaultRemoteStateAccess: true });
    await general.up({ apiRateLimit: 200, defaultRemoteStateAccess: false });
    expect((await current().held("general")).defaultRemoteStateAccess).toBe(true);
    // The answer told so: the next up repairs it, without a refresh.
    expect(await general.up({ apiRateLimit: 200, defaultRemoteStateAccess: false })).toBe("update");
    expect((await current().held("general")).defaultRemoteStateAccess).toBe(false);
    expect(sandbox.platform.url).toBe(service.url);
  });

  test('onDelete "retain" leaves everything; changing it sends nothing', async () => {
    const { engine, requests, held } = current();
    const general = engine("GeneralSettings");
    await general.up({ apiRateLimit: 100, onDelete: "retain" });
    expect(await requests(() => general.destroy())).toEqual([]);
    expect((await held("general")).apiRateLimit).toBe(100);
    const again = engine("GeneralSettings");
    await again.up({ apiRateLimit: 200, onDelete: "retain" });
    expect(await requests(async () => expect(await again.up({ apiRateLimit: 200 })).toBe("update"))).toEqual([]);
    await again.destroy();
    expect((await held("general")).apiRateLimit).toBe(100);
  });

  test("a platform that says 404 is one that takes us for no administrator: nothing is lost", async () => {
    const { engine, service, held } = current();
    const general = engine("GeneralSettings");
    await general.up({ apiRateLimit: 100 });
    general.configure(current().config({ token: service.memberToken }));
    for (const operation of [() => general.refresh(), () => general.up({ apiRateLimit: 200 }), () => general.destroy()])
      await expect(operation()).rejects.toThrow(
        /answers 404 to anyone else \((GET|PATCH) \/api\/v2\/admin\/general-settings, 404\)\. Check that the token/,
      );
    expect(general.state?.outputs).toMatchObject({ apiRateLimit: 100 });
    await expect(engine("GeneralSettings", { token: service.memberToken }).up({})).rejects.toMatchObject({
      code: "ERR_FORBIDDEN",
      status: 404,
    });
    general.configure(current().config());
    await general.destroy();
    expect((await held("general")).apiRateLimit).toBe(30);
  });

  test("get shows every attribute, and manages none", async () => {
    const { engine, requests } = current();
    const saml = engine("SamlSettings");
    const shown = await requests(async () => {
      expect(await saml.get("saml")).toMatchObject({
        enabled: false,
        attrUsername: "Username",
        ssoApiTokenSessionTimeout: 1209600,
        managed: [],
      });
    });
    expect(shown).toEqual(["GET saml-settings"]);
    await expect(engine("SamlSettings").get("general")).rejects.toThrow('"general" is not an id of one. Write it as saml.');
  });
});

onEachPlatform("secrets that the platform never shows", (current) => {
  const mail = { ...complete.smtp, enabled: true, auth: "login", username: "platform", password: "canary-mail" };

  test("are written once, compared with what was written, and never shown", async () => {
    const { engine, requests } = current();
    const smtp = engine("SmtpSettings");
    await smtp.up(mail);
    expect(await requests(() => smtp.up(mail))).toEqual([]);
    expect(await smtp.refresh()).toEqual([]);
    expect(await requests(() => smtp.up({ ...mail, password: "canary-other" }))).toEqual(["PATCH smtp-settings"]);
    expect(printed.join("\n")).not.toContain("canary");
  });

  test("cannot be put back: the settings are left disabled, with a line that says so", async () => {
    const { engine, change, held } = current();
    await change("smtp", { ...mail, host: "theirs.example.com", password: "theirs" });
    const before = await held("smtp");
    const smtp = engine("SmtpSettings");
    await smtp.up({ host: "ours.example.com", password: "canary-mail" });
    await smtp.destroy();
    expect(await held("smtp")).toEqual({ ...before, enabled: false });
    expect(printed).toEqual([
      'warning: SMTP settings "smtp": password cannot be put back, since the server never shows what was held before: they are left disabled, to be set by hand before they are enabled again',
    ]);
  });

  test("that leave the program leave the settings disabled, unless the program enables them", async () => {
    const { engine, change, held } = current();
    await change("sms", { ...complete.sms, enabled: true });
    const sms = engine("SmsSettings");
    await sms.up({ accountSid: "AC2", authToken: "canary-sms" });
    await sms.up({ accountSid: "AC2" });
    expect(await held("sms")).toMatchObject({ enabled: false, accountSid: "AC2" });
    expect(JSON.stringify(sms.state)).not.toContain("canary-sms");
    expect(printed.join()).toMatch(/SMS settings "sms": authToken cannot be put back.*left disabled/);

    const other = engine("SmsSettings");
    await other.up({ enabled: true, authToken: "canary-sms" });
    await other.up({ enabled: true });
    expect(await held("sms")).toMatchObject({ enabled: true });
    expect(printed.at(-1)).toMatch(/authToken cannot be put back.*what was written last stays/);
  });
});

onEachPlatform("secrets that the platform shows", (current) => {
  const wire = (name: string): string =>
    current().dialect === "standard" ? name : name.replace("cloud-a", "aws").replace("cloud-b", "gcp").replace("cloud-c", "azure");
  const mask = (attributes: Record<string, unknown>): void => {
    const named = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [wire(name), value]));
    const body = JSON.stringify({ data: { id: "cost-estimation", type: "cost-estimation-settings", attributes: named } });
    current().sandbox.faults.add({ system: "platform", method: "GET", path: /cost-estimation/, action: "respond", status: 200, body });
  };

  test("their drift is named in a line, since the engine shows [secret] alone", async () => {
    const { engine, change } = current();
    const cost = engine("CostEstimationSettings");
    await cost.up({ ...complete["cost-estimation"] });
    await change("cost-estimation", { cloudASecretKey: "canary-theirs" });
    expect(await cost.refresh()).toEqual(["cloudASecretKey"]);
    expect(printed).toEqual(['cost estimation settings "cost-estimation": cloudASecretKey, a secret, was changed on the server']);
  });

  test("one that was emptied stays an input, so that it comes back as a secret", async () => {
    const { engine, change } = current();
    const cost = engine("CostEstimationSettings");
    await cost.up({ cloudASecretKey: "ours" });
    await change("cost-estimation", { cloudASecretKey: null });
    expect(await cost.refresh()).toEqual(["cloudASecretKey"]);
    expect(cost.state?.inputs).toMatchObject({ cloudASecretKey: "" });
    expect(await cost.up({ cloudASecretKey: "ours" })).toBe("update");
  });

  test("JSON is compared as JSON", async () => {
    const { engine, change, requests } = current();
    const cost = engine("CostEstimationSettings");
    await cost.up({ cloudBCredentials: '{"a": 1, "b": [2]}' });
    await change("cost-estimation", { cloudBCredentials: '{"b":[2],"a":1}' });
    expect(await cost.refresh()).toEqual([]);
    expect(await requests(() => cost.up({ cloudBCredentials: '{ "a":1,"b":[ 2 ] }' }))).toEqual([]);
    await change("cost-estimation", { cloudBCredentials: '{"b":[3],"a":1}' });
    expect(await cost.refresh()).toEqual(["cloudBCredentials"]);
  });

  test("a mask is not taken for drift, is not believed to be what we write, and is never put back", async () => {
    const { engine, held, change } = current();
    await change("cost-estimation", { ...complete["cost-estimation"], enabled: true });
    const cost = engine("CostEstimationSettings");
    mask({ enabled: true, "cloud-a-secret-key": "********", "cloud-b-credentials": null });
    await cost.up({ cloudASecretKey: "ours", cloudBCredentials: '{"private_key":"key","id":"1"}' });
    expect(await held("cost-estimation")).toMatchObject({ cloudASecretKey: "ours" });
    mask({ enabled: true, "cloud-a-secret-key": "****", "cloud-b-credentials": '{"private_key":"[REDACTED]","id":"1"}' });
    expect(await cost.refresh()).toEqual([]);
    mask({ enabled: true, "cloud-a-secret-key": "****", "cloud-b-credentials": '{"private_key":"[REDACTED]","id":"2"}' });
    expect(await cost.refresh()).toEqual(["cloudBCredentials"]);
    await cost.up({ cloudASecretKey: "ours", cloudBCredentials: '{"private_key":"key","id":"1"}' });
    await cost.destroy();
    expect(await held("cost-estimation")).toMatchObject({ cloudASecretKey: "ours", cloudBCredentials: null, enabled: false });
    expect(printed.at(-1)).toMatch(/cloudASecretKey cannot be put back/);
  });

  test("a mask inside of JSON is neither captured nor put back", async () => {
    const { engine, held, change } = current();
    await change("cost-estimation", { cloudBCredentials: '{"private_key":"theirs","id":"1"}' });
    const cost = engine("CostEstimationSettings");
    mask({ enabled: false, "cloud-b-credentials": '{"private_key":"[REDACTED]","id":"1"}' });
    await cost.up({ cloudBCredentials: '{"private_key":"ours"}' });
    await cost.destroy();
    expect(await held("cost-estimation")).toMatchObject({ cloudBCredentials: '{"private_key":"ours"}' });
    expect(printed.at(-1)).toMatch(/cloudBCredentials cannot be put back/);
  });

  test("a function shows them as secret outputs", async () => {
    await current().change("cost-estimation", { cloudASecretKey: "canary" });
    current().configureProgram();
    const shown = await platform.getCostEstimationSettings();
    expect(await (shown.cloudASecretKey as unknown as { isSecret: Promise<boolean> }).isSecret).toBe(true);
    expect(shown.enabled).toBe(false);
    expect(Object.keys(shown)).not.toContain("managed");
  });
});

onEachPlatform("a server that keeps something else", (current) => {
  test("is warned of once, and is no drift until somebody changes it", async () => {
    const { engine, sandbox, requests } = current();
    const answer = (footer: string, method = "GET"): void => {
      const attributes = { "support-email-address": "s@example.com", "login-help": "", footer, error: "", "new-user": "" };
      const body = JSON.stringify({ data: { id: "customization", type: "customization-settings", attributes } });
      sandbox.faults.add({ system: "platform", method, path: /customization/, action: "respond", status: 200, body });
    };
    const texts = engine("CustomizationSettings");
    const inputs = { footer: "<b onclick='x()'>ours</b>" };
    answer("<b>ours</b>", "PATCH");
    await texts.up(inputs);
    expect(printed).toEqual([
      'warning: customization settings "customization": the server keeps something else than what was sent as footer',
    ]);
    answer("<b>ours</b>");
    expect(await texts.refresh()).toEqual([]);
    expect(await requests(() => texts.up(inputs))).toEqual([]);
    answer("theirs");
    expect(await texts.refresh()).toEqual(["footer"]);
  });
});

onEachPlatform("servers that answer in their own way", (current) => {
  const answer = (method: string, settings: string, attributes: object): void => {
    const body = JSON.stringify({ data: { id: settings, type: `${settings}-settings`, attributes } });
    current().sandbox.faults.add({ system: "platform", method, path: new RegExp(settings), action: "respond", status: 200, body });
  };

  test("an attribute that the server leaves empty is written once", async () => {
    const { engine, requests } = current();
    const smtp = engine("SmtpSettings");
    answer("PATCH", "smtp", { enabled: false, auth: "none", username: null });
    await smtp.up({ auth: "none", username: "ignored", testEmailAddress: "me@example.com" });
    expect(printed).toEqual(['warning: SMTP settings "smtp": the server keeps something else than what was sent as username']);
    expect(await smtp.refresh()).toEqual([]);
    expect(await requests(() => smtp.up({ auth: "none", username: "ignored", testEmailAddress: "me@example.com" }))).toEqual([]);
  });

  test("an attribute of the real product that no client can set is warned of, and nothing more", async () => {
    const { engine, dialect, requests } = current();
    const extra = { "default-organizations-per-user-ceiling": 7 };
    if (dialect === "standard") return expect(await engine("GeneralSettings").problems({ extra })).toHaveLength(1);
    const general = engine("GeneralSettings");
    await general.up({ extra });
    expect(printed).toEqual([
      'warning: general settings "general": the server keeps something else than what was sent as extra.default-organizations-per-user-ceiling',
    ]);
    expect(await general.refresh()).toEqual([]);
    expect(await requests(() => general.up({ extra }))).toEqual([]);
  });

  test("an answer to a write that shows a part alone is believed for that part", async () => {
    const { engine } = current();
    const general = engine("GeneralSettings");
    answer("PATCH", "general", { "api-rate-limit": 100 });
    await general.up({ apiRateLimit: 100, defaultRemoteStateAccess: false });
    expect(general.outputs()).toMatchObject({ apiRateLimit: 100, defaultRemoteStateAccess: false, limitUserOrganizationCreation: true });
  });

  test("what it should not show is not shown", async () => {
    const { engine } = current();
    answer("GET", "saml", { enabled: false, "private-key": "canary", "provider-type": "okta" });
    const saml = await engine("SamlSettings").get("saml");
    answer("GET", "smtp", { enabled: false, password: "canary", "test-email-address": "canary" });
    const smtp = await engine("SmtpSettings").get("smtp");
    expect(JSON.stringify([saml, smtp])).not.toContain("canary");
  });
});

onEachPlatform("what the server would refuse", (current) => {
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
  ])("%s %j: refused before anything is written", async (token, inputs, missing) => {
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

  test("is judged on what the server holds: the rest may be there already", async () => {
    const { engine, change, held } = current();
    await change("smtp", complete.smtp ?? {});
    await engine("SmtpSettings").up({ enabled: true });
    expect(await held("smtp")).toMatchObject({ enabled: true, host: "mail.example.com" });
    // In use before us, so the password that the server does not show is there.
    await engine("SmtpSettings")
      .up({ auth: "plain", username: "platform" })
      .catch(() => undefined);
  });

  test("is a warning in the preview of an update, and an error before it is sent", async () => {
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

onEachPlatform("bad input", (current) => {
  test.each([
    [
      "GeneralSettings",
      { apiRateLimit: 29, defaultRemoteStateAccess: "yes" },
      ["apiRateLimit: must be at least 30", "defaultRemoteStateAccess: must be"],
    ],
    ["GeneralSettings", { apiRateLimits: 30 }, ['Unrecognized key: "apiRateLimits"']],
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

  test("a certificate that cannot be parsed is refused where the platform refuses it, and warned of elsewhere", async () => {
    const problems = await current().engine("SamlSettings").problems({ idpCert: "canary" });
    const reason = "idpCert: must be a certificate in PEM form that can be parsed, not a path";
    const isStandard = current().dialect === "standard";
    expect(problems).toEqual(isStandard ? [reason] : []);
    expect(printed).toEqual(isStandard ? [] : [`warning: SAML settings "saml": ${reason}`]);
  });

  test("`extra` is for the real product's further attributes", async () => {
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

test("a replacement that the user orders deletes first, as every other one", async () => {
  const request = await registered(() => new platform.GeneralSettings("general", {}));
  expect([request.getDeletebeforereplace(), request.getDeletebeforereplacedefined()]).toEqual([true, true]);
});

test.each([null, "text", 5])("extra: %j reaches the check, which refuses it", async (extra) => {
  const request = await registered(() => new platform.SamlSettings("saml", { extra: extra as never }));
  expect(request.getObject()?.toJavaScript().extra ?? null).toEqual(extra);
});
