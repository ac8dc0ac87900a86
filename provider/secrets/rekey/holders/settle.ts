import { StewardError } from "../../../contract/errors";
import { cancelOwnAttempt } from "../attempt/cancel";
import { availableShares } from "../inputs";
import { getBackup, RekeyStatus, removeBackup, wasNotCounted } from "../protocol/api";
import { redacting, shareDigest, sharesIn } from "../protocol/crypto";
import { commandFor, log } from "../protocol/operation";
import {
  cancelIfCurrent,
  firstValid,
  isComplete,
  Probe,
  ProbedSet,
  probeDisturbed,
  probeParameters,
  startProbe,
  submitSet,
} from "../protocol/probe";
import { Observed } from "../protocol/server-state";
import { unfinished } from "../protocol/stops";
import { remember, SharesRun, SharesState } from "../submission/state";
import { candidateOf, digestOf, endRun, givenTo, HolderRun, setOutcome, wholeSets } from "./run";
import { becomeLive } from "./verify";

// It is unknown whether the new shares are live. A probe takes them as current shares, and changes nothing.

/** With a whole threshold, this run settles the outcome. With fewer shares, the probe stays until the next holder's run. */
export async function settle(run: HolderRun, { server, status }: Observed): Promise<SharesState | undefined> {
  if (run.shares.length < candidateOf(run).threshold) return addToProbe(run, server === "probe" ? status : undefined);
  if (server !== "probe") return settleAtOnce(run, status);
  await cancelOwnAttempt(run.operation, status);
  remember(run, { given: undefined });
  return undefined;
}

/** Gives the shares of this run to the probe. Only its own counting gives a verdict: other clients may submit shares of another set to the attempt in progress. */
async function addToProbe(run: HolderRun, status: RekeyStatus | undefined): Promise<SharesState> {
  const candidate = candidateOf(run);
  if (run.shares.length === 0) return waitForProbe(run, status?.progress, 0);
  const probe = await probeFor(run, status);
  const given = givenTo(run, probe.nonce);
  const end = async (): Promise<void> => {
    await cancelIfCurrent(probe);
    remember(run, { given: undefined });
  };
  if (probe.required !== candidate.threshold) {
    await end();
    throw notAccepted(run, `the server requires ${probe.required} shares, and the new ones have a threshold of ${candidate.threshold}`);
  }
  remember(run, { given: { nonce: probe.nonce, digests: given } });
  for (const share of run.shares) {
    const digest = digestOf(candidate, share);
    const digests = givenTo(run, probe.nonce);
    if (digests.includes(digest)) continue;
    const verdict = await submitSet(probe, [share], digests.length).catch(async (error) => {
      const isDisturbed = error.details?.rule === "rekey/probe-disturbed";
      if (!(error instanceof StewardError) || (!isDisturbed && wasNotCounted(error))) throw error;
      await end();
      throw isDisturbed ? error : probeDisturbed(error.details.reason);
    });
    if (verdict === "counted") {
      remember(run, { given: { nonce: probe.nonce, digests: [...digests, digest] } });
      continue;
    }
    await end();
    if (verdict === "accepted") return acceptedAsBrought(run);
    throw notAccepted(run, "the server refused the new shares that were brought as current ones");
  }
  return waitForProbe(run, givenTo(run, probe.nonce).length, run.supplied);
}

async function probeFor({ operation, inputs }: HolderRun, status: RekeyStatus | undefined): Promise<Probe> {
  const { probe: key } = inputs.attempt;
  if (!status) return startProbe(operation, { key, disturbed: probeDisturbed });
  return { operation, parameters: probeParameters(key), nonce: status.nonce, required: status.required, disturbed: probeDisturbed };
}

/** `count`: the shares of the probe in progress. */
function waitForProbe(run: HolderRun, count: number | undefined, accepted: number): SharesState {
  const { operation, inputs } = run;
  const { threshold } = candidateOf(run);
  const cancel = `a probe for the key ${inputs.attempt.probe.fingerprint} is in progress, and blocks other rekeys. \`${commandFor(operation, "cancel")}\` cancels it`;
  return endRun(run, { phase: "testing", count: count ?? 0, required: threshold }, accepted, count === undefined ? [] : [cancel]);
}

function acceptedAsBrought(run: HolderRun): SharesState {
  remember(run, { isClaimed: true });
  log(
    run.operation,
    "the server accepted the shares that holders brought as new ones: keep the previous ones until a drill has tested these",
  );
  return becomeLive(run);
}

/** Tests all shares of this run, and the previous ones. */
async function settleAtOnce(run: HolderRun, { required }: RekeyStatus): Promise<SharesState> {
  const { operation, inputs } = run;
  const { kept, excluded } = run.state.submission;
  const candidate = candidateOf(run);
  const { shares: current } = availableShares(inputs.currentShares, "currentShares");
  // Holders may bring new shares as currentShares, and wrong ones beside them. Those tested have one that was submitted as a current one.
  const isCurrent = current.slice(0, required).some((share) => excluded.includes(shareDigest(candidate.nonce, share)));
  const plain = kept.filter((set) => set.shares.length > 0);
  const others: ProbedSet[] = [
    ...(isCurrent ? [{ shares: current, threshold: required }] : []),
    ...plain.map((set) => ({ set, shares: sharesIn(set), threshold: set.threshold })),
  ];
  const guarded = redacting(operation, others);
  const newSets: ProbedSet[] = (await wholeSets(run)).map((set) => ({ shares: set, threshold: candidate.threshold }));
  const { probe } = inputs.attempt;
  const first = await firstValid(guarded, probe, [...newSets, ...others]);
  const isNew = first !== undefined && newSets.includes(first);
  // If other shares are valid as well, the holders brought previous shares.
  const isTestable = others.some((other) => isComplete(other, required));
  const accepted = (isNew && isTestable && (await firstValid(guarded, probe, others))) || first;
  if (!accepted) throw notAccepted(run, "the server refused each threshold of the new shares that were brought as current ones");
  if (accepted === first && isNew) return acceptedAsBrought(run);
  await removeDead(run);
  throw notCommitted(run);
}

/** Proves nothing: a holder may have brought a wrong share. */
function notAccepted(run: HolderRun, reason: string): StewardError {
  setOutcome(run, "not accepted");
  return unfinished(run, "not-accepted", `${reason}. This does not show which shares are live: keep both`);
}

/** Removes the backup of new shares that are known to be dead. */
export async function removeDead(run: HolderRun): Promise<void> {
  const { operation } = run;
  const { nonce } = candidateOf(run);
  setOutcome(run, "dead");
  if (!run.state.submission.hadBackup || (await getBackup(operation))?.nonce !== nonce) return;
  await removeBackup(operation, nonce);
  log(operation, `removed the backup of ${nonce}: its shares are dead`);
}

export const notCommitted = (run: SharesRun): StewardError =>
  unfinished(
    run,
    "not-committed",
    `the rekey ${candidateOf(run).nonce} was not committed: its new shares are dead, and the previous keys, if there are any, are still valid`,
    "Run `pulumi up` with a current share: the rekey starts anew.",
  );
