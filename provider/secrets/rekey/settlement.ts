import { StewardError } from "../../errors";
import { CommitState, Run, stateOf } from "./commit-run";
import { isComplete, probe, Tried } from "./probe";
import { getBackup, removeBackup, ShareSet } from "./server";
import { guarding, markOf, shareOf, sharesAtHand } from "./share";
import { tell, unfinished } from "./steps";
import { finish } from "./verification";

// An outcome that is not known is found out.

/** Finds out with a throw-away attempt whether the candidate opens the service, which asks for so many shares. @internal */
export async function settle(run: Run, required: number): Promise<CommitState> {
  const { connection, inputs, state, shares } = run;
  const { candidate, kept, attempt, currentShares } = inputs;
  const { shares: current } = sharesAtHand(currentShares, "currentShares");
  // Whoever holds the former set shows that the candidate is dead: a refusal alone could have other reasons.
  const former = [...(state.live ? [state.live] : []), ...kept].filter((set) => set.shares.length > 0);
  // Holders may bring the same shares as new ones and as current ones: these are former ones only where they were given as such.
  const isFormer = candidate.encrypted.length === 0 || current.every((share) => inputs.foreign.includes(markOf(candidate.nonce, share)));
  const others: (Tried & { set?: ShareSet })[] = [
    ...(isFormer ? [{ shares: current, threshold: required }] : []),
    ...former.map((set) => ({
      set,
      shares: set.shares.map((share) => shareOf(share, `a share of ${set.nonce}`)),
      threshold: set.threshold,
    })),
  ];
  const guarded = guarding(connection, others);
  const set: Tried & { set?: ShareSet } = { shares, threshold: candidate.threshold };
  let found = await probe(guarded, attempt, [set, ...others]);
  // That they are the candidate's is the holders' word. Where the former shares open the service as well, these were of the former ones.
  const isWord = found === set && candidate.encrypted.length > 0;
  if (isWord && others.some((other) => isComplete(other, required))) found = (await probe(guarded, attempt, others)) ?? set;
  if (found === set) {
    tell(connection, "the new shares open the service");
    const former = isWord && state.live ? { former: state.live } : {};
    run.state = { ...stateOf("live", candidate, []), ...former };
    return finish(run);
  }
  if (!found)
    throw unfinished(
      run,
      others.some((other) => isComplete(other, required))
        ? "neither the new shares nor the former ones open the service: somebody may have rekeyed it since"
        : `the new shares do not open the service; that the former ones do is not shown, since ${current.length} of ${required} of them are at hand`,
      "Everything is kept: run again with all the shares that open it as currentShares; or change triggers to begin anew, which finds it out as holders give theirs.",
    );
  // What opens the service is shown as the live set, if it is one that the state holds.
  const holdsCurrent = (known: ShareSet): boolean =>
    current.every(({ bytes }) => known.shares.some((share) => shareOf(share, "").bytes.equals(bytes)));
  const stays = state.live && (state.live.encrypted.length > 0 || holdsCurrent(state.live)) ? state.live : undefined;
  run.state = stateOf("dead", found.set ?? stays, []);
  await removeDeadBackup(run);
  throw deadAgain(run);
}

async function removeDeadBackup({ connection, inputs }: Run): Promise<void> {
  if (!inputs.hadBackup || (await getBackup(connection))?.nonce !== inputs.candidate.nonce) return;
  await removeBackup(connection, inputs.candidate.nonce);
  tell(connection, `removed the backup of ${inputs.candidate.nonce}: its shares are dead`);
}

/** @internal */
export const deadAgain = (run: Run): StewardError =>
  unfinished(
    run,
    `the rekey ${run.inputs.candidate.nonce} was not committed: its new shares are dead, and the former ones still open the service`,
    "Change triggers to begin anew.",
  );
