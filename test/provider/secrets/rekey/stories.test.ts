import { RekeyInputs } from "../../../../provider/secrets";
import { Holder, holders, read } from "../../../pgp";
import { onEachRekeyTarget, RekeyStack, RekeyTarget } from "../../../rekey";

const quiet = (): jest.SpyInstance => jest.spyOn(console, "log").mockImplementation(() => {});
let told: jest.SpyInstance;
beforeEach(() => {
  told = quiet();
});
afterEach(() => told.mockRestore());
const lines = (): string => told.mock.calls.map(([line]) => String(line)).join("\n");

const wrong = Buffer.alloc(33, 7).toString("base64");

onEachRekeyTarget("a rekey", (current) => {
  const inputs = (more: Partial<RekeyInputs> = {}): RekeyInputs => ({
    secretShares: 3,
    secretThreshold: 2,
    currentShares: current().first.slice(0, 3),
    ...more,
  });
  const stackOn = (target: RekeyTarget): RekeyStack => new RekeyStack(target.config);
  const requests = async (action: () => Promise<unknown>): Promise<string[]> => {
    const { gateway } = current();
    const first = gateway.requests.length;
    await action();
    return gateway.requests.slice(first).map(({ method, path }) => `${method} ${path.replace("/v1/sys/rekey/", "")}`);
  };
  const status = async (): Promise<Record<string, unknown>> => (await current().outside("GET", "sys/rekey/init")).body;
  const decrypted = async (set: { encryptedShares?: { fingerprint: string; share: string }[] }, all: Holder[]): Promise<string[]> =>
    Promise.all(
      (set.encryptedShares ?? []).map(({ fingerprint, share }) =>
        read(all.find((each) => each.fingerprint === fingerprint) as Holder, share),
      ),
    );
  const candidateOf = ({ shares }: RekeyStack): { encryptedShares: { fingerprint: string; share: string }[] } => ({
    encryptedShares: (shares.outputs() as { candidate: { encrypted: { fingerprint: string; share: string }[] } }).candidate.encrypted,
  });

  test("run twice changes nothing and sends nothing; a refresh asks once; other current shares alone change nothing", async () => {
    const stack = stackOn(current());
    await stack.up(inputs());
    expect(stack.outputs).toMatchObject({ complete: true, encryptedShares: [], fingerprints: [] });
    expect(stack.outputs.shares).toHaveLength(3);
    expect(await requests(() => stack.up(inputs()))).toEqual([]);
    expect(await requests(() => stack.refresh())).toEqual(["GET init"]);
    expect(await stack.up(inputs({ currentShares: [wrong], waitSeconds: 5, onConflict: "cancel", proof: "threshold" }))).toEqual([
      "same",
      "same",
      "same",
    ]);
  });

  test("a finished one is redone by triggers, and the preview says so; the former live set stays in the state until the new one is proven", async () => {
    const stack = stackOn(current());
    await stack.up(inputs());
    const [first] = [stack.outputs.shares];
    told.mockClear();
    expect((await stack.attempt.preview({ ...inputs({ triggers: ["2"] }) })).operation).toBe("update");
    expect(lines()).toMatch(/warning: rekey: a new rekey will run/);
    // The state's own shares are the current ones, and are tried.
    const other = Buffer.alloc(33, 8).toString("base64");
    expect(await stack.stops(inputs({ triggers: ["2"], currentShares: [wrong, other] }), "shares").catch(() => "given")).toBe("given");
    expect(stack.outputs.shares).toEqual(first);
    await stack.up(inputs({ triggers: ["2"], currentShares: [wrong, other] }));
    expect(stack.outputs.shares).not.toEqual(first);
    expect(await current().opens(stack.outputs.shares.slice(0, 2))).toBe(true);
  });

  test("one share", async () => {
    const stack = stackOn(current());
    await stack.up(inputs({ secretShares: 1, secretThreshold: 1 }));
    expect(await current().opens(stack.outputs.shares)).toBe(true);
    await stack.up(inputs({ triggers: ["5 of 3"], secretShares: 5, secretThreshold: 3, currentShares: stack.outputs.shares }));
    expect(await current().opens(stack.outputs.shares.slice(2))).toBe(true);
  });

  test("too few shares stop it with what is missing, and those of another holder are counted", async () => {
    const [a = "", b = "", c = ""] = current().first;
    const stack = stackOn(current());
    delete process.env.STEWARD_MISSING;
    expect(await stack.stops(inputs({ currentShares: [a, { env: "STEWARD_MISSING" }, { file: "no/such/file" }] }))).toBe(
      "Cannot create rekey: 1 of 3 current shares given; not at hand: currentShares[1] (the variable STEWARD_MISSING), currentShares[2] (the file no/such/file). " +
        "Run `pulumi up` again where missing shares are at hand; other holders may give theirs in the meantime, but the last one has to be given here.",
    );
    // The same share again is not given again.
    const sent = await requests(() => stack.stops(inputs({ currentShares: [a] })));
    if (current().dialect === "standard") expect(sent).not.toContain("PUT update");
    expect(await status()).toMatchObject({ progress: 1 });
    await current().outside("PUT", "sys/rekey/update", { key: b, nonce: (await status()).nonce });
    await stack.up(inputs({ currentShares: [a, c] }));
    expect(stack.outputs.complete).toBe(true);
  });

  test("waits for other holders, and keeps its own share for the last one", async () => {
    const [a = "", b = "", c = ""] = current().first;
    const stack = stackOn(current());
    const up = stack.up(inputs({ currentShares: [c], waitSeconds: 20 }));
    while (!(await status()).started) await new Promise((done) => setTimeout(done, 20));
    const { nonce } = await status();
    for (const key of [a, b]) await current().outside("PUT", "sys/rekey/update", { key, nonce });
    await up;
    expect(lines()).toContain("2 of 3 current shares given");
    expect(stack.outputs.complete).toBe(true);
  });

  test("gives its share when nobody came in time", async () => {
    const stack = stackOn(current());
    expect(await stack.stops(inputs({ currentShares: current().first.slice(0, 1), waitSeconds: 0.5 }))).toContain(
      "1 of 3 current shares given",
    );
    expect(await status()).toMatchObject({ progress: 1 });
  });

  test("a wrong share is found at the threshold, and drops what was given: the message says so, and the next run starts over", async () => {
    const [a = "", b = ""] = current().first;
    const stack = stackOn(current());
    expect(await stack.stops(inputs({ currentShares: [a, b, wrong] }))).toMatch(
      /^Cannot create rekey: the 3 shares given do not open the service \(.*\); the attempt .* stands, and begins again with no share\. At least one of them is wrong: correct currentShares and run again\.$/,
    );
    expect(await status()).toMatchObject({ started: true, progress: 0 });
    await stack.up(inputs());
  });

  test.each([
    ["not a share!", "currentShares[1] is neither base64 nor hex"],
    ["00ff", "currentShares[1] is not as long as the shares before it: all shares of a set have one length"],
    ["the first", "currentShares[1] is the same share as currentShares[0]"],
  ])("a share by reference that cannot be one (%s) is refused before anything is given", async (text, reason) => {
    process.env.STEWARD_SHARE = text === "the first" ? Buffer.from(current().first[0] as string, "base64").toString("hex") : text;
    const stack = stackOn(current());
    const shares = [current().first[0] as string, { env: "STEWARD_SHARE" }];
    expect(await stack.stops(inputs({ currentShares: shares }))).toBe(
      `Cannot create rekey: ${reason}. Nothing was sent: correct it and run again.`,
    );
    delete process.env.STEWARD_SHARE;
    expect(await status()).toMatchObject({ progress: 0 });
  });

  test("with PGP keys a threshold of holders proves it, over several runs, and nothing is sent before", async () => {
    const all = await holders(3);
    const stack = stackOn(current());
    const pgp = inputs({ pgpKeys: all.map(({ publicKey }) => publicKey) });
    expect(await stack.stops(pgp)).toContain("0 of the 2 decrypted new shares that prove the rekey are at hand; nothing is committed");
    const [one = "", two = ""] = await decrypted(candidateOf(stack), all);
    expect(await requests(() => stack.stops({ ...pgp, newShares: [one] }))).toEqual(
      current().dialect === "standard" ? ["GET init", "GET verify"] : ["GET init", "GET verify"],
    );
    // Gathered, and kept secret; a refresh changes nothing of it.
    await stack.refresh();
    await stack.up({ ...pgp, newShares: [two] });
    expect(stack.outputs).toMatchObject({ complete: true, shares: [], fingerprints: all.map(({ fingerprint }) => fingerprint) });
    expect(await current().opens([one, two])).toBe(true);
  });

  test('proof "all" with PGP keys asks for every share, and names the one that does not fit', async () => {
    const all = await holders(4);
    const stack = stackOn(current());
    const pgp = inputs({ secretShares: 4, pgpKeys: all.map(({ publicKey }) => publicKey), proof: "all" });
    expect(await stack.stops(pgp)).toContain("0 of the 4 decrypted new shares");
    const shares = await decrypted(candidateOf(stack), all);
    const broken = shares.map((share, index) => (index === 2 ? share.replace(/^../, (byte) => (byte === "00" ? "01" : "00")) : share));
    expect(await stack.stops({ ...pgp, newShares: broken })).toMatch(
      /the shares do not belong together: newShares\[2\] \([0-9a-f]{40}\) does not fit; nothing is committed/,
    );
    expect(await current().opens(current().first.slice(0, 3))).toBe(true);
    await stack.up({ ...pgp, newShares: shares });
  });

  test("a wrong new share is refused by the service: nothing is committed, and the right ones are asked for again", async () => {
    const all = await holders(3);
    const stack = stackOn(current());
    const pgp = inputs({ pgpKeys: all.map(({ publicKey }) => publicKey) });
    await stack.stops(pgp);
    const shares = await decrypted(candidateOf(stack), all);
    const other = Buffer.from(wrong, "base64").toString("hex");
    expect(await stack.stops({ ...pgp, newShares: [shares[0] as string, other] })).toMatch(
      /the service refuses the new shares at newShares\[1\] \(.*\); nothing is committed, and our attempt still stands/,
    );
    await stack.up({ ...pgp, newShares: shares });
  });

  test("shares of an earlier rekey, left over in newShares, prove nothing", async () => {
    const all = await holders(5);
    const stack = stackOn(current());
    const pgp = inputs({ secretShares: 5, pgpKeys: all.map(({ publicKey }) => publicKey) });
    await stack.stops(pgp);
    const old = await decrypted(candidateOf(stack), all);
    await stack.up({ ...pgp, newShares: old });
    const second = { ...pgp, triggers: ["2"], currentShares: old.slice(0, 2) };
    expect(await stack.stops({ ...second, newShares: old })).toContain("0 of the 2 decrypted new shares that prove the rekey");
    expect(lines()).toContain("newShares[4] is none of this rekey's new shares, and is left out");
    await current().sealAndUnseal(old.slice(0, 2));
    expect(await stack.stops(second)).toContain("whether the new shares are live is not known yet");
    // Others of the old set open the service as well: that the former shares at hand do so, too, shows what they are.
    const third = stackOn(current());
    await third.stops(second);
    await current().sealAndUnseal(old.slice(0, 2));
    await third.stops(second);
    expect(await third.stops({ ...second, newShares: old.slice(3) })).toContain("its new shares are dead");
  });

  test("the reply with the new shares lost: they come from the backup; which goes on request, once it is proven", async () => {
    const all = await holders(3);
    const stack = stackOn(current());
    const pgp = inputs({ pgpKeys: all.map(({ publicKey }) => publicKey), backup: true });
    current().gateway.interrupt = ({ method, path, nth }) =>
      method === "PUT" && path.endsWith("/update") && nth === 3 ? { when: "after" } : undefined;
    expect(await stack.stops(pgp)).toContain("decrypted new shares that prove the rekey");
    expect(lines()).toContain("took them from the backup");
    const shares = await decrypted(candidateOf(stack), all);
    await stack.up({ ...pgp, newShares: shares });
    const backup = (await current().outside("GET", "sys/rekey/backup")).status;
    expect(backup).toBe(200);
    expect(await stack.up({ ...pgp, removeBackup: true })).toEqual(["same", "same", "update"]);
    expect((await current().outside("GET", "sys/rekey/backup")).status).not.toBe(200);
    expect(await stack.up({ ...pgp, removeBackup: true })).toEqual(["same", "same", "same"]);
  });

  test("what others completed is kept with its own threshold, not with that of the rekey after it", async () => {
    const [a = "", b = "", c = ""] = current().first;
    const pgpKeys = (await holders(3)).map(({ publicKey }) => publicKey);
    const stack = stackOn(current());
    await stack.stops(inputs({ pgpKeys, backup: true, currentShares: [a] }));
    const { nonce } = await status();
    for (const key of [b, c]) await current().outside("PUT", "sys/rekey/update", { key, nonce });
    await stack.stops(inputs({ pgpKeys, backup: true, secretThreshold: 3, currentShares: [a] }));
    expect(stack.shares.outputs().kept).toMatchObject([{ nonce, threshold: 2 }]);
  });

  test("never overwrites the backup of somebody else's rekey, unless told to: then the state keeps it", async () => {
    const all = await holders(3);
    const keys = all.map(({ publicKey }) => publicKey);
    const theirs = stackOn(current());
    await theirs.stops(inputs({ pgpKeys: keys, backup: true }));
    await theirs.destroy();
    const stack = stackOn(current());
    const pgp = inputs({ pgpKeys: keys, backup: true });
    expect(await stack.stops(pgp)).toMatch(/the service keeps a backup of another rekey, .*, which ours would overwrite/);
    expect(await status()).toMatchObject({ progress: 0 });
    expect(await stack.stops({ ...pgp, replaceBackup: true })).toMatch(/is saved in the state now, before ours overwrites it/);
    expect(await stack.stops({ ...pgp, replaceBackup: true })).toContain("decrypted new shares that prove the rekey");
    const kept = stack.shares.outputs().replacedBackup as { keys: Record<string, string[]> };
    expect(Object.keys(kept.keys).sort()).toEqual(all.map(({ fingerprint }) => fingerprint).sort());
    // An attempt that never came to its commit takes its dead backup along only when it is settled.
    await stack.up({ ...pgp, replaceBackup: true, newShares: await decrypted(candidateOf(stack), all) });
  });

  test("without verification the last share commits; with a backup its lost reply loses nothing", async () => {
    const all = await holders(3);
    const stack = stackOn(current());
    const bold = inputs({ pgpKeys: all.map(({ publicKey }) => publicKey), backup: true, requireVerification: false });
    current().gateway.interrupt = ({ method, path, nth }) =>
      method === "PUT" && path.endsWith("/update") && nth === 3 ? { when: "after" } : undefined;
    expect(await stack.stops(bold)).toContain("so the new keys may be live");
    current().gateway.interrupt = undefined;
    expect(await stack.stops(bold)).toContain("0 of the 2 decrypted ones needed to find out are at hand");
    const shares = await decrypted(candidateOf(stack), all);
    await stack.up({ ...bold, newShares: shares });
    expect(stack.outputs.complete).toBe(true);
    expect(await current().opens(shares.slice(0, 2))).toBe(true);
  });

  test("without verification and without PGP keys, it is at one's own risk", async () => {
    const stack = stackOn(current());
    expect(await stack.attempt.problems({ ...inputs({ requireVerification: false }) })).toEqual([
      "requireVerification: without verification the last current share commits, and if its reply is lost, nobody ever knows the new keys: the service cannot be unsealed again; give pgpKeys and backup as well, or acceptLossRisk: true",
    ]);
    await stack.up(inputs({ requireVerification: false, acceptLossRisk: true }));
    expect(lines()).toContain("warning: rekey: requireVerification: without verification the last current share commits");
    expect(await current().opens(stack.outputs.shares.slice(0, 2))).toBe(true);
  });

  test("another address of the same service is no reason for a new rekey", async () => {
    const stack = stackOn(current());
    await stack.up(inputs());
    const { shares } = stack.outputs;
    const { secrets } = current().config["steward:default"] as { secrets: { address: string } };
    const moved = {
      "steward:default": { secrets: { ...secrets, address: secrets.address.replace("127.0.0.1", "localhost"), acceptMoved: true } },
    };
    for (const each of [stack.attempt, stack.shares, stack.commit]) each.configure(moved);
    expect(await requests(() => stack.up(inputs()))).toEqual(["GET init"]);
    expect(stack.outputs.shares).toEqual(shares);
    expect(await stack.up(inputs())).toEqual(["same", "same", "same"]);
  });

  test("what answers with fewer new shares than were asked for gets no commit", async () => {
    const stack = stackOn(current());
    const cut = (body: string): string => {
      const answer = JSON.parse(body);
      return JSON.stringify({ ...answer, keys: answer.keys?.slice(0, 2), keys_base64: answer.keys_base64?.slice(0, 2) });
    };
    current().gateway.interrupt = ({ path, nth }) => (path.endsWith("/update") && nth === 3 ? { when: "after", answer: cut } : undefined);
    expect(await stack.stops(inputs())).toMatch(/the service answered with 2 new shares where 3 were asked for.*; nothing was committed/);
    expect((await status()).started).toBe(false);
    expect(await stack.stops(inputs())).toContain("a new one was started");
    await stack.up(inputs());
  });

  test("new shares that cannot be read stop it before any current share is given", async () => {
    process.env.STEWARD_SHARE = "!!";
    const stack = stackOn(current());
    const bold = inputs({ newShares: [{ env: "STEWARD_SHARE" }], requireVerification: false, acceptLossRisk: true });
    expect(await stack.stops(bold)).toContain("newShares[0] is neither base64 nor hex. Nothing was sent");
    delete process.env.STEWARD_SHARE;
    expect(await status()).toMatchObject({ progress: 0 });
    await stack.up(bold);
  });

  const lostCommit = ({ method, path, nth }: { method: string; path: string; nth: number }): { when: "after" } | undefined =>
    method === "PUT" && path.endsWith("/rekey/verify") && nth === 2 ? { when: "after" } : undefined;

  test("new shares brought as current ones, too, do not make live ones dead", async () => {
    const all = await holders(3);
    const stack = stackOn(current());
    const pgp = inputs({ pgpKeys: all.map(({ publicKey }) => publicKey), backup: true });
    await stack.stops(pgp);
    const shares = await decrypted(candidateOf(stack), all);
    current().gateway.interrupt = lostCommit;
    await stack.stops({ ...pgp, newShares: shares });
    current().gateway.interrupt = undefined;
    await stack.up({ ...pgp, newShares: shares, currentShares: shares });
    expect(stack.outputs.complete).toBe(true);
    expect(await current().opens(shares.slice(0, 2))).toBe(true);
  });

  test("a live set that only the state keeps is never let go with a later attempt, nor hidden by its end", async () => {
    const stack = stackOn(current());
    current().gateway.interrupt = lostCommit;
    await stack.stops(inputs());
    current().gateway.interrupt = undefined;
    const { shares: live } = (stack.shares.outputs() as { candidate: { shares: string[] } }).candidate;
    await stack.up(inputs({ triggers: ["2"] }), "shares");
    await expect(stack.destroy()).rejects.toThrow(
      /the state holds shares that may be the live ones|whether the new shares in the state are live is not known/,
    );
    expect(JSON.stringify(stack.shares.state)).toContain(live[0]);
    await current().sealAndUnseal(live.slice(0, 2));
    await stack.up(inputs({ triggers: ["3"] }));
    expect(await current().opens(stack.outputs.shares.slice(1))).toBe(true);
  });

  test("what says complete and has not committed is not believed", async () => {
    const stack = stackOn(current());
    await stack.up(inputs());
    const { shares: before } = stack.outputs;
    for (const nth of [1, 2]) {
      let count = 0;
      current().gateway.interrupt = ({ method, path }) =>
        method === "PUT" && path.endsWith("/rekey/verify") && ++count === nth
          ? { when: nth === 1 ? "after" : "before", ...(nth === 1 ? { answer: () => '{"complete":true}' } : {}) }
          : undefined;
      expect(await stack.stops(inputs({ triggers: [`${nth}`], currentShares: before }))).toContain(
        "whether the new shares are live is not known yet",
      );
      expect(stack.outputs.shares).toEqual(before);
      current().gateway.interrupt = undefined;
      await stack.up(inputs({ triggers: [`${nth}`], currentShares: before }));
      before.splice(0, before.length, ...stack.outputs.shares);
    }
  });

  test("a service that forgets the verification is given no share of a probe", async () => {
    const stack = stackOn(current());
    current().gateway.interrupt = lostCommit;
    await stack.stops(inputs());
    const forgetful = (body: string): string => body.replace(/"verification_required":true/, '"verification_required":false');
    current().gateway.interrupt = ({ method, path }) =>
      method === "GET" && path.endsWith("/rekey/init") ? { when: "after", answer: forgetful } : undefined;
    expect(await requests(() => stack.stops(inputs()))).not.toContain("PUT update");
    current().gateway.interrupt = undefined;
    await stack.up(inputs());
  });

  test("a share in the place of its name is refused, and not printed", async () => {
    const [share = ""] = current().first;
    const hex = Buffer.from(share, "base64").toString("hex");
    const problems = await stackOn(current()).attempt.problems({
      ...inputs({ currentShares: [{ env: hex }, { file: hex }, { env: "SHARE_1" }] }),
    });
    expect(problems).toHaveLength(2);
    for (const problem of problems) expect(problem).toMatch(/^currentShares\[[01]\].*not the share itself$/);
    expect(problems.join()).not.toContain(hex);
  });

  test("triggers that differ in blanks alone are others", async () => {
    const stack = stackOn(current());
    await stack.up(inputs({ triggers: ["a b"] }));
    const { shares } = stack.outputs;
    await stack.up(inputs({ triggers: ["ab"], currentShares: shares }));
    expect(stack.outputs.shares).not.toEqual(shares);
  });

  test("deleting keeps what opens the service: refused, until discardShares says so", async () => {
    const stack = stackOn(current());
    await stack.up(inputs());
    await expect(stack.destroy()).rejects.toThrow(
      "Cannot delete rekey: the state holds the only copy of shares that open the service. Put them where they belong",
    );
    for (const discardShares of [true, false, true]) {
      expect(await stack.up(inputs({ discardShares }))).toEqual(["same", "update", "update"]);
      expect(await stack.up(inputs({ discardShares }))).toEqual(["same", "same", "same"]);
    }
    await stack.destroy();
    expect([stack.attempt.state, stack.shares.state, stack.commit.state]).toEqual([undefined, undefined, undefined]);
  });

  test("deleting an unfinished one cancels it: a started one, one that has new shares, one that holders have to prove", async () => {
    const all = await holders(3);
    for (const [until, more] of [
      ["attempt", {}],
      ["shares", {}],
      ["commit", { pgpKeys: all.map(({ publicKey }) => publicKey) }],
    ] as const) {
      const stack = stackOn(current());
      await stack.up(inputs(more as Partial<RekeyInputs>), until).catch(() => {});
      expect((await status()).started).toBe(true);
      await stack.destroy();
      expect((await status()).started).toBe(false);
    }
    expect(await current().opens(current().first.slice(0, 3))).toBe(true);
  });

  test("deleting one of which the outcome is unknown is refused", async () => {
    const stack = stackOn(current());
    await stack.up(inputs(), "shares");
    await current().sealAndUnseal(current().first.slice(0, 3));
    await expect(stack.destroy()).rejects.toThrow("the state holds shares that may be the live ones");
    await stack.stops(inputs());
    await expect(stack.destroy()).rejects.toThrow("whether the new shares in the state are live is not known");
    expect(await stack.stops(inputs())).toContain("its new shares are dead");
    await stack.destroy();
  });

  test("a rekey by somebody else shows at refresh, as a line and never as a difference", async () => {
    const stack = stackOn(current());
    await stack.up(inputs({ secretShares: 3, secretThreshold: 3 }));
    const other = stackOn(current());
    await other.up(inputs({ secretShares: 3, secretThreshold: 2, currentShares: stack.outputs.shares }));
    told.mockClear();
    expect(await stack.commit.refresh()).toEqual([]);
    expect(lines()).toContain("the service now asks for 2 shares, and the set in the state has a threshold of 3: somebody has rekeyed it");
  });
});
