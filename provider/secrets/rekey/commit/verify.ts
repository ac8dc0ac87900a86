import { StewardError } from "../../../contract/errors";
import { isInactiveNode } from "../../../http/failure";
import { dialectOf } from "../../client";
import * as api from "../protocol/api";
import { prove, Share } from "../protocol/crypto";
import { log } from "../protocol/operation";
import { describeStatus, Observed, observe } from "../protocol/server-state";
import { RekeyStatus } from "../protocol/status";
import { stopped, unfinished } from "../protocol/stops";
import { remember, SharesState } from "../submission/state";
import {
  CommitRun,
  candidateOf,
  digestOf,
  endRun,
  givenTo,
  isPlain,
  noteGiven,
  setOutcome,
  toConfirm,
  unknownOutcome,
  wholeSets,
} from "./run";

// New shares go straight to the server's verification, which counts them. The last one of the threshold commits.

type Verification = NonNullable<RekeyStatus["verification"]>;
/** `rejected`: the reason of the server. It has then discarded all shares. */
type Verdict = "complete" | "counted" | { rejected: string };

/** Sends the new shares of this run. */
export async function verify(run: CommitRun, { status }: Observed): Promise<SharesState> {
  const { progress } = status.verification as Verification;
  if (isPlain(run)) await proveLocally(run);
  const sets = await wholeSets(run);
  let verdict: Verdict = { rejected: "" };
  // With a whole threshold, this run needs no other holder: a wrong share beside it is left out.
  if (sets.length === 0 || (progress > 0 && !isPlain(run))) verdict = await sendAll(run, run.shares);
  for (const set of sets) {
    if (typeof verdict === "string") break;
    await restart(run);
    verdict = await sendAll(run, set);
  }
  if (verdict === "complete") return committed(run);
  if (verdict === "counted") return waitForOthers(run);
  const { service } = run.operation.server.words;
  const reason = `${service} rejected the ${candidateOf(run).threshold} new shares together (${verdict.rejected}), so at least one is wrong, and it does not say which`;
  throw isPlain(run) ? notProven(run, reason) : unfinished(run, "new-shares-rejected", reason);
}

/** The server only checks a threshold, and the request that does so commits. */
async function proveLocally(run: CommitRun): Promise<void> {
  const { operation, shares } = run;
  const proof = await prove(shares, candidateOf(run).threshold);
  if (proof.proven === true) return log(operation, `all ${shares.length} new shares match: proven before the commit`);
  if (proof.proven === "unknown")
    return log(operation, `${proof.reason}: they cannot be proven locally, so only ${operation.server.words.service} checks them`);
  throw notProven(run, [proof.reason, ...proof.misfits.map(({ label }) => `${label} does not fit`)].join("; "));
}

const notProven = (run: CommitRun, reason: string): StewardError =>
  unfinished(
    run,
    "new-shares-not-proven",
    `${reason}; nothing is committed, and the attempt is still in progress`,
    isPlain(run) ? "Change triggers to cancel this attempt and start over." : "Correct newShares and run `pulumi up` again.",
  );

/** Shuts out a provider left over from an earlier run, which only knows the old nonce. */
async function restart(run: CommitRun): Promise<void> {
  const restarted = await api.restartVerification(run.operation, candidateOf(run).nonce).catch((error) => {
    if (error instanceof StewardError && error.status === 400) return undefined;
    throw error;
  });
  remember(run, { given: restarted && { nonce: restarted.nonce, digests: [] } });
  if (!restarted) throw unknownOutcome(run, "the attempt disappeared while the verification was restarted");
}

async function sendAll(run: CommitRun, shares: readonly Share[]): Promise<Verdict> {
  for (const share of shares) {
    const current = await currentVerification(run);
    await assertCount(run, current);
    if (givenTo(run, current.nonce).includes(digestOf(run, share))) continue;
    const verdict = await send(run, share, current);
    if (verdict !== "counted") return verdict;
    noteGiven(run, current.nonce, share);
  }
  return "counted";
}

/** The verification of this attempt, which must still have exactly the parameters of this rekey. */
async function currentVerification(run: CommitRun): Promise<Verification> {
  const { server, status } = await observe(run.operation, run.identity);
  if (server === "verifying") return status.verification as Verification;
  if (server === "none") throw unknownOutcome(run, "the attempt disappeared before the last new share was verified");
  throw disturbed(describeStatus(status));
}

const disturbed = (status: string): StewardError => stopped("verification-disturbed", `another client changed the attempt (${status})`);

