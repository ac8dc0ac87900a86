import { StewardError } from "../../errors";
import { CommitState, pause, Run, stateOf } from "./commit-run";
import { isComplete, probe, Tried } from "./probe";
import { getBackup, getStatus, removeBackup } from "./server";
import { formsOf, shareOf, sharesAtHand } from "./share";
import { tell } from "./steps";
import { finish } from "./verification";

// An outcome that is not known is found out.

/** Finds out with a throw-away attempt whether the candidate opens the service. @internal */
export async function settle(run: Run): Promise<CommitState> {
  const { connection, inputs, state, shares } = run;
  const { candidate, kept, attempt, currentShares } = inputs;
  const { shares: current } = sharesAtHand(currentShares, "currentShares");
  const { required } = await getStatus(connection);
  // Whoever holds the former set shows that the candidate is dead: a refusal alone could have other reasons.
  const former = [...(state.live ? [state.live] : []), ...kept].filter((set) => set.shares.length > 0);
  const others: Tried[] = [
    { shares: current, threshold: required },
    ...former.map((set) => ({ shares: set.shares.map((share) => shareOf(share, `a share of ${set.nonce}`)), threshold: set.threshold })),
  ];
  const guarded = { ...connection, secrets: [...connection.secrets, ...others.flatMap((other) => formsOf(other.shares))] };
  const set: Tried = { shares, threshold: candidate.threshold };
  let found = await probe(guarded, attempt, [set, ...others]);
  // That they are the candidate's is the holders' word. Where the former shares open the service as well, these were of the former ones.
  const isWord = found === set && candidate.encrypted.length > 0;
  if (isWord && others.some((other) => isComplete(other, required))) found = (await probe(guarded, attempt, others)) ?? set;
  if (found === set) {
    tell("the new shares open the service");
    const former = isWord && state.live ? { former: state.live } : {};
    run.state = { ...stateOf("live", candidate, []), ...former };
    return finish(run);
  }
  if (!found)
    throw pause(
      run,
      others.some((other) => isComplete(other, required))
        ? "neither the new shares nor the former ones open the service: somebody may have rekeyed it since"
        : `the new shares do not open the service; that the former ones do is not shown, since ${current.length} of ${required} of them are at hand`,
      "Everything is kept: run again with all the shares that open it as currentShares; or change triggers to begin anew, which finds it out as holders give theirs.",
    );
  run.state = stateOf("dead", state.live, []);
  await removeDeadBackup(run);
  throw deadAgain(run);
}

async function removeDeadBackup({ connection, inputs }: Run): Promise<void> {
  if (!inputs.hadBackup || (await getBackup(connection))?.nonce !== inputs.candidate.nonce) return;
  await removeBackup(connection);
  tell(`removed the backup of ${inputs.candidate.nonce}: its shares are dead`);
}

/** @internal */
export const deadAgain = (run: Run): StewardError =>
  pause(
    run,
    `the rekey ${run.inputs.candidate.nonce} was not committed: its new shares are dead, and the former ones still open the service`,
    "Change triggers to begin anew.",
  );
