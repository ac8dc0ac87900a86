import { StewardError } from "../../../contract/errors";
import { cancelOwnAttempt } from "../attempt/cancel";
import { availableShares } from "../inputs";
import { getBackup, removeBackup, wasNotCounted } from "../protocol/api";
import { redacting, shareOf, sharesIn } from "../protocol/crypto";
import { commandFor, log } from "../protocol/operation";
import { cancelIfCurrent, firstValid, isComplete, ProbedSet, probeDisturbed, probeIn, startProbe, submitSet } from "../protocol/probe";
import { Observed } from "../protocol/server-state";
import { RekeyStatus } from "../protocol/status";
import { unfinished } from "../protocol/stops";
import { remember, SharesState } from "../submission/state";
import { CommitRun, candidateOf, digestOf, endRun, givenTo, isPlain, noteGiven, setOutcome, wholeSets } from "./run";
import { becomeLive } from "./verify";

// It is unknown whether the new shares are valid. A probe takes them as current shares, and changes nothing.

/** With a whole threshold, this run settles the outcome. With fewer shares, the probe stays until the next holder's run. */
export async function settle(run: CommitRun, { server, status }: Observed): Promise<SharesState | undefined> {
  if (run.shares.length < candidateOf(run).threshold) return addToProbe(run, server === "probe" ? status : undefined);
  if (server !== "probe") return settleAtOnce(run, status);
  await cancelOwnAttempt(run.operation, status);
  remember(run, { given: undefined });
  return undefined;
}

/** Gives the shares of this run to the probe. Only its own counting gives a verdict: other clients may submit shares of another set to the attempt in progress. */
async function addToProbe(run: CommitRun, status: RekeyStatus | undefined): Promise<SharesState> {
  const candidate = candidateOf(run);
  if (run.shares.length === 0) return waitForProbe(run, status?.progress, 0);
  const { probe: key } = run.inputs.attempt;
  const probe = status ? probeIn(run.operation, key, status) : await startProbe(run.operation, key);
  const end = async (): Promise<void> => {
    await cancelIfCurrent(probe);
    remember(run, { given: undefined });
  };
  if (probe.required !== candidate.threshold) {
    await end();
    throw notAccepted(run, `the server requires ${probe.required} shares, and the new ones have a threshold of ${candidate.threshold}`);
  }
  remember(run, { given: { nonce: probe.nonce, digests: givenTo(run, probe.nonce) } });
  for (const share of run.shares) {
    const given = givenTo(run, probe.nonce);
    if (given.includes(digestOf(run, share))) continue;
    const verdict = await submitSet(probe, [share], given.length).catch(async (error) => {
      const isDisturbed = error.details?.rule === "rekey/probe-disturbed";
      if (!(error instanceof StewardError) || (!isDisturbed && wasNotCounted(error))) throw error;
      await end();
      throw isDisturbed ? error : probeDisturbed(error.details.reason);
    });
    if (verdict === "counted") {
      noteGiven(run, probe.nonce, share);
      continue;
    }
    await end();
    if (verdict === "accepted") return acceptedAsBrought(run);
    throw notAccepted(run, "the server rejected the new shares");
  }
  return waitForProbe(run, givenTo(run, probe.nonce).length, run.supplied);
}

/** `count`: the shares of the probe in progress. */
function waitForProbe(run: CommitRun, count: number | undefined, accepted: number): SharesState {
  const { operation, inputs } = run;
  const { threshold } = candidateOf(run);
  const cancel = `a probe for the key ${inputs.attempt.probe.fingerprint} is in progress, and blocks other rekeys. \`${commandFor(operation, "cancel")}\` cancels it`;
  return endRun(run, { phase: "testing", count: count ?? 0, required: threshold }, accepted, count === undefined ? [] : [cancel]);
}

const noteTested = ({ operation }: CommitRun, detail: string): void => operation.record?.add("tested", { detail });

function acceptedAsBrought(run: CommitRun): SharesState {
  remember(run, { isClaimed: true });
  noteTested(run, "The server accepted the shares that holders brought as new ones.");
  log(
    run.operation,
    "the server accepted the shares that holders brought as new ones: keep the previous ones until a drill has tested these",
  );
  return becomeLive(run);
}

