import { Fault } from "../../../sandbox/index";
import { freshSandbox } from "../../sandbox/sandbox";
import { onEachPlatform, Platform, platform } from "../../support/platform";
import "../../support/printed";
import { refusal } from "../../support/refusal";
import { complete } from "./attributes";

onEachPlatform("SMTP settings with test mails", (current) => {
  const login = { auth: "plain", username: "platform", password: "canary-mail" };
  const mail = { ...complete.smtp, ...login, enabled: true, testEmailAddress: "me@example.com" };
  const sent = (): string[] => Array.from(current().service.mail.sent(), ({ to }) => to);
  /** A fault of a write. */
  const faultWrite = (fault: Partial<Fault>): void => current().fault(/-settings$/, { method: "PATCH", ...fault });

  test("each change sends one mail, and preview, refresh, an unchanged up and destroy send none", async () => {
    const { engine } = current();
    const smtp = engine("SmtpSettings");
    await smtp.preview(mail);
    expect(sent()).toEqual([]);
    await smtp.up(mail);
    await smtp.refresh();
    await smtp.preview({ ...mail, port: 465 });
    expect(sent()).toEqual(["me@example.com"]);
    await smtp.up({ ...mail, port: 465 });
    await smtp.up({ ...mail, port: 465, testEmailAddress: "you@example.com" });
    expect(sent()).toEqual(["me@example.com", "me@example.com", "you@example.com"]);
    const { testEmailAddress: _, ...silent } = mail;
    await smtp.up(silent);
    await smtp.destroy();
    expect(sent()).toHaveLength(3);
  });

  test.each([401, 500, 504] as const)("%i is an error of the mail server, is not retried, and stores nothing", async (status) => {
    const { engine, service, requests, held } = current();
    const before = await held("smtp");
    const smtp = engine("SmtpSettings");
    service.mail.fail(status);
    const failure = refusal("ERR_REJECTED", { rule: "not-applied", method: "PATCH", status });
    const seen = await requests(() => expect(smtp.up(mail)).rejects.toThrow(failure));
    expect(seen).toEqual(["GET smtp-settings", "GET smtp-settings", "PATCH smtp-settings"]);
    expect(smtp.state).toBeUndefined();
    expect(await held("smtp")).toEqual(before);
    service.mail.recover();
    await smtp.up(mail);
    service.mail.fail(status);
    await expect(smtp.up({ ...mail, port: 465 })).rejects.toThrow(failure);
    expect(smtp.state?.outputs.port).toBe(25);
    service.mail.recover();
    await smtp.up({ ...mail, port: 465 });
    expect((await held("smtp")).port).toBe(465);
    expect(sent()).toHaveLength(2);
  });

  test.each([401, 500, 504] as const)(
    "%i after the settings were stored keeps them in the state, and the next up sends no mail",
    async (status) => {
      const { engine, service, requests, held } = current();
      const before = await held("smtp");
      const smtp = engine("SmtpSettings");
      for (const port of [25, 465]) {
        const inputs = { ...mail, port };
        service.mail.fail(status, { stored: true });
        await expect(smtp.up(inputs)).rejects.toThrow(refusal("ERR_INCOMPLETE", { rule: "applied", status }));
        expect(smtp.state?.outputs).toMatchObject({ host: "mail.example.com", enabled: true, port });
        service.mail.recover();
        expect(await requests(() => smtp.up(inputs))).toEqual([]);
      }
      expect(sent()).toEqual([]);
      await smtp.up({ ...mail, port: 587 });
      expect(sent()).toHaveLength(1);
      await smtp.destroy();
      expect(await held("smtp")).toEqual(before);
    },
  );

  test("a password with an unknown outcome is sent again, even if the program returns to the old one", async () => {
    const { engine, service, requests } = current();
    for (const next of ["canary-new", "canary-mail"]) {
      service.mail.recover();
      const smtp = engine("SmtpSettings");
      await smtp.up(mail);
      service.mail.fail(504, { stored: true });
      await expect(smtp.up({ ...mail, password: "canary-new" })).rejects.toThrow(refusal("ERR_INCOMPLETE", { rule: "unconfirmed" }));
      service.mail.recover();
      expect(await requests(() => smtp.up({ ...mail, password: next }))).toEqual(["GET smtp-settings", "PATCH smtp-settings"]);
      expect(await smtp.up({ ...mail, password: next })).toBe("same");
      await smtp.destroy();
    }
  });

  test.each(["drop-before", "drop-after"] as const)(
    "%s: the write is not retried, and the next up sends one mail if it was not applied",
    async (action) => {
      const { engine, requests } = current();
      const smtp = engine("SmtpSettings");
      faultWrite({ action });
      const failure = refusal(action === "drop-after" ? "ERR_INCOMPLETE" : "ERR_NO_RESPONSE", { method: "PATCH" });
      const seen = await requests(() => expect(smtp.up(mail)).rejects.toThrow(failure));
      expect(seen).toEqual(["GET smtp-settings", "GET smtp-settings", "PATCH smtp-settings"]);
      expect(await requests(() => smtp.up(mail))).toEqual(action === "drop-after" ? [] : ["GET smtp-settings", "PATCH smtp-settings"]);
      expect(sent()).toHaveLength(1);
      expect(await smtp.up(mail)).toBe("same");
    },
  );

  test.each([
    ["drop-before", 503],
    ["drop-after", 503],
    ["drop-after", 401],
  ] as const)("%s, then %i for each read: only one mail is sent", async (action, status) => {
    const { engine, sandbox } = current();
    const smtp = engine("SmtpSettings");
    faultWrite({ action });
    faultWrite({ method: "GET", status, nth: 2, times: 9 });
    await expect(smtp.up(mail)).rejects.toThrow(refusal("ERR_INCOMPLETE", { rule: "unread" }));
    sandbox.faults.clear();
    // A refresh in between may or may not resolve the outcome.
    await smtp.refresh();
    await smtp.up(mail);
    expect(sent()).toHaveLength(1);
    expect(await smtp.up(mail)).toBe("same");
  });

  test("a 429, which had no effect, is retried, and one mail is sent", async () => {
    const { engine, requests } = current();
    faultWrite({ status: 429, headers: { "retry-after": "0" }, times: 2 });
    const writes = Array(3).fill("PATCH smtp-settings");
    expect(await requests(() => engine("SmtpSettings").up(mail))).toEqual(["GET smtp-settings", ...writes]);
    expect(sent()).toHaveLength(1);
  });

  test("a rejected API token is not reported as an error of the mail server", async () => {
    const { engine } = current();
    const smtp = engine("SmtpSettings");
    await smtp.up(mail);
    smtp.configure(current().config({ token: "wrong" }));
    await expect(smtp.up({ ...mail, port: 465 })).rejects.toThrow(refusal("ERR_FORBIDDEN", { status: 401 }));
    expect(sent()).toHaveLength(1);
  });
});

