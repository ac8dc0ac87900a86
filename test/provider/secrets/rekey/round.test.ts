import { StewardError } from "../../../../provider/errors";
import { shareDigest, shareOf } from "../../../../provider/secrets/rekey/crypto";
import { Answer, begin, Command, Event, Next, Offer, Round, step } from "../../../../provider/secrets/rekey/round";
import { RekeyStatus, ServerState, ShareSet } from "../../../../provider/secrets/rekey/states";

// The pure step function: which share is submitted next, and when to stop. No server is needed.

const text = (byte: number): string => Buffer.alloc(33, byte).toString("base64");
const own = [1, 2, 3].map((byte, index) => shareOf(text(byte), `currentShares[${index}]`));
const keptSet: ShareSet = { nonce: "earlier", threshold: 3, shares: [4, 5, 6].map(text), encrypted: [] };
const kept: Offer = { set: keptSet, shares: keptSet.shares.map((share) => shareOf(share, "a share of earlier")) };
const digests = own.map((share) => shareDigest("ours", share));

const context: Round["context"] = { nonce: "ours", refusesRepeatedShares: true, waitSeconds: 0, missing: [], kept: [], hasBackup: false };
const round = (more: Partial<Round> = {}, facts: Partial<Round["context"]> = {}): Round => ({
  ...begin({ ...context, ...facts }, [{ shares: own }], { submitted: [], refused: [] }),
  ...more,
});
const status = (progress: number, more: Partial<RekeyStatus> = {}): RekeyStatus => ({
  started: true,
  nonce: "ours",
  threshold: 2,
  shares: 3,
  progress,
  required: 3,
  pgpFingerprints: [],
  backup: false,
  verificationRequired: true,
  ...more,
});
const observed = (progress: number, waits = false, server: ServerState = "collecting"): Event => ({
  kind: "observed",
  observed: { server, status: status(progress) },
  waits,
});
const answered = (answer: Answer, progress: number): Event => ({ kind: "answered", answer, status: status(progress) });
/** The decision after a series of events. */
const after = (from: Round, ...events: Event[]): Next =>
  events.reduce<Next>((last, event) => step(last.round, event), { round: from, command: { do: "observe" }, lines: [] });
const label = (command: Command): string => (command.do === "submit" ? command.share.label : command.do);
const lost = new StewardError({ code: "ERR_NO_RESPONSE", reason: "the connection broke", outcomeUnknown: true });
const unknown = (progress: number, more: Partial<RekeyStatus> = {}): Answer => ({
  kind: "unknown",
  status: status(progress, more),
  error: lost,
});

test("submits each share after an observation, and receives what the last one brings", () => {
  const set: ShareSet = { nonce: "ours", threshold: 2, shares: [], encrypted: [] };
  const counted = (progress: number): Event[] => [observed(progress), answered({ kind: "counted" }, progress)];
  expect(label(after(round(), observed(0)).command)).toBe("currentShares[0]");
  const two = after(round(), ...counted(0), ...counted(1));
  expect(two).toMatchObject({ command: { do: "observe" }, round: { position: 2, counted: 2, submitted: digests.slice(0, 2) } });
  expect(label(after(two.round, observed(2)).command)).toBe("currentShares[2]");
  expect(after(two.round, observed(2), answered({ kind: "complete", set }, 2)).command).toMatchObject({ do: "receive", share: own[2] });
});

test("starts over where the attempt holds a threshold of shares and has not completed", () => {
  expect(label(after(round(), observed(3)).command)).toBe("start over");
  expect(label(after(round(), observed(4)).command)).toBe("start over");
  // The service does not say how many it asks for.
  const unsaid: Event = { kind: "observed", observed: { server: "collecting", status: status(0, { required: 0 }) }, waits: false };
  expect(label(after(round(), unsaid).command)).toBe("currentShares[0]");
});

test("prints the progress when it changes, and no more", () => {
  expect(after(round(), observed(0)).lines).toEqual([]);
  expect(after(round(), observed(1)).lines).toEqual([expect.stringContaining("1 of 3")]);
  expect(after(round({ printed: 1 }), observed(1)).lines).toEqual([]);
});

