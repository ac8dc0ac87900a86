import { limits } from "../../../provider/http";
import { Fault } from "../../../sandbox/index";
import { sha1Certificate } from "../../certificates";
import { onEachPlatform } from "../../platform";
import { complete } from "./attributes";

const { firstPause } = limits;
beforeAll(() => {
  limits.firstPause = 5;
});
afterAll(() => {
  limits.firstPause = firstPause;
});
beforeEach(() => void jest.spyOn(console, "log").mockImplementation(() => undefined));
afterEach(() => jest.restoreAllMocks());

const patch: Pick<Fault, "system" | "method" | "path"> = { system: "platform", method: "PATCH", path: /-settings$/ };
const faults: { name: string; fault: Fault; fails: boolean }[] = [
  { name: "the connection is lost before the platform applies it", fault: { ...patch, action: "drop-before", times: 9 }, fails: true },
  { name: "the connection is lost once before", fault: { ...patch, action: "drop-before" }, fails: false },
  { name: "the connection is lost after the platform applied it", fault: { ...patch, action: "drop-after", times: 9 }, fails: true },
  { name: "the connection is lost once after", fault: { ...patch, action: "drop-after" }, fails: false },
  { name: "429 with Retry-After", fault: { ...patch, action: "respond", status: 429, headers: { "retry-after": "0.1" } }, fails: false },
  {
    name: "429 for good",
    fault: { ...patch, action: "respond", status: 429, times: 9, headers: { "x-ratelimit-reset": "999" } },
    fails: true,
  },
  { name: "503 once", fault: { ...patch, action: "respond", status: 503 }, fails: false },
  { name: "503 for good", fault: { ...patch, action: "respond", status: 503, times: 9 }, fails: true },
  { name: "500", fault: { ...patch, action: "respond", status: 500 }, fails: true },
  { name: "an answer that is no JSON:API", fault: { ...patch, action: "respond", status: 200, body: '{"data":[]}' }, fails: true },
  {
    name: "an answer without attributes",
    fault: { ...patch, action: "respond", status: 200, body: '{"data":{"id":"general"}}' },
    fails: true,
  },
  { name: "an answer that is cut short", fault: { ...patch, action: "truncate", times: 9 }, fails: true },
];

onEachPlatform("settings whose write goes wrong", (current) => {
  test.each(faults)("$name, at the first write: the next up converges, and destroy puts back what was there", async ({ fault, fails }) => {
    const { engine, held, sandbox } = current();
    const before = await held("general");
    const general = engine("GeneralSettings");
    const inputs = { apiRateLimit: 100, defaultRemoteStateAccess: false };
    sandbox.faults.add(fault);
    if (fails)
      await expect(general.up(inputs)).rejects.toThrow(
        /^Cannot create general settings "general": .*\(PATCH \/api\/v2\/admin\/general-settings(, \d+)?\)\. /,
      );
    else await general.up(inputs);
    sandbox.faults.clear();
    await general.up(inputs);
    expect(await held("general")).toMatchObject(inputs);
    expect(await general.refresh()).toEqual([]);
    expect(await general.up(inputs)).toBe("same");
    await general.destroy();
    expect(await held("general")).toEqual(before);
  });

  test.each(faults)("$name, at a later write", async ({ fault, fails }) => {
    const { engine, held, sandbox } = current();
    const before = await held("general");
    const general = engine("GeneralSettings");
    await general.up({ apiRateLimit: 100 });
    sandbox.faults.add(fault);
    const inputs = { apiRateLimit: 200, defaultRemoteStateAccess: false };
    if (fails) await expect(general.up(inputs)).rejects.toThrow(/^Cannot update general settings "general": /);
    else await general.up(inputs);
    sandbox.faults.clear();
    expect(await general.up(inputs)).toBe(fails ? "update" : "same");
    expect(await held("general")).toMatchObject(inputs);
    expect(await general.refresh()).toEqual([]);
    await general.destroy();
    expect(await held("general")).toEqual(before);
  });

  test.each(faults.filter(({ fails }) => fails))(
    "$name, when they are put back: the state keeps what it takes to try again",
    async ({ fault }) => {
      const { engine, held, sandbox } = current();
      const before = await held("general");
      const general = engine("GeneralSettings");
      await general.up({ apiRateLimit: 100 });
      sandbox.faults.add(fault);
      await expect(general.destroy()).rejects.toThrow(/^Cannot delete general settings "general": /);
      sandbox.faults.clear();
      await general.destroy();
      expect(await held("general")).toEqual(before);
    },
  );

  test("a write in doubt that cannot be read back either: the next up reads first, and destroy puts back what was there", async () => {
    const { engine, held, sandbox, requests } = current();
    const before = await held("general");
    const inputs = { apiRateLimit: 100 };
    const inDoubt = async (): Promise<ReturnType<typeof engine>> => {
      const general = engine("GeneralSettings");
      sandbox.faults.add({ ...patch, action: "drop-after", times: 9 });
      sandbox.faults.add({ ...patch, method: "GET", action: "respond", status: 503, nth: 2, times: 9 });
      await expect(general.up(inputs)).rejects.toThrow("could not be read back either: the next `pulumi up` reads them first.");
      sandbox.faults.clear();
      return general;
    };
    const general = await inDoubt();
    expect(await requests(() => general.up(inputs))).toEqual(["GET general-settings"]);
    await general.destroy();
    expect(await held("general")).toEqual(before);
    await (await inDoubt()).destroy();
    expect(await held("general")).toEqual(before);
  });
});

