import { Name, Share, setOf, sharesOf, thresholdOf } from "../server";
import { ask, Commit, Context, cancel, Given, Observed, Outcome, observe, Protocol, Result, Shares, Stop, start, union } from "./protocol";

// The step that proves the new shares.

/** Step 3: only a set that is proven live becomes the output. */
export function* commitStep(context: Context): Protocol<Result> {
  const { saved, settings } = context;
  const { candidate, nonce, nonces, submitted, isFromBackup } = saved.shares as Shares & { candidate: Name };
  const last = saved.commit;
  const first: Outcome = settings.verification ? "open" : isFromBackup ? "unknown" : "live";
  const live = last?.outcome === "live" ? last.candidate : last?.live;
  const commit: Commit = last?.candidate === candidate ? last : { candidate, outcome: first, live };
  if (commit.outcome === "live") return last === commit ? {} : yield* finish(context, commit);
  // A holder may take a current share for a new one. Its digest shows that it was submitted as current.
  const brought = settings.holders ? context.brought.filter((share) => !submitted.includes(share)) : sharesOf(candidate);
  const isOpen = commit.outcome === "open";
  for (;;) {
    if (commit.outcome === "dead") return { stop: "dead" };
    const seen = yield* observe(context, nonces, nonce);
    // Saved before any probe: the status is the same after a commit, a seal, a failover and a cancel.
    if (seen.server === "none" && isOpen) return { save: { commit: { ...commit, outcome: "unknown" } }, stop: "unknown" };
    if (seen.server === "foreign" || seen.server === "collecting") throw new Stop("foreign");
    if (seen.server === "verifying") return yield* verify(context, { ...commit, outcome: "open" }, brought, seen);
    if (seen.server === "none" || (seen.server === "probe" && !isOpen)) {
      if (brought.length === 0) return { save: { commit }, stop: commit.outcome };
      return yield* probe(context, commit, brought, seen);
    }
    yield* cancel(seen);
  }
}

/** Verifies the new shares at hand. The state keeps which, and the server how many. */
function* verify(context: Context, commit: Commit, brought: readonly Share[], first: Observed): Protocol<Result> {
  const { nonce, nonces } = context.saved.shares!;
  const end = (outcome: Outcome, stop: string, given?: Given): Result => ({
    save: { commit: { ...commit, outcome, verified: given } },
    stop,
  });
  let seen = first;
  let given = ownGiven(commit.verified, seen.verification);
  // With a threshold at hand, the verification restarts, which shuts out a provider that outlived its run. With fewer, it would take other holders' shares away.
  // OpenBao counts a repeated share. If it counts more than the state, a share of the stack may be among them.
  const isAlone = brought.length >= thresholdOf(commit.candidate) && seen.verified === 0;
  if (isAlone || (context.settings.openBao && seen.verified! > given.shares.length)) {
    const { verification } = yield* ask({ op: "restart" });
    if (!verification) throw new Stop("again");
    given = { nonce: verification, shares: [] };
    seen = yield* observe(context, nonces, nonce);
  }
  for (const share of brought.filter((each) => !given.shares.includes(each))) {
    for (let [isSent, resent] = [false, false]; !isSent; ) {
      if (seen.server === "none") return end("unknown", "unknown");
      if (seen.server !== "verifying" || seen.verification !== given.nonce) return end("open", "again");
      const { verified } = seen;
      const reply = yield* ask({ op: "verify", nonce: given.nonce!, share });
      if (reply.is === "complete") return yield* finish(context, { ...commit, live: undefined });
      // One of the shares was wrong, and nobody knows whose.
      if (reply.is === "rejected") return end("open", "bring new");
      seen = yield* observe(context, nonces, nonce);
      const isLost = reply.is === "lost" && seen.verification === given.nonce && seen.verified === verified;
      if (isLost && resent) return end("open", "again", given);
      // Only a reply proves that our share was counted. Another holder's may have arrived instead.
      if (reply.is === "counted" || reply.is === "repeated") given.shares.push(share);
      [isSent, resent] = [!isLost, isLost];
    }
  }
  return end("open", "bring new", given);
}

