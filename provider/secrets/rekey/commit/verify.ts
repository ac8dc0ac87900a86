import { StewardError } from "../../../contract/errors";
import { isInactiveNode } from "../../../http/failure";
import { cancelOwnAttempt } from "../attempt/cancel";
import * as api from "../protocol/api";
import { prove, Share } from "../protocol/crypto";
import { log } from "../protocol/operation";
import { describeStatus, observe } from "../protocol/server-state";
import { stopped, unfinished } from "../protocol/stops";
import { recordLive } from "../submission/outcome";
import { CommitRun, CommitState, stateOf } from "./state";

// Proves the new shares and verifies them. The last one commits.

export async function proveAndVerify(run: CommitRun): Promise<CommitState> {
  const { operation, identity, shares, candidate } = run;
  const { threshold, nonce } = candidate;
  // A provider left over from an earlier run only knows the old nonce.
  const verification = await api.restartVerification(operation, nonce).catch((error) => {
    if (error instanceof StewardError && error.status === 400) return undefined;
    throw error;
  });
  if (!verification) throw unknownOutcome(run, "the attempt disappeared while the provider restarted its verification");
  await proveLocally(run);
  for (const [index, share] of shares.slice(0, threshold).entries()) {
    const assertVerifying = async (): Promise<true> => {
      const { server, status } = await observe(operation, identity);
      if (server === "none")
        throw unknownOutcome(run, `the attempt disappeared before ${operation.server.words.service} confirmed the last new share`);
      if (server === "verifying" && status.verification?.nonce === verification.nonce && status.verification.progress === index)
        return true;
      throw stopped(
        "verification-disturbed",
        `another client changed the verification of the attempt ${nonce} (${describeStatus(status)})`,
      );
    };
    await assertVerifying();
    const send = (): Promise<boolean> =>
      api.verifyShare(operation, { nonce: verification.nonce, share: share.text }).catch(async (error) => {
        throw await explainVerify(run, share, error);
      });
    const done = await api.retryAfter429(operation, send, assertVerifying);
    if (done && index === threshold - 1) return committed(run);
    if (done)
      throw unknownOutcome(run, `${operation.server.words.service} reported completion after ${index + 1} of ${threshold} new shares`);
    log(operation, `${index + 1} of ${threshold} new shares verified`);
  }
  throw unknownOutcome(run, "the response to the last new share did not show the outcome");
}

async function proveLocally(run: CommitRun): Promise<void> {
  const { operation, shares, candidate } = run;
  const proof = await prove(shares, candidate.threshold);
  if (proof.proven === true) return log(operation, `all ${shares.length} new shares match: proven before the commit`);
  if (proof.proven === "unknown")
    return log(operation, `${proof.reason}: they cannot be proven locally, so only ${operation.server.words.service} checks them`);
  const misfits = proof.misfits.map(({ label }) => label);
  const wrong = misfits.length > 0 ? `: ${misfits.join(", ")} ${misfits.length === 1 ? "does" : "do"} not fit` : "";
  throw notProven(run, `${proof.reason}${wrong}`);
}

/** The new shares are wrong. */
const notProven = (run: CommitRun, reason: string): StewardError =>
  unfinished(
    run,
    "new-shares-not-proven",
    `${reason}; nothing is committed, and the attempt is still in progress`,
    "Change triggers to cancel this attempt and start over.",
  );

/** Finds out if a new share has committed despite its error response. */
async function explainVerify(run: CommitRun, share: Share, error: unknown): Promise<unknown> {
  if (!(error instanceof StewardError) || error.status === 429 || isInactiveNode(error)) return error;
  const { service } = run.operation.server.words;
  // Vault answers 500 to shares that cannot be combined. Another 5xx may come from a proxy, behind which the request continues.
  const isVerdict = error.status === 400 || error.status === 500;
  if (api.isFailedCommit(error)) return unknownOutcome(run, `${service} failed to commit the new shares (${error.details.reason})`);
  if (!isVerdict && (api.isReplyLost(error) || (error.status !== undefined && error.status >= 500)))
    return unknownOutcome(run, `${service} did not respond to a new share (${error.details.reason})`);
  const { server } = await observe(run.operation, run.identity);
  if (server !== "verifying") return unknownOutcome(run, "the attempt disappeared while a new share was being sent");
  if (!isVerdict) return error;
  return notProven(run, `${service} rejected the new shares when it received ${share.label} (${error.details.reason})`);
}

/** Makes the candidate the live set. */
async function committed(run: CommitRun): Promise<CommitState> {
  const { operation, identity, candidate } = run;
  // A proxy may respond with "complete". After a commit, the attempt is gone, and the server requires the new threshold.
  const { status } = await observe(operation, identity);
  if (status.nonce === candidate.nonce || status.required !== candidate.threshold)
    throw unknownOutcome(run, `${operation.server.words.service} reported completion, but its status does not show it`);
  run.state = stateOf("live", candidate, run.inputs.submission);
  recordLive(operation);
  log(operation, `the new shares are live: ${identity.parameters.shares} of them, threshold ${identity.parameters.threshold}`);
  return finish(run);
}

/** Cleans up after the set is live, which an error of the cleanup must not hide. */
export async function finish(run: CommitRun): Promise<CommitState> {
  const { operation, inputs, identity, state, candidate } = run;
  const { nonces, hadBackup, isClaimed } = inputs.submission;
  try {
    const observed = await observe(operation, { ...identity, nonce: undefined });
    if (observed.server === "probe" || observed.server === "abandoned") await cancelOwnAttempt(operation, observed.status);
    const backup = hadBackup ? await api.getBackup(operation) : undefined;
    // The backup of an earlier attempt of this rekey contains dead shares, unless only a claim makes the new ones live.
    if (backup && (backup.nonce === candidate.nonce ? inputs.removeBackup : nonces.includes(backup.nonce) && !isClaimed)) {
      await api.removeBackup(operation, backup.nonce);
      log(operation, `removed the backup of ${backup.nonce}`);
    }
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    const reason = `the new shares are live and saved, but the cleanup failed: ${error.details.reason}`;
    const hint = `${error.details.hint ?? ""} Run \`pulumi up\` again to finish it.`.trim();
    throw unfinished(run, "cleanup-failed", reason, hint, error.details);
  }
  return state;
}

/** The status is the same after a commit, a seal, a failover and a cancel. Nothing starts before the next run has tested the shares. */
export function unknownOutcome(run: CommitRun, reason: string): StewardError {
  run.state = stateOf("unknown", run.state.live, run.inputs.submission);
  return unfinished(
    run,
    "outcome-unknown",
    `${reason}: it is not yet known whether the new shares are live. Keep the previous shares. The state keeps the new ones`,
    "Run `pulumi up` again: it tests which of them are valid.",
  );
}
