import { Operation } from "../../connection";
import { StewardError } from "../../errors";
import {
  cancelAttempt,
  getBackup,
  getStatus,
  isReplyLost,
  removeBackup,
  retryAfter429,
  startAttempt,
  submitShare,
  wasNotCounted,
} from "./api";
import { keyOf, redacting, Share, shareDigest, shareOf } from "./crypto";
import { log } from "./protocol";
import { sharesAtHand } from "./share-sources";
import { Attempt, CommitRun, CommitState, matches, RekeyStatus, ShareSet, stateOf } from "./states";
import { stopped, unfinished } from "./stops";
import { finish } from "./verify";

/** Tests with a throw-away attempt if the candidate is valid, which requires `required` shares. */
export async function resolveOutcome(run: CommitRun, required: number): Promise<CommitState> {
  const { operation, inputs, state, shares } = run;
  const { candidate, kept, attempt, excluded } = inputs.submission;
  const { shares: current } = sharesAtHand(inputs.currentShares, "currentShares");
  // A refusal alone can have other causes: only an accepted previous set shows that the candidate is dead.
  const previous = [...(state.live ? [state.live] : []), ...kept].filter((set) => set.shares.length > 0);
  // Holders may bring new shares as currentShares. They are current ones if they were submitted as such, or combine to another key.
  const wereSubmitted = current.every((share) => excluded.includes(shareDigest(candidate.nonce, share)));
  const [theirs, ours] = [keyOf(current.slice(0, required)), keyOf(shares.slice(0, candidate.threshold))];
  const isCurrent = candidate.encrypted.length === 0 || wereSubmitted || (theirs && ours && !theirs.equals(ours));
  const others: (ProbedSet & { set?: ShareSet })[] = [
    ...(isCurrent ? [{ shares: current, threshold: required }] : []),
    ...previous.map((set) => ({
      set,
      shares: set.shares.map((share) => shareOf(share, `a share of ${set.nonce}`)),
      threshold: set.threshold,
    })),
  ];
  const guarded = redacting(operation, others);
  const set: ProbedSet & { set?: ShareSet } = { shares, threshold: candidate.threshold };
  let found = await probe(guarded, attempt, [set, ...others]);
  // Holders claim that these are the candidate's shares. If the previous shares are valid as well, they are previous shares.
  const isClaimed = found === set && candidate.encrypted.length > 0;
  if (isClaimed && others.some((other) => isComplete(other, required))) found = (await probe(guarded, attempt, others)) ?? set;
  if (found === set) {
    log(operation, "the new shares are valid");
    const previousLive = isClaimed && state.live ? { previousLive: state.live } : {};
    run.state = { ...stateOf("live", candidate, []), ...previousLive };
    return finish(run);
  }
  const isShown = others.some((other) => isComplete(other, required));
  if (!found)
    throw isShown
      ? unfinished(
          run,
          "no-set-accepted",
          "neither the new shares nor the previous ones are valid: another client rekeyed the service, or the service stopped during the commit",
          "The state keeps the new shares. Do not seal or restart the service before you have read docs/rekey/errors.md#no-set-accepted in the package.",
        )
      : unfinished(
          run,
          "previous-shares-missing",
          `the new shares are not valid; the previous ones were not tested, since only ${isCurrent ? current.length : 0} of ${required} are available`,
          "The state keeps the new shares. Run `pulumi up` again with the current shares that were submitted. Or change triggers: the new rekey shows which shares are live.",
        );
  // Show the valid set as the live one, if the state holds it.
  const holdsCurrent = (known: ShareSet): boolean =>
    current.every(({ bytes }) => known.shares.some((share) => shareOf(share, "").bytes.equals(bytes)));
  const stays = state.live && (state.live.encrypted.length > 0 || holdsCurrent(state.live)) ? state.live : undefined;
  run.state = stateOf("dead", found.set ?? stays, []);
  await removeDeadBackup(run);
  throw notCommitted(run);
}

async function removeDeadBackup({ operation, inputs }: CommitRun): Promise<void> {
  const { hadBackup, candidate } = inputs.submission;
  if (!hadBackup || (await getBackup(operation))?.nonce !== candidate.nonce) return;
  await removeBackup(operation, candidate.nonce);
  log(operation, `removed the backup of ${candidate.nonce}: its shares are dead`);
}

export const notCommitted = (run: CommitRun): StewardError =>
  unfinished(
    run,
    "not-committed",
    `the rekey ${run.inputs.submission.candidate.nonce} was not committed: its new shares are dead, and the previous ones are still valid`,
    "Change triggers to start over.",
  );