/** Throws if the verification lost shares, or has more than it got from this rekey on a server that counts a repeated share twice. */
async function assertCount(run: CommitRun, { nonce, progress }: Verification): Promise<void> {
  const given = givenTo(run, nonce);
  const before = run.state.submission.given;
  const areGone = before !== undefined && (before.nonce !== nonce || progress < given.length);
  const hasOthers = !areGone && progress > given.length && (isPlain(run) || dialectOf(run.operation).countsRepeatedNewShares);
  if (!areGone && !hasOthers) return;
  if (isPlain(run)) throw disturbed(`${progress} new shares verified`);
  const { service } = run.operation.server.words;
  const reason = areGone
    ? "the new shares of earlier runs are gone: one was wrong, or another client restarted the verification"
    : `${service} has counted ${progress} new shares, and ${given.length} from this rekey: a holder verified one outside Pulumi, or a run was killed. The provider restarted the verification`;
  if (hasOthers) await restart(run);
  remember(run, { given: undefined });
  throw unfinished(run, "verification-restarted", reason);
}

async function send(run: CommitRun, share: Share, before: Verification, isRepeated = false): Promise<Verdict> {
  const { operation } = run;
  const isCurrent = async (): Promise<boolean> => {
    const now = await currentVerification(run);
    return now.nonce === before.nonce && now.progress === before.progress;
  };
  const request = (): Promise<boolean> => api.verifyShare(operation, { nonce: before.nonce, share: share.text });
  try {
    return (await api.retryAfter429(operation, request, isCurrent)) ? "complete" : "counted";
  } catch (error) {
    const verdict = await resolve(run, share, before, error);
    if (verdict !== "not counted") return verdict;
    if (isRepeated) throw error;
    return send(run, share, before, true);
  }
}

/** The verification shows what became of a share without a regular response. */
async function resolve(run: CommitRun, share: Share, before: Verification, error: unknown): Promise<Verdict | "not counted"> {
  if (!(error instanceof StewardError) || error.status === 429 || isInactiveNode(error)) throw error;
  const { service } = run.operation.server.words;
  if (api.isFailedCommit(error)) throw unknownOutcome(run, `${service} failed to commit the new shares (${error.details.reason})`);
  const { server, status } = await observe(run.operation, run.identity);
  if (server !== "verifying") throw unknownOutcome(run, "the attempt disappeared while a new share was being sent");
  const now = status.verification as Verification;
  // Another client restarted the verification before this share: the next run finds out which shares are gone.
  if (api.isOtherNonce(error)) throw disturbed("its verification was restarted");
  if (/already been provided/.test(error.details.reason)) return "counted";
  // Only a response shows whose share was counted: another holder may have verified one meanwhile. A repeat would count twice elsewhere.
  if (now.nonce === before.nonce && now.progress === before.progress + 1)
    return dialectOf(run.operation).countsRepeatedNewShares ? "counted" : "not counted";
  if (now.nonce !== before.nonce || now.progress < before.progress) return gone(run, error);
  const isVerdict = error.status === 400 || error.status === 500;
  if (!isVerdict) {
    if (api.isReplyLost(error) || (error.status ?? 0) >= 500) return "not counted";
    throw error;
  }
  if (before.progress + 1 >= candidateOf(run).threshold) return gone(run, error);
  throw notProven(run, `${service} rejected ${share.label} alone (${error.details.reason})`);
}

/** The server has discarded all shares. */
function gone(run: CommitRun, { details }: StewardError): Verdict {
  remember(run, { given: undefined });
  return { rejected: details.reason };
}

/** The set is valid if the status shows it: a proxy may respond with "complete". */
async function committed(run: CommitRun): Promise<SharesState> {
  const candidate = candidateOf(run);
  const { status } = await observe(run.operation, run.identity);
  if (status.nonce === candidate.nonce || status.required !== candidate.threshold)
    throw unknownOutcome(run, `${run.operation.server.words.service} reported completion, but its status does not show it`);
  return becomeLive(run);
}

export function becomeLive(run: CommitRun): SharesState {
  const { shares, encrypted, threshold } = candidateOf(run);
  setOutcome(run, "live");
  remember(run, { progress: { phase: "complete", count: threshold, required: threshold } });
  run.operation.record?.add("committed");
  log(run.operation, `the new shares are valid: ${shares.length + encrypted.length} of them, threshold ${threshold}`);
  return run.state;
}

async function waitForOthers(run: CommitRun): Promise<SharesState> {
  if (isPlain(run)) throw unknownOutcome(run, "the response to the last new share did not show the outcome");
  const { confirmed } = run.state.submission;
  const required = toConfirm(run);
  if (confirmed.length < required) return endRun(run, { phase: "confirming", count: confirmed.length, required }, run.supplied);
  const { progress } = await currentVerification(run);
  return endRun(run, { phase: "verifying", count: progress, required: candidateOf(run).threshold }, run.supplied);
}
