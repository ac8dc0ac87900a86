import { RekeyInputs } from "../../../../provider/secrets";
import { readAll } from "../../../support/pgp";
import { firstKeysTargets, onEachRekeyTarget, RekeyTarget, stackOn } from "../../../support/rekey";
import { stack, tools } from "./story";

// An OpenBao that was initialized without recovery keys. The response to the start has the first ones, without a share and without a nonce. A story of
// each row is in rows.test.ts, and test/troubles/rekey/faults-recovery.test.ts runs every fault at every request.

const suite = (current: () => RekeyTarget): void => {
  const { status, forHolders, interrupt, requests, verify } = tools(current);
  const inputs = (more: Partial<RekeyInputs> = {}): RekeyInputs => ({
    secretShares: 3,
    secretThreshold: 2,
    currentShares: [],
    keepSharesInState: true,
    ...more,
  });
  const begin = (): ReturnType<RekeyTarget["outOfBand"]> =>
    current().outOfBand("PUT", "sys/rekey/init", { secret_shares: 3, secret_threshold: 2, require_verification: true });

  test("without verification nothing is sent, since the response would be their only copy", async () => {
    const { pgp } = await forHolders(3, { backup: true });
    for (const unverified of [inputs({ allowUnverified: true }), { ...pgp, currentShares: [] }]) {
      const sent = await requests(async () =>
        expect(await stackOn(current()).stops({ ...unverified, requireVerification: false })).toBe("rekey/first-keys-unverified"),
      );
      expect(sent.filter((each) => !each.startsWith("GET "))).toEqual([]);
    }
    expect(await status()).toMatchObject({ started: false, required: 0 });
  });

  test("an attempt with the same parameters that waits for its holders is left to onConflict by a new rekey", async () => {
    const { all, pgp } = await forHolders(3, { currentShares: [] });
    const [waiting, other] = [stackOn(current()), stackOn(current())];
    expect(await waiting.stops(pgp)).toBe("rekey/new-shares-missing");
    for (const onConflict of ["fail", "resume"] as const) expect(await other.stops({ ...pgp, onConflict })).toBe("rekey/foreign-attempt");
    await waiting.up({ ...pgp, newShares: await readAll(all, waiting.candidate.encrypted) });
  });

  test("another client's attempt whose verification has begun is left to onConflict", async () => {
    const { body } = await begin();
    const { nonce } = await status();
    await verify((body.keys_base64 as string[])[0] as string);
    expect(await stack.stops(inputs())).toBe("rekey/foreign-attempt");
    expect(await status()).toMatchObject({ nonce });
    await stack.up(inputs({ onConflict: "cancel" }));
  });

  test.each([
    ["fewer shares", "new-shares-incomplete", (keys: string[]) => keys.slice(1)],
    ["shares in another order", "new-shares-other-subkey", (keys: string[]) => [...keys].reverse()],
  ])("a response with %s is no candidate, and its attempt is canceled", async (_, id, change) => {
    const { pgp } = await forHolders(3, { currentShares: [] });
    const answer = (body: string): string => JSON.stringify({ ...JSON.parse(body), keys: change(JSON.parse(body).keys) });
    interrupt("PUT", "init", { when: "after", answer });
    for (const _run of [1, 2]) {
      expect(await stack.stops(pgp)).toBe(`rekey/${id}`);
      expect(await status()).toMatchObject({ started: false, required: 0 });
    }
    current().gateway.interrupt = undefined;
    expect(await stack.stops(pgp)).toBe("rekey/new-shares-missing");
  });

  test("a start after another client has made keys begins a rekey of them, which a delete cancels", async () => {
    const [stack, other] = [stackOn(current()), stackOn(current())];
    await stack.up(inputs(), "attempt");
    const make = async (): Promise<void> => void (await other.up(inputs()));
    current().gateway.on("GET sys/health", { when: "after", act: make, answer: (body) => body }, 1);
    expect(await stack.stops(inputs())).toBe("rekey/attempt-restarted");
    expect(await status()).toMatchObject({ started: true, required: 2 });
    await stack.destroy();
    expect(await status()).toMatchObject({ started: false });
    expect(await current().opens(other.outputs.shares.slice(1))).toBe(true);
  });

  test.each([
    ["lacks the number of required shares", undefined, "rekey/unexpected-response"],
    ["requires no share, as another service does", 0, "rekey/unexpected-state"],
  ])("a status that %s does not make valid shares invalid", async (_, required, id) => {
    await stack.up(inputs());
    const again = inputs({ triggers: ["2"], currentShares: stack.outputs.shares });
    await stack.up(again, "shares");
    interrupt("PUT", "verify", { when: "after" }, 2);
    expect(await stack.stops(again)).toBe("rekey/outcome-unknown");
    interrupt("GET", "init", { when: "after", answer: (body) => JSON.stringify({ ...JSON.parse(body), required }) });
    expect(await stack.stops(again)).toBe(id);
    current().gateway.interrupt = undefined;
    await stack.up(again);
    expect(await current().opens(stack.outputs.shares.slice(1))).toBe(true);
  });

  test("of two stacks at once, one makes them valid, and the other stops at the new required number", async () => {
    const [one, other] = [stackOn(current()), stackOn(current())];
    await other.up(inputs(), "attempt");
    await one.up(inputs(), "shares");
    await other.up(inputs(), "shares");
    expect(await one.stops(inputs())).toBe("rekey/foreign-attempt");
    await other.up(inputs());
    expect(await one.stops(inputs())).toBe("rekey/outcome-unknown");
    expect(await one.stops(inputs())).toBe("rekey/previous-shares-missing");
    expect(await current().opens(other.outputs.shares.slice(1))).toBe(true);
  });
};

onEachRekeyTarget("the first recovery keys", suite, firstKeysTargets);
