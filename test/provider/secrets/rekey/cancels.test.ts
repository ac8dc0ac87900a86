import { keepsUncombined } from "../../../support/gateway";
import { refusal } from "../../../support/refusal";
import { onEachRekeyTarget, RekeyStack, spoiled } from "../../../support/rekey";
import { lines, stack, tools } from "./story";

// In OpenBao and the API document, a cancel ends any attempt in progress, and another client may have replaced it between two requests.
onEachRekeyTarget("a cancel ends no attempt of another client", (current) => {
  const { inputs, stackOn, status, begin, submit, cancel, forHolders, interrupt } = tools(current);

  /** Replaces the attempt in progress, as another client would. */
  const replaceAttempt = async (): Promise<void> => {
    await cancel();
    await begin({ secret_shares: 5, secret_threshold: 3, require_verification: true });
  };
  const like = { secret_shares: 3, secret_threshold: 2, require_verification: true };
  const theirs = { started: true, n: 5, t: 3, progress: 0 };
  const unchanged = (body: string): string => body;

  test("an attempt that was replaced right before its cancel is no error of the cancel", async () => {
    // Only Vault asks for the nonce: the others cancel what is there.
    if (current().dialect !== "hashicorp") return;
    await stack.up(inputs(), "attempt");
    interrupt("GET", "init", { when: "after", act: replaceAttempt, answer: unchanged }, 3);
    expect(await stack.stops(inputs({ triggers: ["2"] }))).toBe("rekey/foreign-attempt");
    expect(await status()).toMatchObject(theirs);
  });

  /** Two stacks with the same parameters: the second has adopted the attempt of the first, and has submitted no share. */
  const twoStacks = async (more: object = {}): Promise<{ first: RekeyStack; second: RekeyStack; nonce: unknown }> => {
    const [first, second] = [stackOn(current()), stackOn(current())];
    await first.up(inputs(more), "attempt");
    await second.up(inputs(more), "attempt");
    const { nonce } = await status();
    expect(second.attempt.outputs().attempt).toMatchObject({ nonce });
    return { first, second, nonce };
  };

  test.each([
    ["collects shares", 1],
    ["is verified", 3],
  ])("an attempt that another stack started, and that %s, is canceled by no run without onConflict", async (_, submitted) => {
    const { first, second, nonce } = await twoStacks();
    const [a = "", b = "", c = ""] = current().first;
    expect(await first.stops(inputs({ currentShares: [a] }))).toBe("rekey/shares-missing");
    if (submitted === 3) await submit(b, c);
    const before = await status();
    const none = { currentShares: [] };
    const stop = submitted === 3 ? "rekey/foreign-attempt" : "rekey/shares-missing";
    expect(await second.stops(inputs(none))).toBe(stop);
    expect(await second.stops(inputs({ ...none, triggers: ["2"] }))).toBe("rekey/foreign-attempt");
    expect(await second.stops(inputs({ ...none, triggers: ["2"], secretShares: 4 }))).toBe("rekey/foreign-attempt");
    await second.destroy();
    expect(await status()).toEqual(before);
    expect(before).toMatchObject({ started: true, nonce, progress: submitted === 3 ? expect.anything() : 1 });
    // The first one holds the right to end it.
    await first.destroy();
    expect((await status()).started).toBe(false);
  });

  test("an attempt whose shares cannot be combined belongs to the stack that started it", async () => {
    // Only OpenBao before 2.6 keeps such shares.
    if (current().dialect !== "openbao") return;
    const { second, nonce } = await twoStacks();
    const [a = "", b = ""] = current().first;
    await submit(a, b, spoiled(a));
    keepsUncombined(current().gateway, true);
    expect(await second.stops(inputs({ currentShares: [] }))).toBe("rekey/foreign-attempt");
    expect((await status()).nonce).toBe(nonce);
  });

  test("destroy cancels no attempt of another stack whose new shares came from the backup", async () => {
    const { pgp } = await forHolders(3, { backup: true });
    const { second } = await twoStacks(pgp);
    await submit(...current().first.slice(0, 3));
    expect(await second.stops(pgp)).toBe("rekey/new-shares-missing");
    const before = await status();
    await expect(second.destroy()).rejects.toThrow(refusal("ERR_INCOMPLETE", { rule: "rekey/shares-unsettled" }));
    await second.stops({ ...pgp, discardShares: true });
    await second.destroy();
    expect(await status()).toEqual(before);
  });

  test("an attempt that another client starts during the commit is not canceled, and refresh names it", async () => {
    interrupt("PUT", "verify", { when: "after", act: async () => void (await begin(like)), answer: unchanged }, 2);
    await stack.up(inputs());
    const { started, nonce } = await status();
    expect(started).toBe(true);
    await stack.refresh();
    expect(lines()).toContain(`an attempt ${nonce} like this rekey's`);
  });

  test("an update of a finished rekey cancels no attempt that another client started later", async () => {
    await stack.up(inputs());
    const nonce = await begin(like);
    await stack.up(inputs({ discardShares: true }));
    expect(await status()).toMatchObject({ started: true, nonce });
  });
});
