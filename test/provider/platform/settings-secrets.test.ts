import { platform } from "../../../provider";
import { onEachPlatform } from "../../support/platform";
import { printed, printedBesidesAdoption } from "../../support/printed";
import { refusal } from "../../support/refusal";
import { complete } from "./attributes";

onEachPlatform("write-only secrets of settings", (current) => {
  const mail = { ...complete.smtp, enabled: true, auth: "login", username: "platform", password: "canary-mail" };

  test("are written once, compared with the last written value and never printed", async () => {
    const { engine, requests } = current();
    const smtp = engine("SmtpSettings");
    await smtp.up(mail);
    expect(await requests(() => smtp.up(mail))).toEqual([]);
    expect(await smtp.refresh()).toEqual([]);
    expect(await requests(() => smtp.up({ ...mail, password: "canary-other" }))).toEqual(["PATCH smtp-settings"]);
    expect(printed.join("\n")).not.toContain("canary");
  });

  test("cannot be restored: destroy disables the settings and prints a warning", async () => {
    const { engine, change, held } = current();
    await change("smtp", { ...mail, host: "theirs.example.com", password: "theirs" });
    const before = await held("smtp");
    const smtp = engine("SmtpSettings");
    const note = 'SMTP settings "smtp": password: a destroy cannot restore the previous value, so it disables enabled settings';
    await smtp.up({ host: "ours.example.com", onDelete: "retain", password: "canary-mail" });
    expect(printedBesidesAdoption()).toEqual([]);
    const ours = { host: "ours.example.com", password: "canary-mail" };
    await smtp.destroy();
    await change("smtp", { ...mail, host: "theirs.example.com", password: "theirs" });
    await smtp.up(ours);
    await smtp.up(ours);
    expect(printedBesidesAdoption()).toEqual([expect.stringContaining(note)]);
    await smtp.destroy();
    expect(await held("smtp")).toEqual({ ...before, enabled: false });
    expect(printedBesidesAdoption().slice(1)).toEqual([expect.stringMatching(/^warning: SMTP settings "smtp": password .* disabled/)]);
  });

  test("disable the settings when they are removed, unless the program enables them", async () => {
    const { engine, change, held } = current();
    await change("sms", { ...complete.sms, enabled: true });
    const sms = engine("SmsSettings");
    await sms.up({ accountSid: "AC2" });
    await sms.up({ accountSid: "AC2", authToken: "canary-sms" });
    expect(printed.at(-1)).toBe('SMS settings "sms": adoption overwrites authToken, which the server does not return.');
    await sms.up({ accountSid: "AC2" });
    expect(await held("sms")).toMatchObject({ enabled: false, accountSid: "AC2" });
    expect(JSON.stringify(sms.state)).not.toContain("canary-sms");
    expect(printedBesidesAdoption().join()).toMatch(/,warning: SMS settings "sms": authToken .* disabled/);

    const other = engine("SmsSettings");
    await other.up({ enabled: true, authToken: "canary-sms" });
    await other.up({ enabled: true });
    expect(await held("sms")).toMatchObject({ enabled: true });
    expect(printed.at(-1)).toMatch(/^warning: SMS settings "sms": authToken (?!.* disabled)/);
  });

  test("are named when they are removed, also after a lost response", async () => {
    const { engine, sandbox, change, held } = current();
    await change("sms", { ...complete.sms, enabled: true });
    const sms = engine("SmsSettings");
    await sms.up({ accountSid: "AC2", authToken: "canary" });
    current().fault(/-settings$/, { method: "PATCH", action: "drop-after", times: 9 });
    await expect(sms.up({ accountSid: "AC2" })).rejects.toThrow(refusal("ERR_INCOMPLETE", { rule: "applied" }));
    sandbox.faults.clear();
    await sms.up({ accountSid: "AC2" });
    expect(printed.join()).toMatch(/warning: SMS settings "sms": authToken /);
    expect((await held("sms")).enabled).toBe(false);
  });
});

