import { Kind, Name, Reply, Request, Settings, Share, setOf, sharesOf, thresholdOf } from "./server";

// The protocol of a rekey, as sequential code: each step yields its requests, and ends with what Pulumi saves.

/** `live` and `dead` are proven. `refused` is not: a holder may have brought a wrong share. */
export type Outcome = "open" | "unknown" | "refused" | "dead" | "live";

/** The shares that this stack gave to one probe or one verification. The real state holds digests of them. */
export interface Given {
  nonce?: Name;
  shares: Share[];
}

export interface Saved {
  attempt?: { id: Name; triggers: number; nonce?: Name; nonces: Name[] };
  shares?: { id: Name; nonce?: Name; nonces: Name[]; submitted: Share[]; kept: Name[]; candidate?: Name; isFromBackup?: boolean };
  commit?: { candidate: Name; outcome: Outcome; live?: Name; previous?: Name; probe?: Given; verified?: Given };
}
type Attempt = NonNullable<Saved["attempt"]>;
type Shares = NonNullable<Saved["shares"]>;
type Commit = NonNullable<Saved["commit"]>;

export interface Context {
  settings: Settings;
  saved: Saved;
  /** What the user brings to this run: shares of the current set, and new ones. */
  current: Share[];
  brought: Share[];
  triggers: number;
  /** A name that no other run has. */
  id: Name;
  /** The candidate that this run's deletion has canceled. */
  canceled?: Name;
}

/** A step's state, and why the run ends after it. */
export interface Result {
  save?: Partial<Saved>;
  stop?: string;
  canceled?: Name;
}
export type Protocol<T> = Generator<Request, T, Reply>;

/** Ends the run without saving. */
export class Stop extends Error {}

export type Observed = Reply & {
  server: "none" | "probe" | "collecting" | "verifying" | "abandoned" | "unused" | "foreign";
};

export function* ask(request: Request): Protocol<Reply> {
  return yield request;
}

/** What is in progress on the server, for a step that knows these nonces. */
export function* observe({ saved, settings }: Context, nonces: readonly Name[], nonce?: Name): Protocol<Observed> {
  const status = yield* ask({ op: "status" });
  const mayAdopt = settings.verification || (settings.holders && settings.backup);
  const serverState = (): Observed["server"] => {
    if (status.is === "none") return "none";
    // Only the state makes a throw-away key the stack's own, so another client's attempt with one share is not taken for a probe.
    if (status.kind === "probe" && saved.attempt) return "probe";
    if (status.nonce === nonce) return status.verification ? "verifying" : "collecting";
    if (nonces.includes(status.nonce!)) return "abandoned";
    // Adopting an attempt without a share takes nothing from anybody.
    return status.kind === "ours" && !status.verification && status.count === 0 && mayAdopt ? "unused" : "foreign";
  };
  return { ...status, server: serverState() };
}

/** Starts an attempt. The status settles a lost reply. */
function* start(context: Context, kind: Kind): Protocol<Name> {
  const reply = yield* ask({ op: "start", kind });
  if (reply.is === "started") return reply.nonce!;
  const seen = yield* observe(context, []);
  if (seen.server === (kind === "ours" ? "unused" : kind)) return seen.nonce!;
  throw new Stop(seen.server === "none" ? "again" : "foreign");
}

/** Cancels an attempt of the stack. */
export function* cancel({ nonce, verification }: Observed): Protocol<void> {
  // A provider that outlived its run may still send the last new share: with another verification nonce it cannot commit.
  if (verification && (yield* ask({ op: "restart" })).is !== "restarted") throw new Stop("again");
  // OpenBao cancels whichever attempt is in progress, so the cancel directly follows a look.
  if (verification && (yield* ask({ op: "status" })).nonce !== nonce) throw new Stop("again");
  if ((yield* ask({ op: "cancel", nonce: nonce! })).is !== "lost") return;
  if ((yield* ask({ op: "status" })).nonce === nonce) throw new Stop("again");
}

