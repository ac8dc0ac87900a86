import { cases } from "../../cases/actions";
import { onEachPlatform } from "../../support/platform";
import { refusal } from "../../support/refusal";
import { complete } from "./attributes";

onEachPlatform("actions", (current) => {
  beforeEach(() => current().change("sms", { ...complete.sms, enabled: true }));

  describe.each(cases)("$token", (each) => {
    const token = each.token.replace("platform:", "");
    const inputs = each.inputs(undefined as never);
    /** The request of each run. */
    const once = (): string[] => (each.requests?.(current() as never).create ?? []).map((request) => request.replace("/api/v2/admin/", ""));

    test("runs once for each change of its triggers, and shows when", async () => {
      const { engine, requests } = current();
      const action = engine(token);
      const began = Date.now();
      await action.up(inputs);
      expect(action.outputs().performedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Date.parse(String(action.outputs().performedAt))).toBeGreaterThanOrEqual(began);
      for (const triggers of [["1"], ["1", "2"]]) {
        expect(await requests(() => action.up({ ...inputs, triggers }))).toEqual(once());
        expect(await requests(() => action.up({ ...inputs, triggers }))).toEqual([]);
      }
    });

    test.each([
      { code: "ERR_SERVER", fault: { status: 500 } },
      { code: "ERR_UNAVAILABLE", fault: { status: 503 } },
      { code: "ERR_NO_RESPONSE", fault: { action: "drop-after" } },
    ] as const)("is not retried: $code, and the next up runs it again", async ({ code, fault }) => {
      const { engine, requests } = current();
      const action = engine(token);
      current().fault(/./, { method: "POST", ...fault });
      expect(await requests(() => expect(action.up(inputs)).rejects.toThrow(refusal(code, { method: "POST" })))).toEqual(once());
      expect(await requests(() => action.up(inputs))).toEqual(once());
      expect(await action.up(inputs)).toBe("same");
    });

    test("is retried after a 429, which had no effect", async () => {
      const { engine, requests, fault } = current();
      fault(/./, { method: "POST", status: 429, headers: { "retry-after": "0" } });
      expect(await requests(() => engine(token).up(inputs))).toEqual([...once(), ...once()]);
    });

    test("fails for a token without administrator rights", async () => {
      const { engine, service } = current();
      const failure = refusal("ERR_FORBIDDEN", { rule: "not-administrator", status: 404 });
      await expect(engine(token, { token: service.memberToken }).up(inputs)).rejects.toThrow(failure);
    });

    test("does not run again for a new address of the platform, nor for a renamed connection", async () => {
      const { engine, requests, service, dialect } = current();
      const action = engine(token);
      await action.up(inputs);
      const { performedAt } = action.outputs();
      const moved = { address: service.url.replace("127.0.0.1", "localhost"), token: service.token, dialect, allowAddressChange: true };
      action.configure({ "steward:default": { platform: moved }, "steward:other": { platform: moved } });
      expect(await requests(async () => expect(await action.up(inputs)).toBe("update"))).toEqual([]);
      expect(await requests(async () => expect(await action.up({ ...inputs, connection: "other" })).toBe("update"))).toEqual([]);
      expect(action.outputs().performedAt).toBe(performedAt);
    });
  });

  test("a rejected verification is a readable error", async () => {
    const { engine, service, change } = current();
    const verification = engine("SmsVerification");
    await verification.up({ testNumber: "+15550123" });
    expect(service.sms.sent().map(({ to, from }) => [to, from])).toEqual([["+15550123", "+15550100"]]);
    await change("sms", { enabled: false });
    const failure = refusal("ERR_REJECTED", { method: "POST", path: expect.stringMatching(/verify$/), status: 400 });
    await expect(verification.up({ testNumber: "+15550125" })).rejects.toThrow(failure);
  });
});
