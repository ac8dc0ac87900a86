import { clearCache } from "../../../../provider/engine/dynamic-runtime";
import { holders, readAll } from "../../../support/pgp";
import "../../../support/printed";
import { refusal } from "../../../support/refusal";
import { onEachRekeyTarget, RekeyStack, stackOn } from "../../../support/rekey";

// A rekey whose resource was renamed in the program: the state holds it twice.

const remembers = { remembers: true };
const size = { secretShares: 3, secretThreshold: 2, keepSharesInState: true };

onEachRekeyTarget("a rekey with two resources after a rename", (current) => {
  /** Renamed from a to b, in a run that ended before a was deleted; then renamed back, and a is redone. */
  async function renamedThereAndBack(): Promise<{ a: RekeyStack; b: RekeyStack; dead: string[]; live: string[] }> {
    const [a, b] = [stackOn(current()), stackOn(current())];
    await a.up({ ...size, currentShares: current().first.slice(0, 3) });
    await b.up({ ...size, currentShares: a.outputs.shares });
    const dead = b.outputs.shares;
    await a.up({ ...size, triggers: ["again"], currentShares: dead });
    const live = a.outputs.shares;
    expect([await current().opens(live.slice(0, 2)), await current().opens(dead.slice(0, 2))]).toEqual([true, false]);
    return { a, b, dead, live };
  }

  test("the resource with invalid shares is deleted", async () => {
    const { b, live } = await renamedThereAndBack();
    for (const part of [b.commit, b.shares, b.attempt]) await part.destroy(remembers);
    expect(await current().opens(live.slice(0, 2))).toBe(true);
  });

  test("the resource with valid shares is kept, although the other one was created later", async () => {
    const { a, b, live } = await renamedThereAndBack();
    clearCache();
    expect(await b.up({ ...size, currentShares: live }, "commit", remembers)).toEqual(["same", "same", "same"]);
    await expect(a.commit.destroy(remembers)).rejects.toThrow(refusal("ERR_INCOMPLETE", { rule: "rekey/only-copy" }));
  });

  test("in a later run the server shows which shares are valid, also if a clock is wrong", async () => {
    const [a, b] = [stackOn(current()), stackOn(current())];
    const clock = jest.spyOn(Date, "now").mockReturnValue(Date.now() + 3_600_000);
    await a.up({ ...size, currentShares: current().first.slice(0, 3) });
    clock.mockRestore();
    await b.up({ ...size, currentShares: a.outputs.shares });
    const live = b.outputs.shares.slice(0, 2);
    // Renamed back, before the deletion of a.
    clearCache();
    const first = a.outputs.shares;
    expect(await a.up({ ...size, currentShares: first }, "commit", remembers)).toEqual(["same", "same", "same"]);
    await expect(b.commit.destroy(remembers)).rejects.toThrow(refusal("ERR_INCOMPLETE", { rule: "rekey/only-copy" }));
    // And again: now a is the one to delete.
    clearCache();
    expect(await b.up({ ...size, currentShares: first }, "commit", remembers)).toEqual(["same", "same", "same"]);
    for (const part of [a.commit, a.shares, a.attempt]) await part.destroy(remembers);
    expect(await current().opens(live)).toBe(true);
    expect(await status()).toMatchObject({ started: false });
  });

  test("valid shares are kept if only a claim makes those of the other resource valid", async () => {
    const [a, b] = [stackOn(current()), stackOn(current())];
    await a.up({ ...size, secretShares: 5, currentShares: current().first.slice(0, 3) });
    const live = a.outputs.shares;
    const pgpKeys = (await holders(3)).map(({ publicKey }) => publicKey);
    await b.up({ ...size, pgpKeys, currentShares: live.slice(0, 2) });
    await current().sealAndUnseal(live.slice(0, 2));
    expect(await b.stops({ ...size, pgpKeys, currentShares: [] })).toBe("rekey/outcome-unknown");
    clearCache();
    // Holders bring previous shares as new ones.
    await b.up({ ...size, pgpKeys, currentShares: [], newShares: live.slice(2, 4) }, "commit", remembers);
    expect(b.outputs.complete).toBe(true);
    await expect(a.commit.destroy(remembers)).rejects.toThrow(refusal("ERR_INCOMPLETE", { rule: "rekey/only-copy" }));
  });

  test("the resource with the previous shares is deleted in the run that commits those of holders", async () => {
    const [a, b] = [stackOn(current()), stackOn(current())];
    await a.up({ ...size, currentShares: current().first.slice(0, 3) });
    const all = await holders(3);
    const pgp = { ...size, pgpKeys: all.map(({ publicKey }) => publicKey), currentShares: a.outputs.shares };
    await b.up(pgp);
    const newShares = await readAll(all, b.candidate.encrypted);
    clearCache();
    await b.up({ ...pgp, newShares }, "commit", remembers);
    for (const part of [a.commit, a.shares, a.attempt]) await part.destroy(remembers);
    expect(await current().opens(newShares.slice(0, 2))).toBe(true);
  });

  const status = async (): Promise<unknown> => (await current().outOfBand("GET", "sys/rekey/init")).body;
  const resumed = { ...size, onConflict: "resume" } as const;

  test.each(["attempt", "shares", "commit"] as const)("a rejected rename of an unfinished rekey ends nothing (%s)", async (last) => {
    const [a, b] = [stackOn(current()), stackOn(current())];
    const pgpKeys = (await holders(3)).map(({ publicKey }) => publicKey);
    await a.up({ ...size, pgpKeys, currentShares: current().first.slice(0, 3) }, last).catch(() => {});
    const before = await status();
    clearCache();
    const rejected = b.up({ ...resumed, currentShares: current().first }, "commit", remembers);
    await expect(rejected).rejects.toThrow(refusal("ERR_CONFLICT", { rule: "rekey/foreign-attempt" }));
    await expect(a[last].destroy(remembers)).rejects.toThrow(refusal("ERR_REJECTED", { rule: "not-taken-over" }));
    expect([await status(), before]).toEqual([before, expect.objectContaining({ started: true })]);
  });

  test("a resumed attempt stays when the resource that started it is deleted", async () => {
    const [a, b] = [stackOn(current()), stackOn(current())];
    expect(await a.stops({ ...size, currentShares: current().first.slice(0, 1) })).toBe("rekey/shares-missing");
    clearCache();
    const missing = b.up({ ...resumed, currentShares: current().first.slice(0, 2) }, "commit", remembers);
    await expect(missing).rejects.toThrow(refusal("ERR_INCOMPLETE", { rule: "rekey/shares-missing" }));
    const before = await status();
    for (const part of [a.shares, a.attempt]) await part.destroy(remembers);
    expect([await status(), before]).toEqual([before, expect.objectContaining({ progress: 2 })]);
    await b.up({ ...size, currentShares: current().first.slice(2, 3) });
  });
});