/** A set whose shares are at hand. */
export interface ProbedSet {
  shares: Share[];
  threshold: number;
}

/**
 * Tests which of these sets is valid, without changing any key. A throw-away attempt takes the shares of each set as the current ones, until the
 * service accepts one, and is canceled. Its new share is encrypted to a key that nobody has. If another client submits a share to the probe, the probe is
 * canceled without a result.
 */
export async function probe<T extends ProbedSet>(operation: Operation, attempt: Attempt, sets: readonly T[]): Promise<T | undefined> {
  const { key, fingerprint } = attempt.probe;
  const parameters = { shares: 1, threshold: 1, pgpKeys: [key], fingerprints: [fingerprint], backup: false, verification: true };
  log(operation, "testing with a probe which shares are valid");
  try {
    await startAttempt(operation, parameters);
  } catch (error) {
    throw isReplyLost(error) ? probeDisturbed("the start of the probe got no response") : error;
  }
  const status = await getStatus(operation);
  const { nonce, required } = status;
  // On a service that drops the verification, the last share of the probe would replace all keys.
  if (!status.started || !matches(status, parameters))
    throw probeDisturbed("the probe is gone, or its parameters are not the requested ones");
  const { accepted, untested } = await firstAccepted(operation, status, sets).catch(async (error) => {
    await cancelIfCurrent(operation, nonce).catch(() => {});
    throw error;
  });
  await cancelIfCurrent(operation, nonce);
  return untested.some((set) => isComplete(set, required)) ? probe(operation, attempt, untested) : accepted;
}

/** Another client may have ended the probe and started an attempt, which a cancel without a nonce would end. A probe that stays is canceled by a later run. */
async function cancelIfCurrent(operation: Operation, nonce: string): Promise<void> {
  if ((await getStatus(operation)).nonce === nonce) await cancelAttempt(operation, nonce);
}

/** Submits one set after the other. OpenBao keeps shares that it cannot combine: with them in it, the probe tests no other set. */
async function firstAccepted<T extends ProbedSet>(
  operation: Operation,
  { nonce, required }: RekeyStatus,
  sets: readonly T[],
): Promise<{ accepted?: T; untested: readonly T[] }> {
  for (const [index, set] of sets.entries()) {
    if (!isComplete(set, required)) continue;
    const verdict = await submitSet(operation, nonce, set.shares.slice(0, required), required);
    if (verdict === "accepted") return { accepted: set, untested: [] };
    if (verdict === "not combined") return { untested: sets.slice(index + 1) };
  }
  return { untested: [] };
}

/** True if enough shares of the set are at hand to open a service that asks for `required`. */
export const isComplete = ({ shares, threshold }: ProbedSet, required: number): boolean =>
  threshold === required && shares.length >= required;

async function submitSet(
  operation: Operation,
  nonce: string,
  shares: readonly Share[],
  required: number,
): Promise<"accepted" | "refused" | "not combined"> {
  for (const [submitted, share] of shares.entries()) {
    const assertUndisturbed = async (): Promise<true> => {
      const before = await getStatus(operation);
      if (before.nonce === nonce && !before.verification && before.progress === submitted) return true;
      throw probeDisturbed("another client changed the probe");
    };
    await assertUndisturbed();
    try {
      const send = (): ReturnType<typeof submitShare> =>
        submitShare(operation, { nonce, share: share.text }, { threshold: 1, fingerprints: [] });
      const { set, progress } = await retryAfter429(operation, send, assertUndisturbed);
      if (set) return "accepted";
      if (progress !== undefined && progress !== submitted + 1) throw probeDisturbed("another client submitted a share to the probe");
    } catch (error) {
      if (!(error instanceof StewardError) || error.code === "ERR_INCOMPLETE" || error.status === undefined || wasNotCounted(error))
        throw error;
      // Shares that do not fit are refused at the threshold, and only there; the count then restarts.
      const after = await getStatus(operation);
      const isJudged = after.nonce === nonce && !after.verification && submitted + 1 === required;
      if (isJudged && after.progress === 0) return "refused";
      if (isJudged && after.progress === required && [400, 500].includes(error.status)) return "not combined";
      throw error.status >= 500 ? probeDisturbed(error.details.reason) : error;
    }
  }
  throw probeDisturbed("the service requires more shares than it reported");
}

const probeDisturbed = (reason: string): StewardError =>
  stopped("probe-disturbed", `the probe could not test which shares are valid: ${reason}`, "Nothing was changed. Run `pulumi up` again.");