onEachPlatform("readable secrets of settings", (current) => {
  test("a message names their drift, because the engine prints only [secret]", async () => {
    const { engine, change } = current();
    const cost = engine("CostEstimationSettings");
    await cost.up({ ...complete["cost-estimation"] });
    await change("cost-estimation", { cloudASecretKey: "canary-theirs" });
    expect(await cost.refresh()).toEqual(["cloudASecretKey"]);
    expect(printedBesidesAdoption()).toEqual([
      expect.stringMatching(/^cost estimation settings "cost-estimation": the secret cloudASecretKey /),
    ]);
  });

  test("an emptied secret stays an input, so its next value is stored as a secret", async () => {
    const { engine, change } = current();
    const cost = engine("CostEstimationSettings");
    await cost.up({ cloudASecretKey: "ours" });
    await change("cost-estimation", { cloudASecretKey: null });
    expect(await cost.refresh()).toEqual(["cloudASecretKey"]);
    expect(cost.state?.inputs).toMatchObject({ cloudASecretKey: "" });
    expect(await cost.up({ cloudASecretKey: "ours" })).toBe("update");
  });

  test("an error shows no original value that the server echoes", async () => {
    const { engine, change, fault } = current();
    await change("cost-estimation", { cloudASecretKey: "canary-theirs" });
    const cost = engine("CostEstimationSettings");
    await cost.up({ cloudASecretKey: "ours" });
    fault(/cost-estimation/, { method: "PATCH", status: 400, body: { errors: ["canary-theirs is not a key"] } });
    await expect(cost.destroy()).rejects.toThrow(/\[secret\] is not a key/);
  });

  test("JSON values are compared as JSON", async () => {
    const { engine, change, requests } = current();
    const cost = engine("CostEstimationSettings");
    await cost.up({ cloudBCredentials: '{"a": 1, "b": [2]}' });
    await change("cost-estimation", { cloudBCredentials: '{"b":[2],"a":1}' });
    expect(await cost.refresh()).toEqual([]);
    expect(await requests(() => cost.up({ cloudBCredentials: '{ "a":1,"b":[ 2 ] }' }))).toEqual([]);
    await change("cost-estimation", { cloudBCredentials: '{"b":[3],"a":1}' });
    expect(await cost.refresh()).toEqual(["cloudBCredentials"]);
  });

  test("a masked value is no drift, does not confirm a write, and is never restored", async () => {
    const { engine, held, change } = current();
    await change("cost-estimation", { ...complete["cost-estimation"], enabled: true });
    const cost = engine("CostEstimationSettings");
    current().show("cost-estimation", { enabled: true, cloudASecretKey: "********", cloudBCredentials: null });
    await cost.up({ cloudASecretKey: "ours", cloudBCredentials: '{"private_key":"key","id":"1"}' });
    expect(await held("cost-estimation")).toMatchObject({ cloudASecretKey: "ours" });
    const masked = (id: string): object => ({ cloudASecretKey: "****", cloudBCredentials: `{"private_key":"[REDACTED]","id":"${id}"}` });
    current().show("cost-estimation", { enabled: true, ...masked("1") });
    expect(await cost.refresh()).toEqual([]);
    current().show("cost-estimation", { enabled: true, ...masked("2") });
    expect(await cost.refresh()).toEqual(["cloudBCredentials"]);
    await cost.up({ cloudASecretKey: "ours", cloudBCredentials: '{"private_key":"key","id":"1"}' });
    await cost.destroy();
    expect(await held("cost-estimation")).toMatchObject({ cloudASecretKey: "ours", cloudBCredentials: null, enabled: false });
    expect(printed.at(-1)).toMatch(/^warning: .*: cloudASecretKey /);
  });

  test("a masked value inside JSON is neither captured nor restored", async () => {
    const { engine, held, change } = current();
    await change("cost-estimation", { cloudBCredentials: '{"private_key":"theirs","id":"1"}' });
    const cost = engine("CostEstimationSettings");
    current().show("cost-estimation", { enabled: false, cloudBCredentials: '{"private_key":"[REDACTED]","id":"1"}' });
    await cost.up({ cloudBCredentials: '{"private_key":"ours"}' });
    await cost.destroy();
    expect(await held("cost-estimation")).toMatchObject({ cloudBCredentials: '{"private_key":"ours"}' });
    expect(printed.at(-1)).toMatch(/^warning: .*: cloudBCredentials /);
  });

  test("a function returns them as secret outputs", async () => {
    await current().change("cost-estimation", { cloudASecretKey: "canary" });
    current().configureProgram();
    const shown = await platform.getCostEstimationSettings();
    expect(await (shown.cloudASecretKey as unknown as { isSecret: Promise<boolean> }).isSecret).toBe(true);
    expect(shown.enabled).toBe(false);
    expect(Object.keys(shown)).not.toContain("managed");
  });
});
