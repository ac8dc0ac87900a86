import { StewardError } from "../../../contract/errors";
import { availableShares } from "../inputs";
import { redacting, ShareSet, shareOf, sharesIn } from "../protocol/crypto";
import { log } from "../protocol/operation";
import { firstValid, isComplete, ProbedSet } from "../protocol/probe";
import { Observed } from "../protocol/server-state";
import { unfinished } from "../protocol/stops";
import { CommitRun, CommitState, stateOf } from "./state";
import { finish } from "./verify";

/** Tests with a throw-away attempt if the new shares, which the state has, are valid. */
export async function resolveOutcome(run: CommitRun, { status: { required } }: Observed): Promise<CommitState> {
  const { operation, inputs, state, shares, candidate } = run;
  const { kept, attempt } = inputs.submission;
  const { shares: current } = availableShares(inputs.currentShares, "currentShares");
  // A refusal alone can have other causes: only an accepted previous set shows that the candidate is dead.
  const previous = [...(state.live ? [state.live] : []), ...kept].filter((set) => set.shares.length > 0);
  const others: ProbedSet[] = [
    { shares: current, threshold: required },
    ...previous.map((set) => ({ set, shares: sharesIn(set), threshold: set.threshold })),
  ];
  const newSet: ProbedSet = { shares, threshold: candidate.threshold };
  const accepted = await firstValid(redacting(operation, others), attempt.probe, [newSet, ...others]);
  if (accepted === newSet) {
    log(operation, "the new shares are valid");
    run.state = stateOf("live", candidate, inputs.submission);
    return finish(run);
  }
  if (!accepted)
    throw noneAccepted(run, others.some((other) => isComplete(other, required)) ? undefined : `${current.length} of ${required}`);
  // Show the valid set as the live one, if the state holds it.
  const holdsCurrent = (set: ShareSet): boolean =>
    current.every(({ bytes }) => set.shares.some((share) => shareOf(share, "").bytes.equals(bytes)));
  const stays = state.live && (state.live.encrypted.length > 0 || holdsCurrent(state.live)) ? state.live : undefined;
  return stopDead(run, accepted.set ?? stays);
}

/** `available`: the current shares at hand, if they were too few for a test. */
function noneAccepted(run: CommitRun, available: string | undefined): StewardError {
  const { service } = run.operation.server.words;
  return available
    ? unfinished(
        run,
        "previous-shares-missing",
        `the new shares are not valid; the previous ones were not tested, since only ${available} are available`,
      )
    : unfinished(
        run,
        "no-set-accepted",
        `neither the new shares nor the previous ones are valid: another client rekeyed ${service}, or it stopped during the commit`,
      );
}

/** New shares that are dead have no backup, since they are not encrypted. `live`: the valid set, if the state holds it. */
export function stopDead(run: CommitRun, live: ShareSet | undefined): never {
  run.state = stateOf("dead", live, run.inputs.submission);
  throw notCommitted(run);
}

export const notCommitted = (run: CommitRun): StewardError =>
  unfinished(
    run,
    "not-committed",
    `the rekey ${run.candidate.nonce} was not committed: its new shares are dead, and the previous keys, if there are any, are still valid`,
    "Change triggers to start over.",
  );
