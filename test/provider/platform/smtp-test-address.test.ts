import { freshSandbox } from "../../sandbox/sandbox";
import { Platform, platform } from "../../support/platform";
import "../../support/printed";
import { refusal } from "../../support/refusal";
import { complete } from "./attributes";

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