test.each<[ServerState, Command["do"]]>([
  ["verifying", "recover"],
  ["none", "attempt lost"],
  ["tampered", "attempt lost"],
  ["foreign", "attempt lost"],
])("submits nothing to an attempt that is %s", (server, expected) => {
  expect(after(round(), observed(0, false, server)).command.do).toBe(expected);
});

test("skips a share that counts already, and submits it again only where Vault refuses repeated shares", () => {
  const submitted = digests.slice(0, 1);
  const skipped = after(round({ submitted }, { refusesRepeatedShares: false }), observed(1));
  expect(skipped).toMatchObject({ command: { do: "observe" }, round: { position: 1, counted: 1, repeated: 1 } });
  expect(label(after(skipped.round, observed(1)).command)).toBe("currentShares[1]");
  const again = after(round({ submitted }), observed(1));
  expect(label(again.command)).toBe("currentShares[0]");
  expect(after(again.round, answered({ kind: "share refused", reason: "repeated" }, 1))).toMatchObject({
    command: { do: "observe" },
    round: { position: 1, counted: 1, repeated: 1, refusals: [] },
  });
});

test("forgets the submitted shares where the service dropped its progress", () => {
  expect(after(round({ submitted: digests }), observed(1)).round.submitted).toEqual([]);
});

test("submits its shares again, once, where the service dropped them", () => {
  const [first] = digests;
  const dropped = after(round({ position: 2, counted: 2, repeated: 1, submitted: digests.slice(0, 2) }), observed(0));
  expect(label(dropped.command)).toBe("currentShares[0]");
  expect(dropped.round).toMatchObject({ position: 0, counted: 0, repeated: 0, submitted: [] });
  // A service that always reports no progress would receive the shares forever.
  const again = after(dropped.round, answered({ kind: "counted" }, 0));
  expect(again.round).toMatchObject({ position: 1, counted: 1, submitted: [first] });
  const once = after(again.round, observed(0));
  expect(label(once.command)).toBe("currentShares[1]");
  expect(once.round).toMatchObject({ counted: 0, submitted: [] });
});

test("a kept set counts as refused only if all shares were its own since the service dropped its progress", () => {
  const offers: Round["offers"] = [kept];
  const submitted = kept.shares.map((share) => shareDigest("ours", share)).slice(0, 2);
  const dropped = after(round({ offers, position: 2, counted: 2, submitted, isRestarted: true }), observed(1));
  const mixed = after(dropped.round, observed(2), answered({ kind: "all refused", reason: "no set" }, 2));
  expect(mixed).toMatchObject({ command: { do: "observe" }, round: { offers, refused: [], position: 0 } });
});

test("does not report shares of an earlier run as submitted after the service refused all", () => {
  const offers: Round["offers"] = [{ shares: own }, { ...kept, shares: [] }];
  const refused = after(round({ offers, position: 2, counted: 2, repeated: 2 }), answered({ kind: "all refused", reason: "no set" }, 2));
  const { command } = after(refused.round, observed(0));
  expect(command).toMatchObject({ do: "stop", id: "shares-missing", reason: expect.stringMatching(/^0 of 3 current shares submitted$/) });
});

test("keeps the last share for the end while other holders are awaited", () => {
  const last = round({ position: 2, counted: 2 }, { waitSeconds: 9 });
  const waits = after(last, observed(1, true));
  expect(waits.command.do).toBe("wait");
  expect(waits.lines.at(-1)).toContain("9 s");
  expect(after(waits.round, observed(1, true)).lines).toEqual([]);
  expect(label(after(waits.round, observed(2, true)).command)).toBe("currentShares[2]");
  expect(label(after(waits.round, observed(1, false)).command)).toBe("currentShares[2]");
});