const union = (...lists: readonly (readonly Name[])[]): Name[] => [...new Set(lists.flat())];

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
  const inBackup = yield* backupOf(context, nonces.filter((each) => each !== nonce));
  const kept = union(before?.kept ?? [], [before?.candidate, inBackup].filter((set) => set !== undefined));
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

/** Step 3: only a set that is proven live becomes the output. */
export function* commitStep(context: Context): Protocol<Result> {
  const { saved, settings } = context;
  const { candidate, nonce, nonces, submitted, isFromBackup } = saved.shares as Shares & { candidate: Name };
  const last = saved.commit;
  const first: Outcome = settings.verification ? "open" : isFromBackup ? "unknown" : "live";
  const live = last?.outcome === "live" ? last.candidate : last?.live;
  const commit: Commit = last?.candidate === candidate ? last : { candidate, outcome: first, live };
  if (commit.outcome === "live") return last === commit ? {} : yield* finish(context, commit);
  // A submitted current share is no new one, whatever its holder believes.
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
  const end = (outcome: Outcome, stop: string, given?: Given): Result => ({ save: { commit: { ...commit, outcome, verified: given } }, stop });
  let seen = first;
  let given = ownGiven(commit.verified, seen.verification);
  // With a threshold at hand, the verification restarts, which shuts out a provider that outlived its run. With fewer, it would take other holders' shares away.
  // OpenBao counts a repeated share: when it counts more than ours, one of them may be ours.
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
      if (reply.is === "complete") return yield* finish(context, { ...commit, outcome: "live" });
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
  return { save: { commit: { candidate: commit.candidate, outcome: "live", live: commit.live, previous: commit.previous } }, stop: "live" };
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
  if (verdict === "accepted") {
    // Accepted as brought: holders may have mistaken previous shares for new ones, so the previous set stays in the state.
    return yield* finish(context, { ...commit, previous: context.settings.holders ? commit.live : undefined });
  }
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
function* judge(context: Context, set: Name, brought: readonly Share[], given: Given): Protocol<"accepted" | "refused" | "disturbed" | "waits"> {
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

/** Deletes the commit: an attempt that is still verifying is canceled, which makes its candidate worthless. */
export function* deleteCommit(context: Context): Protocol<Result> {
  const { commit, shares } = context.saved;
  if (!commit || !shares) return {};
  // The state may hold the only copy of a live set.
  if (commit.outcome === "live" || commit.live || commit.outcome === "unknown" || commit.outcome === "refused") throw new Stop("not deleted");
  if (commit.outcome === "dead") return { save: { commit: undefined }, canceled: commit.candidate };
  const seen = yield* observe(context, shares.nonces, shares.nonce);
  if (seen.server !== "verifying") throw new Stop("not deleted");
  yield* cancel(seen);
  return { save: { commit: undefined }, canceled: commit.candidate };
}

export function* deleteShares(context: Context): Protocol<Result> {
  const { shares } = context.saved;
  if (!shares) return {};
  const seen = yield* observe(context, shares.nonces, shares.nonce);
  const isOwn = seen.server === "probe" || shares.nonces.includes(seen.nonce!);
  if (isOwn) yield* cancel(seen);
  const isCanceled = shares.candidate === context.canceled || seen.server === "verifying";
  if (shares.kept.length > 0 || (shares.candidate && !isCanceled)) throw new Stop("not deleted");
  return { save: { shares: undefined } };
}

export function* deleteAttempt(context: Context): Protocol<Result> {
  const { attempt } = context.saved;
  if (!attempt) return {};
  const seen = yield* observe(context, attempt.nonces);
  if (seen.server === "probe" || seen.server === "abandoned") yield* cancel(seen);
  return { save: { attempt: undefined }, stop: "deleted" };
}

export const steps = { attemptStep, sharesStep, commitStep, deleteCommit, deleteShares, deleteAttempt };