onEachPlatform("settings in doubt", (current) => {
  const lost: Fault = { ...patch, action: "drop-after", times: 9 };

  test.each([401, 403, 404, 503])(
    "the first write is lost, and the platform then refuses us with %i: nothing of what was there is forgotten",
    async (status) => {
      const { engine, held, sandbox } = current();
      const before = await held("general");
      for (const goesOn of [true, false]) {
        const general = engine("GeneralSettings");
        sandbox.faults.add(lost);
        sandbox.faults.add({ ...patch, method: "GET", action: "respond", status, nth: 2, times: 9 });
        await expect(general.up({ apiRateLimit: 100 })).rejects.toThrow("the next `pulumi up` reads them first");
        sandbox.faults.clear();
        if (goesOn) await general.up({ apiRateLimit: 100 });
        await general.destroy();
        expect(await held("general")).toEqual(before);
      }
    },
  );

  test.each(["drop-before", "drop-after"] as const)(
    "an attribute leaves while the write and the look after it fail (%s): it is put back all the same",
    async (action) => {
      const { engine, held, sandbox } = current();
      const before = await held("general");
      const general = engine("GeneralSettings");
      await general.up({ apiRateLimit: 100, defaultRemoteStateAccess: false });
      sandbox.faults.add({ ...lost, action });
      sandbox.faults.add({ ...patch, method: "GET", action: "respond", status: 503, times: 9 });
      await expect(general.up({ defaultRemoteStateAccess: false })).rejects.toThrow("could not be read back either");
      sandbox.faults.clear();
      await general.up({ defaultRemoteStateAccess: false });
      expect(await held("general")).toMatchObject({ apiRateLimit: before.apiRateLimit, defaultRemoteStateAccess: false });
      expect(general.outputs().managed).toEqual(["defaultRemoteStateAccess"]);
      await general.destroy();
      expect(await held("general")).toEqual(before);
    },
  );

  test("a secret leaves, and the answer is lost: the line that says so is printed in the end", async () => {
    const { engine, sandbox, change, held } = current();
    await change("sms", { ...complete.sms, enabled: true });
    const sms = engine("SmsSettings");
    await sms.up({ accountSid: "AC2", authToken: "canary" });
    sandbox.faults.add(lost);
    await expect(sms.up({ accountSid: "AC2" })).rejects.toThrow("stored all the same");
    sandbox.faults.clear();
    await sms.up({ accountSid: "AC2" });
    expect(jest.mocked(console.log).mock.calls.flat().join()).toContain("authToken cannot be put back");
    expect((await held("sms")).enabled).toBe(false);
  });

  test("what the platform refuses to take back says what to do", async () => {
    const { engine, change } = current();
    const smtp = engine("SmtpSettings");
    await smtp.up(complete.smtp ?? {});
    await change("smtp", { enabled: true });
    await expect(smtp.destroy()).rejects.toThrow('correct it there, or set onDelete: "retain" and run `pulumi up` first.');
  });
});