test("stops with the missing and the refused shares", () => {
  const refused = after(round({}, { missing: ["currentShares[3] (the variable SHARE)"] }), observed(0), {
    ...answered({ kind: "share refused", reason: "wrong length" }, 0),
  });
  const done = after({ ...refused.round, position: 3, repeated: 1 }, observed(1));
  expect(done.command).toMatchObject({
    do: "stop",
    id: "shares-missing",
    reason: expect.stringMatching(/^1 of 3 .*: 1 of .*: currentShares\[3\] \(the variable SHARE\);.*: currentShares\[0\]: wrong length$/),
  });
});

test("tries a kept set where the own shares are refused, and records a kept set that is refused", () => {
  const offers: Round["offers"] = [{ shares: own }, kept];
  const all = { kind: "all refused", reason: "no set" } as const;
  const other = after(round({ offers, position: 2, counted: 2, submitted: digests.slice(0, 2) }), answered(all, 2));
  expect(other).toMatchObject({ command: { do: "observe" }, round: { offers: [kept], position: 0, counted: 0, submitted: [] } });
  const end = after({ ...other.round, position: 2, counted: 2 }, answered(all, 2));
  expect(end.round.refused).toEqual(["earlier"]);
  expect(end.command).toMatchObject({ do: "stop", id: "shares-refused", reason: expect.stringContaining("(no set)") });
});

test("submits a kept set again where other holders' shares were refused with it", () => {
  const mixed = after(round({ offers: [kept], position: 1, counted: 1 }), answered({ kind: "all refused", reason: "no set" }, 2));
  expect(mixed).toMatchObject({ command: { do: "observe" }, round: { offers: [kept], position: 0, refused: [] } });
});

test("submits no kept set to an attempt that has shares of other holders", () => {
  const offers: Round["offers"] = [{ shares: own.slice(0, 1) }, kept];
  const theirs = after(round({ offers, position: 1, counted: 1 }), observed(2));
  expect(theirs.command).toMatchObject({ do: "stop", id: "shares-missing", reason: expect.stringContaining("2 of 3") });
  const alone = after(round({ offers, position: 1, counted: 1 }), observed(1));
  expect(alone).toMatchObject({ command: { do: "observe" }, round: { offers: [kept], position: 0 } });
});

test("a share without a response is submitted again once where that is safe, and else given up", () => {
  const once = after(round(), observed(0), answered(unknown(0), 0));
  expect(once).toMatchObject({ command: { do: "observe" }, round: { position: 0, isRetry: true } });
  expect(after(once.round, observed(0), answered(unknown(0), 0)).command.do).toBe("count unknown");
  expect(after(round({}, { refusesRepeatedShares: false }), answered(unknown(0), 0)).command.do).toBe("count unknown");
  expect(after(once.round, answered({ kind: "counted" }, 0)).round.isRetry).toBe(false);
});

test.each<Answer>([{ kind: "share refused", reason: "wrong length" }, { kind: "counted" }])(
  "the response to each share may be lost once, although that to the share before was lost: %j",
  (answer) => {
    const retried = after(round(), observed(0), answered(unknown(0), 0), observed(0), answered(answer, 0), observed(1));
    expect(label(retried.command)).toBe("currentShares[1]");
    expect(after(retried.round, answered(unknown(1), 1))).toMatchObject({ command: { do: "observe" }, round: { position: 1 } });
  },
);

test("the response to a share of a kept set may be lost once, although that to an own share was lost", () => {
  const from = round({ offers: [{ shares: own }, kept], position: 2, counted: 2, isRetry: true });
  const other = after(from, answered({ kind: "all refused", reason: "no set" }, 2), observed(0));
  expect(after(other.round, answered(unknown(0), 0)).command.do).toBe("observe");
});

test.each([{ started: false }, { verification: { nonce: "v", progress: 0, threshold: 2, shares: 3 } }])(
  "a share without a response is left to the next observation where the attempt shows %j",
  (more) => {
    for (const refusesRepeatedShares of [true, false])
      expect(after(round({}, { refusesRepeatedShares }), answered(unknown(0, more), 0)).command.do).toBe("observe");
  },
);

test("a 429 changes nothing", () => {
  const from = round();
  expect(after(from, answered({ kind: "rate limited" }, 0))).toEqual({ round: from, command: { do: "observe" }, lines: [] });
});