const ownGiven = (before: Given | undefined, nonce: Name | undefined): Given =>
  before && before.nonce === nonce ? { nonce, shares: [...before.shares] } : { nonce, shares: [] };

/** After the commit, an attempt of the stack may appear: a start of a provider that outlived its run. */
function* finish(context: Context, commit: Commit): Protocol<Result> {
  const { nonces } = context.saved.shares!;
  const seen = yield* observe(context, nonces);
  if (seen.server === "probe" || seen.server === "abandoned" || seen.server === "unused") yield* cancel(seen);
  return { save: { commit: { candidate: commit.candidate, outcome: "live", live: commit.live } }, stop: "live" };
}

/**
 * Finds out whether the candidate is live: a throw-away attempt, with verification and encrypted to a key that nobody has, takes new shares as current
 * ones. It stays on the server until a threshold is there.
 */
function* probe(context: Context, commit: Commit, brought: readonly Share[], first: Observed): Protocol<Result> {
  const nonce = first.server === "probe" ? first.nonce : yield* start(context, "probe");
  const given = ownGiven(commit.probe, nonce);
  const verdict = yield* judge(context, commit.candidate, brought, given);
  if (verdict === "waits") return { save: { commit: { ...commit, outcome: "unknown", probe: given } }, stop: "bring new" };
  const save = (outcome: Outcome, stop: string): Result => ({ save: { commit: { ...commit, outcome, probe: undefined } }, stop });
  // Accepted as brought: holders may have mistaken previous shares for new ones, so the previous set stays in the state.
  if (verdict === "accepted") return yield* finish(context, commit);
  if (verdict === "disturbed") return save("unknown", "bring new");
  if (context.settings.holders) return save("refused", "refused");
  // A refusal alone can have other causes. An accepted previous set shows that the candidate is dead.
  const others = union([setOf(context.current[0]!)], context.saved.shares!.kept, commit.live ? [commit.live] : []);
  for (const set of others) {
    const nonce = yield* start(context, "probe");
    const verdict = yield* judge(context, set, sharesOf(set), { nonce, shares: [] });
    if (verdict === "accepted") return save("dead", "dead");
    if (verdict !== "refused") return save("unknown", "again");
  }
  return save("unknown", "no set accepted");
}

/** Submits shares to the probe. Anything but our own shares in it ends it without a verdict. Only a probe that waits stays. */
function* judge(
  context: Context,
  set: Name,
  brought: readonly Share[],
  given: Given,
): Protocol<"accepted" | "refused" | "disturbed" | "waits"> {
  const end = function* <T>(verdict: T): Protocol<T> {
    const seen = yield* observe(context, []);
    if (seen.server === "probe") yield* cancel(seen);
    return verdict;
  };
  for (;;) {
    const seen = yield* observe(context, []);
    if (seen.server !== "probe" || seen.nonce !== given.nonce) throw new Stop("again");
    // The set would be live only with the number of shares that the server requires.
    if (seen.required !== thresholdOf(set)) return yield* end("refused" as const);
    if (seen.verification || seen.count !== given.shares.length) return yield* end("disturbed" as const);
    const share = brought.find((each) => !given.shares.includes(each));
    if (!share) return "waits";
    const isLast = given.shares.length + 1 === seen.required;
    const reply = yield* ask({ op: "submit", nonce: given.nonce!, share });
    if (reply.is === "made" && isLast) return yield* end("accepted" as const);
    if (reply.is === "rejected" && isLast) return yield* end("refused" as const);
    if (reply.is !== "counted" || reply.count !== given.shares.length + 1) return yield* end("disturbed" as const);
    given.shares.push(share);
  }
}
