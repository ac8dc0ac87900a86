import { Fault } from "../../../sandbox/index";
import { onEachPlatform } from "../../support/platform";
import { printed } from "../../support/printed";
import { refusal } from "../../support/refusal";
import { complete, patch } from "./attributes";

// The matrix in test/troubles/faults has each fault at each request. Here are the outcomes that cannot be read, and the errors.

const unread = refusal("ERR_INCOMPLETE", { rule: "unread", method: "PATCH" });

onEachPlatform("settings whose write fails", (current) => {
  test("after a write with an unknown outcome that cannot be read, the next up reads first, and destroy restores the original values", async () => {
    const { engine, held, sandbox, requests } = current();
    const before = await held("general");
    const inputs = { apiRateLimit: 100 };
    const inDoubt = async (): Promise<ReturnType<typeof engine>> => {
      const general = engine("GeneralSettings");
      sandbox.faults.add({ ...patch, action: "drop-after", times: 9 });
      sandbox.faults.add({ ...patch, method: "GET", action: "respond", status: 503, nth: 2, times: 9 });
      await expect(general.up(inputs)).rejects.toThrow(unread);
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

onEachPlatform("settings with an unknown outcome", (current) => {
  const lost: Fault = { ...patch, action: "drop-after", times: 9 };

  test.each([401, 403, 404, 503])(
    "a lost first write, followed by a rejection with %i, keeps the original values in the state",
    async (status) => {
      const { engine, held, sandbox } = current();
      const before = await held("general");
      for (const goesOn of [true, false]) {
        const general = engine("GeneralSettings");
        sandbox.faults.add(lost);
        sandbox.faults.add({ ...patch, method: "GET", action: "respond", status, nth: 2, times: 9 });
        await expect(general.up({ apiRateLimit: 100 })).rejects.toThrow(unread);
        sandbox.faults.clear();
        if (goesOn) await general.up({ apiRateLimit: 100 });
        await general.destroy();
        expect(await held("general")).toEqual(before);
      }
    },
  );

  test.each(["drop-before", "drop-after"] as const)(
    "a removed attribute is restored although the write and the read after it fail (%s)",
    async (action) => {
      const { engine, held, sandbox } = current();
      const before = await held("general");
      const general = engine("GeneralSettings");
      await general.up({ apiRateLimit: 100, defaultRemoteStateAccess: false });
      sandbox.faults.add({ ...lost, action });
      sandbox.faults.add({ ...patch, method: "GET", action: "respond", status: 503, times: 9 });
      await expect(general.up({ defaultRemoteStateAccess: false })).rejects.toThrow(unread);
      sandbox.faults.clear();
      await general.up({ defaultRemoteStateAccess: false });
      expect(await held("general")).toMatchObject({ apiRateLimit: before.apiRateLimit, defaultRemoteStateAccess: false });
      expect(general.outputs().managed).toEqual(["defaultRemoteStateAccess"]);
      await general.destroy();
      expect(await held("general")).toEqual(before);
    },
  );

  test("the warning about a removed secret is printed after a lost response", async () => {
    const { engine, sandbox, change, held } = current();
    await change("sms", { ...complete.sms, enabled: true });
    const sms = engine("SmsSettings");
    await sms.up({ accountSid: "AC2", authToken: "canary" });
    sandbox.faults.add(lost);
    await expect(sms.up({ accountSid: "AC2" })).rejects.toThrow(refusal("ERR_INCOMPLETE", { rule: "applied" }));
    sandbox.faults.clear();
    await sms.up({ accountSid: "AC2" });
    expect(printed.join()).toMatch(/warning: SMS settings "sms": authToken /);
    expect((await held("sms")).enabled).toBe(false);
  });

  test("a rejected restore is an error with a hint", async () => {
    const { engine, change } = current();
    const smtp = engine("SmtpSettings");
    await smtp.up(complete.smtp ?? {});
    await change("smtp", { enabled: true });
    await expect(smtp.destroy()).rejects.toThrow(refusal("ERR_REJECTED", { rule: "restore-rejected" }));
  });
});
