import { Context, cancel, observe, Protocol, Result, Stop } from "./protocol";

// The steps of a deletion, in this order.

/** Deletes the commit: an attempt that is still verifying is canceled, which makes its candidate worthless. */
export function* deleteCommit(context: Context): Protocol<Result> {
  const { commit, shares } = context.saved;
  if (!commit || !shares) return {};
  // The state may hold the only copy of a live set.
  if (commit.outcome === "live" || commit.live || commit.outcome === "unknown" || commit.outcome === "refused")
    throw new Stop("not deleted");
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