describe.each(["standard", "hashicorp"] as const)("a platform that enables SMTP only with a test address (%s)", (dialect) => {
  const sandbox = freshSandbox({ dialect, smtpNeedsTestAddress: true });
  const current = (): Platform => platform(dialect, sandbox());
  const mail = { ...complete.smtp, enabled: true };
  const testEmailAddress = "me@example.com";

  test("rejects enabled settings without one, and changes nothing", async () => {
    const before = await current().held("smtp");
    const smtp = current().engine("SmtpSettings");
    await expect(smtp.up(mail)).rejects.toThrow(refusal("ERR_REJECTED", { method: "PATCH", status: 422 }));
    expect(await current().held("smtp")).toEqual(before);
    expect(smtp.state).toBeUndefined();
  });

  test("accepts enabled settings with one, later changes without one, and disables them on destroy", async () => {
    const before = await current().held("smtp");
    const smtp = current().engine("SmtpSettings");
    await smtp.up({ ...mail, testEmailAddress });
    expect(sandbox().platform.mail.sent()).toHaveLength(1);
    await current().change("smtp", { port: 465 });
    expect(await smtp.refresh()).toEqual(["port"]);
    await smtp.destroy();
    expect(await current().held("smtp")).toEqual(before);
  });

  test("rejects a restore that enables SMTP, sends no test mail, and the error names a remedy", async () => {
    const smtp = current().engine("SmtpSettings");
    const { body } = await current().outOfBand("PATCH", "/api/v2/admin/smtp-settings", {
      data: { attributes: { ...mail, "test-email-address": testEmailAddress } },
    });
    expect(body.data.attributes).toMatchObject({ enabled: true });
    await smtp.up({ enabled: false, testEmailAddress });
    await expect(smtp.destroy()).rejects.toThrow(refusal("ERR_REJECTED", { rule: "restore-rejected", method: "PATCH", status: 422 }));
  });
});
