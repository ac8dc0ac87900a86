import { call } from "../../support/call";
import { freshSandbox } from "../sandbox";

describe.each([
  ["standard", "sms"],
  ["hashicorp", "twilio"],
] as const)("test mails and messages, %s", (dialect, provider) => {
  const sandbox = freshSandbox({ dialect });
  const smtp = "/api/v2/admin/smtp-settings";
  const sms = `/api/v2/admin/${provider}-settings`;
  const get = (path: string) => call(sandbox().platform, "GET", path);
  const patch = (path: string, attributes: object) => call(sandbox().platform, "PATCH", path, { data: { attributes } });
  const held = async (path: string): Promise<Record<string, unknown>> => (await get(path)).json.data.attributes;
  const server = { host: "mail.example.com", port: 25, sender: "platform@example.com" };
  const account = { "account-sid": "AC1", "auth-token": "t0ken", "from-number": "+15550100" };

  test("SMTP settings start with the documented defaults and return neither password nor test address", async () => {
    const defaults = { enabled: false, host: null, port: null, sender: null, auth: "none", username: null };
    expect((await get(smtp)).json.data).toEqual({ id: "smtp", type: "smtp-settings", attributes: defaults });
    const answer = await patch(smtp, { ...server, auth: "login", username: "u", password: "pa55", "test-email-address": "a@example.com" });
    expect(answer.json.data.attributes).toEqual({ ...defaults, ...server, auth: "login", username: "u" });
    expect(answer.text + (await get(smtp)).text).not.toMatch(/pa55|password|test-email/);
  });

  test("enabled SMTP settings require a server, and credentials if it authenticates", async () => {
    const missing = async (attributes: object): Promise<string[]> => {
      const { status, json } = await patch(smtp, { enabled: true, ...attributes });
      return status === 200 ? [] : json.errors.map(({ detail }: { detail: string }) => detail.split(" ")[0]);
    };
    expect(await missing({})).toEqual(["host", "port", "sender"]);
    expect(await missing({ ...server, auth: "plain" })).toEqual(["username", "password"]);
    expect(await missing({ ...server, auth: "login", username: "u" })).toEqual(["password"]);
    expect(await held(smtp)).toMatchObject({ enabled: false, host: null, auth: "none" });
    expect(await missing(server)).toEqual([]);
    expect(await missing({ auth: "plain", username: "u", password: "p" })).toEqual([]);
    expect(await missing({ auth: "login" })).toEqual([]);
    expect(await missing({ password: null })).toEqual(["password"]);
    expect(await missing({ port: "25" })).toEqual(["port"]);
    expect((await patch(smtp, { auth: "plained" })).json.errors[0].detail).toBe("auth has to be one of: none, plain, login.");
  });

  test("only a change with a test address sends a mail, whether SMTP is enabled or not", async () => {
    const { mail } = sandbox().platform;
    await patch(smtp, server);
    await patch(smtp, { "test-email-address": "" });
    await patch(smtp, { "test-email-address": null });
    await get(smtp);
    await patch(smtp, { port: "wrong", "test-email-address": "a@example.com" });
    expect(mail.sent()).toEqual([]);
    for (const to of ["a@example.com", "a@example.com"]) await patch(smtp, { "test-email-address": to });
    await patch(smtp, { debug: true });
    const at = expect.any(Date);
    const sent = { to: "a@example.com", sender: server.sender, host: server.host, at };
    expect(mail.sent()).toEqual([sent, sent]);
    expect((await patch(smtp, { "test-email-address": 5 })).status).toBe(422);
    mail.sent().pop();
    expect(mail.sent()).toHaveLength(2);
  });

  test.each([
    [401, /credentials/],
    [500, /error/],
    [504, /timed out/],
  ] as const)("a mail that fails with %d fails the request, and stores the settings only with `stored`", async (status, detail) => {
    const { mail } = sandbox().platform;
    const test = { ...server, "test-email-address": "a@example.com" };
    mail.fail(status);
    const failed = { status, json: { errors: [{ status: String(status), detail: expect.stringMatching(detail) }] } };
    expect(await patch(smtp, test)).toMatchObject(failed);
    expect(await held(smtp)).toMatchObject({ host: null });
    mail.fail(status, { stored: true });
    expect(await patch(smtp, test)).toMatchObject(failed);
    expect(await held(smtp)).toMatchObject({ host: "mail.example.com" });
    expect((await patch(smtp, { host: "b.example.com" })).status).toBe(200);
    expect(mail.sent()).toEqual([]);
    mail.recover();
    expect((await patch(smtp, test)).status).toBe(200);
    expect(mail.sent()).toHaveLength(1);
    expect(() => mail.fail(418 as never)).toThrow(TypeError);
  });

  test("SMS settings start empty, require all fields when enabled and never return the token", async () => {
    const defaults = { enabled: false, "account-sid": null, "from-number": null };
    expect((await get(sms)).json.data).toEqual({ id: provider, type: `${provider}-settings`, attributes: defaults });
    const refused = await patch(sms, { enabled: true, "account-sid": "AC1" });
    expect([refused.status, refused.json.errors.length]).toEqual([422, 2]);
    const answer = await patch(sms, { enabled: true, ...account });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.json.data.attributes).toEqual({ enabled: true, "account-sid": "AC1", "from-number": "+15550100" });
    expect(answer.text + (await get(sms)).text).not.toMatch(/t0ken|auth-token/);
    expect((await patch(sms, { "auth-token": null })).status).toBe(422);
    const other = dialect === "standard" ? "twilio" : "sms";
    expect((await get(`/api/v2/admin/${other}-settings`)).status).toBe(404);
  });

  test("each verification sends one message from the registered number", async () => {
    await patch(sms, { enabled: true, ...account });
    const verify = (method: string) =>
      call(sandbox().platform, method, `${sms}/verify`, { data: { attributes: { "test-number": "+15550199" } } });
    expect(await verify("POST")).toMatchObject({ status: 200, text: "" });
    // Terraform Enterprise's own client uses this method.
    expect((await verify("PATCH")).status).toBe(dialect === "hashicorp" ? 200 : 404);
    const message = { to: "+15550199", from: "+15550100", at: expect.any(Date) };
    expect(sandbox().platform.sms.sent()).toEqual(dialect === "hashicorp" ? [message, message] : [message]);
    sandbox().platform.sms.fail();
    expect((await verify("POST")).status).toBe(400);
    sandbox().platform.sms.recover();
    expect((await verify("POST")).status).toBe(200);
  });

  test("a verification without a number or with disabled settings sends nothing", async () => {
    const verify = async (body?: unknown): Promise<number> => (await call(sandbox().platform, "POST", `${sms}/verify`, body)).status;
    expect(await verify({ data: { attributes: { "test-number": "+15550199" } } })).toBe(400);
    await patch(sms, { enabled: true, ...account });
    for (const body of [
      undefined,
      {},
      { data: null },
      { data: {} },
      { data: { attributes: {} } },
      { data: { attributes: { "test-number": "" } } },
    ])
      expect(await verify(body)).toBe(400);
    expect(sandbox().platform.sms.sent()).toEqual([]);
  });
});