/** Tests all shares of this run, and the previous ones. */
async function settleAtOnce(run: CommitRun, { required }: RekeyStatus): Promise<SharesState> {
  const { operation, inputs, live } = run;
  const { kept, excluded } = run.state.submission;
  const candidate = candidateOf(run);
  const { shares: current } = availableShares(inputs, "currentShares");
  // Holders may bring new shares as currentShares, and wrong ones beside them. Those tested have one that was submitted as a current one.
  const isCurrent = isPlain(run) || current.slice(0, required).some((share) => excluded.includes(digestOf(run, share)));
  const previous = [...(live ? [live] : []), ...kept].filter((set) => set.shares.length > 0);
  const others: ProbedSet[] = [
    ...(isCurrent ? [{ shares: current, threshold: required }] : []),
    ...previous.map((set) => ({ set, shares: sharesIn(set), threshold: set.threshold })),
  ];
  const guarded = redacting(operation, others);
  const newSets: ProbedSet[] = (await wholeSets(run)).map((set) => ({ shares: set, threshold: candidate.threshold }));
  const { probe } = inputs.attempt;
  const first = await firstValid(guarded, probe, [...newSets, ...others]);
  const isNew = first !== undefined && newSets.includes(first);
  if (isNew && isPlain(run)) {
    noteTested(run, "The server accepted the new shares.");
    return becomeLive(run);
  }
  // If other shares are valid as well, the holders brought previous shares.
  const isTestable = others.some((other) => isComplete(other, required));
  const accepted = (isNew && isTestable && (await firstValid(guarded, probe, others))) || first;
  if (!accepted) throw noneAccepted(run, isTestable, `${current.length} of ${required}`);
  if (accepted === first && isNew) return acceptedAsBrought(run);
  // Show the accepted set as the valid one, if the state holds it.
  const isLive = current.every(({ bytes }) => live?.shares.some((share) => shareOf(share, "").bytes.equals(bytes)));
  run.live = accepted.set ?? (isLive || live?.encrypted.length ? live : undefined);
  return stopDead(run);
}

/** A refusal alone can have other causes: only an accepted previous set shows that the new one is invalid. */
function noneAccepted(run: CommitRun, isTested: boolean, available: string): StewardError {
  if (!isPlain(run)) return notAccepted(run, "the server rejected every threshold of the new shares");
  const { service } = run.operation.server.words;
  return isTested
    ? unfinished(
        run,
        "no-set-accepted",
        `neither the new shares nor the previous ones are valid: another client rekeyed ${service}, or it stopped during the commit`,
      )
    : unfinished(
        run,
        "previous-shares-missing",
        `the new shares are not valid; the previous ones were not tested, since only ${available} are available`,
      );
}

/** Proves nothing: a holder may have brought a wrong share. */
function notAccepted(run: CommitRun, reason: string): StewardError {
  setOutcome(run, "not accepted");
  noteTested(run, "The server did not accept the shares that holders brought as new ones, which proves nothing.");
  return unfinished(run, "not-accepted", `${reason}. Keep both sets: this does not show which is valid`);
}

/** Removes the backup of new shares that are known to be invalid. */
export async function stopDead(run: CommitRun): Promise<never> {
  const { operation } = run;
  const { nonce } = candidateOf(run);
  setOutcome(run, "dead");
  noteTested(run, "The new shares are not valid, and will never be.");
  if (run.state.submission.hadBackup && (await getBackup(operation))?.nonce === nonce) {
    await removeBackup(operation, nonce);
    log(operation, `removed the backup of ${nonce}: its shares are invalid`);
  }
  throw notCommitted(run);
}

export const notCommitted = (run: CommitRun): StewardError =>
  unfinished(
    run,
    "not-committed",
    `the rekey ${candidateOf(run).nonce} was not committed: its new shares are invalid, and the previous keys, if there are any, are still valid`,
    isPlain(run) ? "Change triggers to start over." : "Run `pulumi up` with a current share: the rekey starts anew.",
  );