onEachPlatform("SMTP settings and their test mails", (current) => {
  const mail = {
    ...complete.smtp,
    enabled: true,
    auth: "plain",
    username: "platform",
    password: "canary-mail",
    testEmailAddress: "me@example.com",
  };
  const sent = (): string[] =>
    current()
      .service.mail.sent()
      .map(({ to }) => to);

  test("one for each change; none for a preview, a refresh, a second up, and putting back", async () => {
    const { engine } = current();
    const smtp = engine("SmtpSettings");
    await smtp.preview(mail);
    expect(sent()).toEqual([]);
    await smtp.up(mail);
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

  test.each([401, 500, 504] as const)(
    "%i is the mail server's verdict, is never repeated, and leaves no state where nothing was stored",
    async (status) => {
      const { engine, service, requests, held } = current();
      const before = await held("smtp");
      service.mail.fail(status);
      const smtp = engine("SmtpSettings");
      const seen = await requests(() =>
        expect(smtp.up(mail)).rejects.toMatchObject({
          code: "ERR_REFUSED",
          status,
          message: expect.stringMatching(
            /^Cannot create SMTP settings "smtp": the mail server .*\(PATCH .*\)\. The server holds what it held before/,
          ),
        }),
      );
      expect(seen).toEqual(["GET smtp-settings", "GET smtp-settings", "PATCH smtp-settings"]);
      expect(smtp.state).toBeUndefined();
      expect(await held("smtp")).toEqual(before);
      service.mail.work();
      await smtp.up(mail);
      expect(sent()).toHaveLength(1);
    },
  );

  test.each([401, 500, 504] as const)(
    "%i where the settings were stored all the same: the state tells the truth, and the next up sends no mail",
    async (status) => {
      const { engine, service, requests, held } = current();
      const before = await held("smtp");
      service.mail.fail(status, { stored: true });
      const smtp = engine("SmtpSettings");
      await expect(smtp.up(mail)).rejects.toMatchObject({
        code: "ERR_INCOMPLETE",
        status,
        message: expect.stringContaining("The settings were stored all the same; no further mail"),
      });
      expect(smtp.state?.outputs).toMatchObject({ host: "mail.example.com", enabled: true });
      service.mail.work();
      expect(await requests(() => smtp.up(mail))).toEqual([]);
      expect(sent()).toEqual([]);
      await smtp.up({ ...mail, port: 465 });
      expect(sent()).toHaveLength(1);
      await smtp.destroy();
      expect(await held("smtp")).toEqual(before);
    },
  );

  test.each([true, false])("a verdict on a later write, stored: %s", async (stored) => {
    const { engine, service, held } = current();
    const smtp = engine("SmtpSettings");
    await smtp.up(mail);
    service.mail.fail(401, { stored });
    const changed = { ...mail, port: 465 };
    await expect(smtp.up(changed)).rejects.toMatchObject({ status: 401 });
    expect(smtp.state?.outputs.port).toBe(stored ? 465 : 25);
    service.mail.work();
    await smtp.up(changed);
    expect((await held("smtp")).port).toBe(465);
    expect(sent()).toHaveLength(stored ? 1 : 2);
  });

  test("a new password whose fate is unknown is sent again, and so is the old one after it", async () => {
    const { engine, service, requests } = current();
    for (const next of ["canary-new", "canary-mail"]) {
      service.mail.work();
      const smtp = engine("SmtpSettings");
      await smtp.up(mail);
      service.mail.fail(504, { stored: true });
      await expect(smtp.up({ ...mail, password: "canary-new" })).rejects.toThrow("The server does not show whether it stored password");
      service.mail.work();
      expect(await requests(() => smtp.up({ ...mail, password: next }))).toEqual(["GET smtp-settings", "PATCH smtp-settings"]);
      expect(await smtp.up({ ...mail, password: next })).toBe("same");
      await smtp.destroy();
    }
  });

  test.each(["drop-before", "drop-after"] as const)(
    "%s: never repeated by itself; the next up sends what is missing, and a mail only then",
    async (action) => {
      const { engine, sandbox, requests } = current();
      const smtp = engine("SmtpSettings");
      sandbox.faults.add({ ...patch, action });
      expect(await requests(() => expect(smtp.up(mail)).rejects.toThrow("broke before the whole answer came"))).toEqual([
        "GET smtp-settings",
        "GET smtp-settings",
        "PATCH smtp-settings",
      ]);
      expect(await requests(() => smtp.up(mail))).toEqual(action === "drop-after" ? [] : ["GET smtp-settings", "PATCH smtp-settings"]);
      expect(sent()).toHaveLength(1);
      expect(await smtp.up(mail)).toBe("same");
    },
  );

  test.each(["drop-before", "drop-after"] as const)("%s, and the platform is gone for a while: one mail in all", async (action) => {
    const { engine, sandbox } = current();
    const smtp = engine("SmtpSettings");
    sandbox.faults.add({ ...patch, action });
    sandbox.faults.add({ ...patch, method: "GET", action: "respond", status: 503, nth: 2, times: 9 });
    await expect(smtp.up(mail)).rejects.toThrow("could not be read back either");
    sandbox.faults.clear();
    // A refresh in between settles the doubt, or leaves it.
    await smtp.refresh();
    await smtp.up(mail);
    expect(sent()).toHaveLength(1);
    expect(await smtp.up(mail)).toBe("same");
  });

  test("a token of ours that is refused is no verdict of the mail server", async () => {
    const { engine } = current();
    const smtp = engine("SmtpSettings");
    await smtp.up(mail);
    smtp.configure(current().config({ token: "wrong" }));
    await expect(smtp.up({ ...mail, port: 465 })).rejects.toMatchObject({
      code: "ERR_FORBIDDEN",
      message: expect.stringContaining("Check the token of platform"),
    });
    expect(sent()).toHaveLength(1);
  });
});

onEachPlatform("the rotation of the identity provider's certificate", (current) => {
  test("moves the old one to oldIdpCert, which is no drift, until it is revoked, once for each change of the triggers", async () => {
    const { engine, held, requests } = current();
    const [first, second] = [String(complete.saml?.idpCert), `${String(complete.saml?.idpCert).trim()}\r\n`];
    const saml = engine("SamlSettings");
    await saml.up({ idpCert: first });
    expect(await requests(() => saml.up({ idpCert: second }))).toEqual([]);
    expect((await held("saml")).oldIdpCert).toBeNull();
    expect(await requests(() => saml.up({ idpCert: sha1Certificate }))).toEqual(["PATCH saml-settings"]);
    expect(saml.outputs().oldIdpCert).toBe(first);
    expect(await saml.refresh()).toEqual([]);

    const revocation = engine("SamlCertificateRevocation");
    const revoke = "POST saml-settings/actions/revoke-old-certificate";
    expect(await requests(() => revocation.preview({}))).toEqual([]);
    expect(await requests(() => revocation.up({}))).toEqual([revoke]);
    expect((await held("saml")).oldIdpCert).toBeNull();
    expect(await saml.refresh()).toEqual([]);
    expect(saml.outputs().oldIdpCert).toBeUndefined();
    expect(await requests(() => revocation.up({}))).toEqual([]);
    expect(await requests(() => revocation.up({ triggers: ["again"] }))).toEqual([revoke]);
    expect(await requests(() => revocation.destroy())).toEqual([]);
  });

  test("an unchanged certificate is never sent along", async () => {
    const { engine, held, change } = current();
    const saml = engine("SamlSettings");
    await saml.up({ ...complete.saml, enabled: true, debug: false });
    await change("saml", { idpCert: sha1Certificate });
    await saml.up({ ...complete.saml, enabled: true, debug: true });
    // Sent again, theirs would have become the old one.
    expect(await held("saml")).toMatchObject({ idpCert: sha1Certificate, oldIdpCert: complete.saml?.idpCert, debug: true });
  });

  test("a private key of the real product is a secret, nested as it is", async () => {
    const { engine, dialect } = current();
    if (dialect === "standard")
      return expect(await engine("SamlSettings").problems({ extra: { "private-key": "canary" } })).toHaveLength(1);
    const saml = engine("SamlSettings");
    const inputs = { extra: { "private-key": "canary-key", "provider-type": "okta" } };
    await saml.up(inputs);
    expect(await saml.refresh()).toEqual([]);
    expect(await saml.up(inputs)).toBe("same");
    await saml.up({ extra: { "provider-type": "okta" } });
    expect(JSON.stringify(saml.state)).not.toContain("canary");
    expect(saml.outputs().managed).toEqual(["extra.provider-type"]);
  });
});
