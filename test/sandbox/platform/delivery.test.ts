import { onEachDialect, settingsOf } from "../sandbox";

onEachDialect("test mails and messages", ({ real, sandbox, to: { platform } }) => {
  const [provider, other] = real ? ["twilio", "sms"] : ["sms", "twilio"];
  const { get, patch, post } = settingsOf(sandbox);
  const server = { host: "mail.example.com", port: 25, sender: "platform@example.com" };
  const account = { "account-sid": "AC1", "auth-token": "t0ken", "from-number": "+15550100" };

  test("only a change with a test address sends a mail, whether SMTP is enabled or not", async () => {
    const { mail } = sandbox().platform;
    const to = "a@example.com";
    await patch("smtp", server);
    for (const address of ["", null]) await patch("smtp", { "test-email-address": address });
    await get("smtp");
    await patch("smtp", { port: "wrong", "test-email-address": to });
    expect(mail.sent()).toEqual([]);
    for (const _ of [1, 2]) await patch("smtp", { "test-email-address": to });
    await patch("smtp", { debug: true });
    const sent = { to, sender: server.sender, host: server.host, at: expect.any(Date) };
    expect(mail.sent()).toEqual([sent, sent]);
    expect((await patch("smtp", { "test-email-address": 5 })).status).toBe(422);
    mail.sent().pop();
    expect(mail.sent()).toHaveLength(2);
  });

  // test/provider/platform/smtp-settings.test.ts shows which settings are stored.
  test("a mail that fails names the reason, and only those of the API can be chosen", async () => {
    const { mail } = sandbox().platform;
    const reasons = { 401: /credentials/, 500: /error/, 504: /timed out/ };
    for (const status of [401, 500, 504] as const) {
      mail.fail(status);
      const errors = [{ status: String(status), detail: expect.stringMatching(reasons[status]) }];
      expect(await patch("smtp", { ...server, "test-email-address": "a@example.com" })).toMatchObject({ status, json: { errors } });
    }
    expect((await patch("smtp", server)).status).toBe(200);
    expect(() => mail.fail(418 as never)).toThrow(TypeError);
  });

  test("each verification sends one message from the registered number", async () => {
    const { sms } = sandbox().platform;
    const body = { data: { attributes: { "test-number": "+15550199" } } };
    await patch(provider, { enabled: true, ...account });
    expect((await get(other)).status).toBe(404);
    expect(await post(provider, "verify", body)).toMatchObject({ status: 200, text: "" });
    // Terraform Enterprise's own client uses PATCH.
    expect((await platform("PATCH", `/api/v2/admin/${provider}-settings/verify`, body)).status).toBe(real ? 200 : 404);
    const message = { to: "+15550199", from: "+15550100", at: expect.any(Date) };
    expect(sms.sent()).toEqual(real ? [message, message] : [message]);
    sms.fail();
    expect((await post(provider, "verify", body)).status).toBe(400);
    sms.recover();
    expect((await post(provider, "verify", body)).status).toBe(200);
  });

  test("a verification without a number or with disabled settings sends nothing", async () => {
    const verify = async (body?: unknown): Promise<number> => (await post(provider, "verify", body)).status;
    expect(await verify({ data: { attributes: { "test-number": "+15550199" } } })).toBe(400);
    await patch(provider, { enabled: true, ...account });
    const empty = [{ data: null }, { data: {} }, { data: { attributes: {} } }, { data: { attributes: { "test-number": "" } } }];
    for (const body of [undefined, {}, ...empty]) expect(await verify(body)).toBe(400);
    expect(sandbox().platform.sms.sent()).toEqual([]);
  });
});
