import { Name, Share, setOf, sharesOf } from "../server";
import { Attempt, ask, Context, cancel, Observed, observe, Protocol, Result, Shares, Stop, start, union } from "./protocol";

// The steps before the new shares are saved.

/** Step 1: its nonce is saved before any share is sent. */
export function* attemptStep(context: Context): Protocol<Result> {
  const { saved, triggers, id } = context;
  const before = saved.attempt;
  if (before && before.triggers === triggers && !startsAnew(context)) return {};
  // Every nonce is remembered, so that no attempt of the stack is taken for another client's.
  const attempt: Attempt = { id, triggers, nonces: before?.nonces ?? [] };
  for (;;) {
    const seen = yield* observe(context, attempt.nonces, before?.nonce);
    if (seen.server === "foreign") {
      if (!before) throw new Stop("foreign");
      // It may be one that only the next step knows.
      return { save: { attempt } };
    }
    if (seen.server === "none" || seen.server === "unused") {
      const nonce = seen.server === "none" ? yield* start(context, "ours") : seen.nonce!;
      return { save: { attempt: { ...attempt, nonce, nonces: union(attempt.nonces, [nonce]) } } };
    }
    yield* cancel(seen);
  }
}

/** After a candidate was not accepted, a run with a current share starts a new attempt, whose accepted shares show which set is live. */
function startsAnew({ saved: { attempt, shares, commit }, current }: Context): boolean {
  const isOfThisAttempt = shares?.id === attempt?.id && commit?.candidate === shares?.candidate;
  return isOfThisAttempt && (commit?.outcome === "refused" || commit?.outcome === "dead") && current.length > 0;
}

/** Step 2: the new shares are saved before any of them is verified. */
export function* sharesStep(context: Context): Protocol<Result> {
  const attempt = context.saved.attempt!;
  const before = context.saved.shares;
  const isSame = before?.id === attempt.id;
  if (isSame && before.candidate) return {};
  const nonce = isSame ? before.nonce : attempt.nonce;
  const nonces = union(before?.nonces ?? [], attempt.nonces);
  // A new attempt never drops a candidate that may be live. That of an attempt whose reply was lost is in the backup.
  const inBackup = yield* backupOf(
    context,
    nonces.filter((each) => each !== nonce),
  );
  const kept = union(
    before?.kept ?? [],
    [before?.candidate, inBackup].filter((set) => set !== undefined),
  );
  const shares: Shares = { id: attempt.id, nonce, nonces, kept, submitted: isSame ? before.submitted : [] };
  for (;;) {
    const seen = yield* observe(context, nonces, nonce);
    if (seen.server === "foreign") throw new Stop("foreign");
    if (seen.server === "collecting") return yield* submit(context, shares, seen);
    if (seen.server === "verifying") return yield* recover(context, shares, seen);
    if (seen.server === "none" || seen.server === "unused") {
      // Without verification the attempt may have committed. Only the backup tells, which comes before any other attempt.
      const found = context.settings.verification ? undefined : yield* fromBackup(context, shares);
      if (found) return found;
      return seen.server === "none" ? yield* restart(context, shares) : stopWithNonce(shares, seen.nonce!);
    }
    yield* cancel(seen);
  }
}

/** The run stops, so that the nonce is saved before a share is submitted to it. */
const stopWithNonce = (shares: Shares, nonce: Name): Result => ({
  save: { shares: { ...shares, nonce, nonces: union(shares.nonces, [nonce]), submitted: [] } },
  stop: "restarted",
});

function* restart(context: Context, shares: Shares): Protocol<Result> {
  return stopWithNonce(shares, yield* start(context, "ours"));
}

/** The reply with the new shares was lost, or went to another holder. */
function* recover(context: Context, shares: Shares, seen: Observed): Protocol<Result> {
  const found = yield* fromBackup(context, shares);
  if (found) return found;
  yield* cancel(seen);
  return yield* restart(context, shares);
}

/** The set in a backup of these nonces. */
function* backupOf({ settings }: Context, nonces: readonly (Name | undefined)[]): Protocol<Name | undefined> {
  if (!settings.backup) return undefined;
  const { nonce, set } = yield* ask({ op: "backup" });
  return nonce && nonces.includes(nonce) ? set : undefined;
}

function* fromBackup(context: Context, shares: Shares): Protocol<Result | undefined> {
  const candidate = yield* backupOf(context, [shares.nonce]);
  return candidate ? { save: { shares: { ...shares, candidate, isFromBackup: true } } } : undefined;
}

/** Submits the current shares at hand, then those of each kept set that the state holds. Before each, the attempt is observed. */
function* submit(context: Context, before: Shares, first: Observed): Protocol<Result> {
  const { settings, current } = context;
  const shares: Shares = { ...before };
  const kept = settings.holders ? [] : shares.kept.filter((set) => set !== setOf(current[0]!)).map((set) => sharesOf(set));
  let seen = first;
  let stop = "bring current";
  for (const batch of [current, ...kept]) {
    let [next, own, resent] = [0, 0, false];
    while (next < batch.length) {
      if (seen.server === "verifying") return yield* recover(context, shares, seen);
      if (seen.server !== "collecting") return { save: { shares }, stop: "again" };
      yield* assertOwnBackup(context, shares);
      const share = batch[next]!;
      const reply = yield* ask({ op: "submit", nonce: shares.nonce!, share });
      if (reply.is === "made") return { save: { shares: received(context, shares, share, reply.set!) } };
      const { count = 0, required = 0 } = seen;
      seen = yield* observe(context, shares.nonces, shares.nonce);
      const isCounted = reply.is === "counted" || (reply.is === "lost" && seen.count === count + 1);
      if (isCounted || reply.is === "repeated") {
        shares.submitted = union(shares.submitted, [share]);
        [next, own] = [next + 1, own + 1];
      } else if (reply.is === "rejected") {
        [stop, shares.submitted] = ["refused", []];
        // Shares of others were among them: this set may be the live one.
        if (settings.holders || own + 1 >= required) break;
        [next, own] = [0, 0];
      } else if (reply.is === "lost" && seen.server === "collecting") {
        if (resent) return { save: { shares }, stop: "again" };
        resent = true;
      }
    }
  }
  return { save: { shares }, stop };
}

/** The last share of any client overwrites the backup. One with another nonce is another rekey's. */
function* assertOwnBackup({ settings }: Context, { nonces }: Shares): Protocol<void> {
  if (!settings.backup) return;
  const { nonce } = yield* ask({ op: "backup" });
  if (nonce && !nonces.includes(nonce)) throw new Stop("foreign backup");
}

/** An accepted share proves its set live, and so every other one dead. Holders only claim which set theirs is of. */
function received({ settings, current }: Context, shares: Shares, share: Share, candidate: Name): Shares {
  const used = setOf(share) === setOf(current[0]!) ? [] : [setOf(share)];
  return { ...shares, candidate, submitted: union(shares.submitted, [share]), kept: settings.holders ? shares.kept : used };
}
