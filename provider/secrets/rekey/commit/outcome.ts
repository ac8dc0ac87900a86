import { StewardError } from "../../../contract/errors";
import { Attempt } from "../attempt/state";
import { availableShares } from "../inputs";
import { getBackup, removeBackup } from "../protocol/api";
import { keyOf, redacting, Share, ShareSet, shareDigest, shareOf } from "../protocol/crypto";
import { log, RekeyOperation } from "../protocol/operation";
import { firstAccepted } from "../protocol/probe";
import { Observed } from "../protocol/server-state";
import { stopped, unfinished } from "../protocol/stops";
import { CommitRun, CommitState, stateOf } from "./state";
import { finish } from "./verify";

/** Tests with a throw-away attempt if the candidate is valid. */
export async function resolveOutcome(run: CommitRun, { status: { required } }: Observed): Promise<CommitState> {
  const { operation, inputs, state, shares } = run;
  const { candidate, kept, attempt, excluded } = inputs.submission;
  const { shares: current } = availableShares(inputs.currentShares, "currentShares");
  // A refusal alone can have other causes: only an accepted previous set shows that the candidate is dead.
  const previous = [...(state.live ? [state.live] : []), ...kept].filter((set) => set.shares.length > 0);
  // Holders may bring new shares as currentShares. They are current ones if they were submitted as such, or combine to another key.
  const wereSubmitted = current.every((share) => excluded.includes(shareDigest(candidate.nonce, share)));
  const [currentKey, newKey] = [keyOf(current.slice(0, required)), keyOf(shares.slice(0, candidate.threshold))];
  const isCurrent = candidate.encrypted.length === 0 || wereSubmitted || (currentKey && newKey && !currentKey.equals(newKey));
  const sharesIn = (set: ShareSet): Share[] => set.shares.map((share) => shareOf(share, `a share of ${set.nonce}`));
  const others: ProbedSet[] = [
    ...(isCurrent ? [{ shares: current, threshold: required }] : []),
    ...previous.map((set) => ({ set, shares: sharesIn(set), threshold: set.threshold })),
  ];
  const guarded = redacting(operation, others);
  const newSet: ProbedSet = { shares, threshold: candidate.threshold };
  const isTestable = others.some((other) => isComplete(other, required));
  let accepted = await firstValid(guarded, attempt, [newSet, ...others]);
  // Holders claim that these are the candidate's shares. If the previous shares are valid as well, they are previous shares.
  const isClaimed = accepted === newSet && candidate.encrypted.length > 0;
  if (isClaimed && isTestable) accepted = (await firstValid(guarded, attempt, others)) ?? newSet;
  if (accepted === newSet) {
    log(operation, "the new shares are valid");
    const previousLive = isClaimed && state.live ? { previousLive: state.live } : {};
    run.state = { ...stateOf("live", candidate, []), ...previousLive };
    return finish(run);
  }
  if (!accepted)
    throw isTestable
      ? unfinished(
          run,
          "no-set-accepted",
          `neither the new shares nor the previous ones are valid: another client rekeyed ${operation.server.words.service}, or it stopped during the commit`,
        )
      : unfinished(
          run,
          "previous-shares-missing",
          `the new shares are not valid; the previous ones were not tested, since only ${isCurrent ? current.length : 0} of ${required} are available`,
        );
  // Show the valid set as the live one, if the state holds it.
  const holdsCurrent = (set: ShareSet): boolean =>
    current.every(({ bytes }) => set.shares.some((share) => shareOf(share, "").bytes.equals(bytes)));
  const stays = state.live && (state.live.encrypted.length > 0 || holdsCurrent(state.live)) ? state.live : undefined;
  return stopDead(run, accepted.set ?? stays);
}

/** Removes the backup of dead new shares, and stops. `live` is the valid set, if the state holds it. */
export async function stopDead(run: CommitRun, live: ShareSet | undefined): Promise<never> {
  const { operation } = run;
  const { hadBackup, candidate } = run.inputs.submission;
  run.state = stateOf("dead", live, []);
  if (hadBackup && (await getBackup(operation))?.nonce === candidate.nonce) {
    await removeBackup(operation, candidate.nonce);
    log(operation, `removed the backup of ${candidate.nonce}: its shares are dead`);
  }
  throw notCommitted(run);
}

export const notCommitted = (run: CommitRun): StewardError =>
  unfinished(
    run,
    "not-committed",
    `the rekey ${run.inputs.submission.candidate.nonce} was not committed: its new shares are dead, and the previous keys, if there are any, are still valid`,
  );

/** A set whose shares are available. */
interface ProbedSet {
  shares: Share[];
  threshold: number;
  /** The set in the state. Undefined for the new shares and for the current ones. */
  set?: ShareSet;
}

/** Tests which of these sets is valid, without changing any key. */
function firstValid(operation: RekeyOperation, { probe: key }: Attempt, sets: readonly ProbedSet[]): Promise<ProbedSet | undefined> {
  log(operation, "testing with a probe which shares are valid");
  return firstAccepted(operation, { key, disturbed: probeDisturbed }, sets, (set, required) =>
    isComplete(set, required) ? set.shares.slice(0, required) : undefined,
  );
}

/** True if enough shares of the set are available to unseal a service that requires `required`. */
const isComplete = ({ shares, threshold }: ProbedSet, required: number): boolean => threshold === required && shares.length >= required;

const probeDisturbed = (reason: string): StewardError =>
  stopped("probe-disturbed", `the probe could not test which shares are valid: ${reason}`);
