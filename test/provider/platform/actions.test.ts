import { onEachPlatform, Platform } from "../../support/platform";
import { refusal } from "../../support/refusal";
import { complete } from "./attributes";

const actions: { token: string; inputs: Record<string, unknown>; path: (platform: Platform) => string }[] = [
  { token: "SamlCertificateRevocation", inputs: {}, path: () => "saml-settings/actions/revoke-old-certificate" },
  { token: "OidcKeyRotation", inputs: {}, path: () => "oidc-settings/actions/rotate-key" },
  { token: "OidcKeyTrim", inputs: {}, path: () => "oidc-settings/actions/trim-key" },
  {
    token: "SmsVerification",
    inputs: { testNumber: "+15550123" },
    path: ({ dialect }) => `${dialect === "hashicorp" ? "twilio" : "sms"}-settings/verify`,
  },
];

onEachPlatform("actions", (current) => {
  beforeEach(() => current().change("sms", { ...complete.sms, enabled: true }));

  test.each(actions)(
    "$token runs once on creation and once for each change of its triggers, and not otherwise",
    async ({ token, inputs, path }) => {
      const { engine, requests } = current();
      const action = engine(token);
      const once = [`POST ${path(current())}`];
      expect(await requests(() => action.preview(inputs))).toEqual([]);
      const began = Date.now();
      expect(await requests(() => action.up(inputs))).toEqual(once);
      const { performedAt } = action.outputs();
      expect(performedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Date.parse(String(performedAt))).toBeGreaterThanOrEqual(began);
      expect(await requests(() => action.up(inputs))).toEqual([]);
      expect(await requests(async () => expect(await action.refresh()).toEqual([]))).toEqual([]);
      expect(await requests(() => action.preview({ ...inputs, triggers: ["1"] }))).toEqual([]);
      expect(await requests(() => action.up({ ...inputs, triggers: ["1"] }))).toEqual(once);
      expect(await requests(() => action.up({ ...inputs, triggers: ["1"] }))).toEqual([]);
      expect(await requests(() => action.up({ ...inputs, triggers: ["1", "2"] }))).toEqual(once);
      expect(await requests(() => action.destroy())).toEqual([]);
    },
  );

  test.each(actions.flatMap((action) => [500, 503].map((status) => ({ ...action, status }))))(
    "$token is not retried: $status",
    async ({ token, inputs, path, status }) => {
      const { engine, requests, sandbox } = current();
      sandbox.faults.add({ system: "platform", method: "POST", path: /./, action: "respond", status, times: 9 });
      expect(await requests(() => expect(engine(token).up(inputs)).rejects.toMatchObject({ status }))).toEqual([`POST ${path(current())}`]);
      sandbox.faults.clear();
    },
  );

  test.each(actions)("$token waits for a 429, after which nothing was done", async ({ token, inputs, path }) => {
    const { engine, requests, sandbox } = current();
    sandbox.faults.add({ system: "platform", method: "POST", path: /./, action: "respond", status: 429, headers: { "retry-after": "0" } });
    const action = engine(token);
    expect(await requests(() => action.up(inputs))).toEqual([`POST ${path(current())}`, `POST ${path(current())}`]);
    expect(await action.up(inputs)).toBe("same");
  });

  test.each(actions)(
    "$token without a response is reported as possibly done, and the next up runs it again",
    async ({ token, inputs, path }) => {
      const { engine, requests, sandbox } = current();
      const action = engine(token);
      sandbox.faults.add({ system: "platform", method: "POST", path: /./, action: "drop-after" });
      const failed = await requests(() => expect(action.up(inputs)).rejects.toThrow(refusal("ERR_NO_RESPONSE", { method: "POST" })));
      expect(failed).toEqual([`POST ${path(current())}`]);
      expect(await requests(() => action.up(inputs))).toEqual([`POST ${path(current())}`]);
      expect(await action.up(inputs)).toBe("same");
    },
  );

  test.each(actions)("$token fails for a token without administrator rights", async ({ token, inputs }) => {
    const { engine, service } = current();
    await expect(engine(token, { token: service.memberToken }).up(inputs)).rejects.toThrow(
      refusal("ERR_FORBIDDEN", { rule: "not-administrator", status: 404 }),
    );
  });

  test.each(actions)(
    "$token does not run again for a new address of the platform, nor for a renamed connection",
    async ({ token, inputs }) => {
      const { engine, requests, service, dialect } = current();
      const action = engine(token);
      await action.up(inputs);
      const { performedAt } = action.outputs();
      const moved = { address: service.url.replace("127.0.0.1", "localhost"), token: service.token, dialect, allowAddressChange: true };
      action.configure({ "steward:default": { platform: moved }, "steward:other": { platform: moved } });
      expect(await requests(async () => expect(await action.up(inputs)).toBe("update"))).toEqual([]);
      expect(await requests(async () => expect(await action.up({ ...inputs, connection: "other" })).toBe("update"))).toEqual([]);
      expect(action.outputs().performedAt).toBe(performedAt);
    },
  );

  test("a rotation adds a key, and a trim leaves only the newest one", async () => {
    const { engine, service } = current();
    const kids = (): string[] => service.signingKeys().map(({ kid }) => kid);
    const [first] = kids();
    await engine("OidcKeyRotation").up({});
    expect(kids()).toHaveLength(2);
    await engine("OidcKeyTrim").up({});
    expect(kids()).toHaveLength(1);
    expect(kids()).not.toContain(first);
  });

  test("each verification sends a message, and invalid settings are a readable error", async () => {
    const { engine, service, change } = current();
    const verification = engine("SmsVerification");
    await verification.up({ testNumber: "+15550123" });
    await verification.up({ testNumber: "+15550124" });
    expect(service.sms.sent().map(({ to, from }) => [to, from])).toEqual([
      ["+15550123", "+15550100"],
      ["+15550124", "+15550100"],
    ]);
    await change("sms", { enabled: false });
    await expect(verification.up({ testNumber: "+15550125" })).rejects.toThrow(
      refusal("ERR_REJECTED", { method: "POST", path: expect.stringMatching(/verify$/), status: 400 }),
    );
    expect(await engine("SmsVerification").problems({ testNumber: "", triggers: "x" })).toEqual([
      "testNumber: too-small",
      "triggers: invalid-type",
    ]);
  });
});
