import { Connection } from "../../connection";
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
import { redacting, Share, shareDigest, shareOf } from "./crypto";
import { sharesAtHand } from "./inputs";
import { log } from "./protocol";
import { Attempt, CommitRun, CommitState, matches, ShareSet, stateOf } from "./states";
import { stopped, unfinished } from "./stops";
import { finish } from "./verify";

/** Finds out with a throw-away attempt whether the candidate opens the service, which asks for so many shares. @internal */
export async function resolveOutcome(run: CommitRun, required: number): Promise<CommitState> {
  const { connection, inputs, state, shares } = run;
  const { candidate, kept, attempt, excluded } = inputs.submission;
  const { shares: current } = sharesAtHand(inputs.currentShares, "currentShares");
  // A refusal alone can have other causes: only an accepted former set shows that the candidate is dead.
  const former = [...(state.live ? [state.live] : []), ...kept].filter((set) => set.shares.length > 0);
  // Holders may bring the same shares as new ones and as current ones: these are former ones only where they were given as such.
  const isFormer = candidate.encrypted.length === 0 || current.every((share) => excluded.includes(shareDigest(candidate.nonce, share)));
  const others: (Tried & { set?: ShareSet })[] = [
    ...(isFormer ? [{ shares: current, threshold: required }] : []),
    ...former.map((set) => ({
      set,
      shares: set.shares.map((share) => shareOf(share, `a share of ${set.nonce}`)),
      threshold: set.threshold,
    })),
  ];
  const guarded = redacting(connection, others);
  const set: Tried & { set?: ShareSet } = { shares, threshold: candidate.threshold };
  let found = await probe(guarded, attempt, [set, ...others]);
  // Holders claim that these are the candidate's shares. Where former shares open the service as well, they are former shares.
  const isWord = found === set && candidate.encrypted.length > 0;
  if (isWord && others.some((other) => isComplete(other, required))) found = (await probe(guarded, attempt, others)) ?? set;
  if (found === set) {
    log(connection, "the new shares open the service");
    const former = isWord && state.live ? { former: state.live } : {};
    run.state = { ...stateOf("live", candidate, []), ...former };
    return finish(run);
  }
  const isShown = others.some((other) => isComplete(other, required));
  if (!found)
    throw unfinished(
      run,
      isShown ? "no-set-accepted" : "former-shares-missing",
      isShown
        ? "neither the new shares nor the former ones open the service: somebody may have rekeyed it since"
        : `the new shares do not open the service; that the former ones do is not shown, since ${current.length} of ${required} of them are at hand`,
      "Everything is kept: run again with all the shares that open it as currentShares; or change triggers to begin anew, which finds it out as holders give theirs.",
    );
  // Show the set that opens the service as the live one, if the state holds it.
  const holdsCurrent = (known: ShareSet): boolean =>
    current.every(({ bytes }) => known.shares.some((share) => shareOf(share, "").bytes.equals(bytes)));
  const stays = state.live && (state.live.encrypted.length > 0 || holdsCurrent(state.live)) ? state.live : undefined;
  run.state = stateOf("dead", found.set ?? stays, []);
  await removeDeadBackup(run);
  throw notCommitted(run);
}

async function removeDeadBackup({ connection, inputs }: CommitRun): Promise<void> {
  const { hadBackup, candidate } = inputs.submission;
  if (!hadBackup || (await getBackup(connection))?.nonce !== candidate.nonce) return;
  await removeBackup(connection, candidate.nonce);
  log(connection, `removed the backup of ${candidate.nonce}: its shares are dead`);
}

/** @internal */
export const notCommitted = (run: CommitRun): StewardError =>
  unfinished(
    run,
    "not-committed",
    `the rekey ${run.inputs.submission.candidate.nonce} was not committed: its new shares are dead, and the former ones still open the service`,
    "Change triggers to begin anew.",
  );

/** A set whose shares are at hand. @internal */
export interface Tried {
  shares: Share[];
  threshold: number;
}

/**
 * Asks the service which of these sets opens it, without changing anything: a throw-away attempt takes the shares of each for the current ones, until one is
 * accepted, and is cancelled. What it would make is encrypted to a key that nobody has. A verdict needs clean counting: whenever somebody else's share is
 * mixed in, the probe is cancelled and nothing is said.
 * @internal
 */
export async function probe<T extends Tried>(
  connection: Connection,
  { probe: { key, fingerprint } }: Attempt,
  sets: readonly T[],
): Promise<T | undefined> {
  const parameters = { shares: 1, threshold: 1, pgpKeys: [key], fingerprints: [fingerprint], backup: false, verification: true };
  log(connection, "asking the service with a throw-away attempt which shares open it");
  try {
    await startAttempt(connection, parameters);
  } catch (error) {
    throw isReplyLost(error) ? again("the start of the probe was not answered") : error;
  }
  const status = await getStatus(connection);
  const { nonce, required } = status;
  // On a service that drops the verification, the last share of the probe would replace all keys.
  if (!status.started || !matches(status, parameters)) throw again("the probe is gone, or not what was asked for");
  try {
    for (const set of sets)
      if (isComplete(set, required) && (await opens(connection, nonce, set.shares.slice(0, required), required))) return set;
    return undefined;
  } finally {
    await cancelAttempt(connection, nonce);
  }
}

/** Whether so many shares of a set are at hand as open a service that asks for `required`. @internal */
export const isComplete = ({ shares, threshold }: Tried, required: number): boolean => threshold === required && shares.length >= required;

async function opens(connection: Connection, nonce: string, shares: readonly Share[], required: number): Promise<boolean> {
  for (const [given, share] of shares.entries()) {
    const isUntouched = async (): Promise<true> => {
      const before = await getStatus(connection);
      if (before.nonce === nonce && !before.verification && before.progress === given) return true;
      throw again("somebody else has touched the probe");
    };
    await isUntouched();
    try {
      const give = (): ReturnType<typeof submitShare> =>
        submitShare(connection, { nonce, share: share.text }, { threshold: 1, fingerprints: [] });
      const { set, progress } = await retryAfter429(connection, give, isUntouched);
      if (set) return true;
      if (progress !== undefined && progress !== given + 1) throw again("somebody else has given the probe a share");
    } catch (error) {
      if (!(error instanceof StewardError) || error.code === "ERR_INCOMPLETE" || error.status === undefined || wasNotCounted(error))
        throw error;
      // Shares that do not fit are refused at the threshold, and there alone; the count then begins anew.
      const after = await getStatus(connection);
      if (after.nonce === nonce && !after.verification && after.progress === 0 && given + 1 === required) return false;
      throw error.status >= 500 ? again(error.details.reason) : error;
    }
  }
  throw again("the service asks for more shares than it said");
}

const again = (reason: string): StewardError =>
  stopped(
    "probe-disturbed",
    `which shares open the service could not be found out: ${reason}`,
    "Nothing was changed: run `pulumi up` again.",
  );
