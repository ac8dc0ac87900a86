import { StewardError } from "../../../contract/errors";
import { pauseFor } from "../../../http";
import { isInactiveNode } from "../../../http/failure";
import { dialectOf } from "../../client";
import { cancelOwnAttempt } from "../attempt/cancel";
import { tampered } from "../attempt/conflict";
import { findForeignBackup, foreignBackup } from "../attempt/start";
import { availableShares } from "../inputs";
import * as api from "../protocol/api";
import { inspectKeys, redacting, Share, ShareSet, shareDigest, sharesIn } from "../protocol/crypto";
import { commandFor, log } from "../protocol/operation";
import { Observed, observe } from "../protocol/server-state";
import { RekeyStatus } from "../protocol/status";
import { lossCauses, unfinished } from "../protocol/stops";
import { remember, rememberNonce, SharesRun, SharesState } from "../submission/state";
import { waitForHolders } from "../submission/waiting";
import { receive, recover } from "./receive";
import { endAttempt, restart } from "./restart";
import { SubmissionRun, takeNextBatch } from "./run";

// The current shares are submitted, one by one, and the new ones received.

const pollEvery = 2000;

/** Submits the available shares, one by one, until the last one returns the new shares. Before each, the attempt is observed. */
export async function submit(started: SharesRun, first: Observed): Promise<SharesState> {
  const waitUntil = Date.now() + (started.inputs.waitSeconds ?? 0) * 1000;
  const run = begin(started, first.status.required);
  for (let observed = first; ; observed = await observe(run.operation, run.identity)) {
    const { server, status } = observed;
    if (server === "verifying") return recover(run, observed);
    if (server !== "collecting") throw attemptLost(run, observed);
    // OpenBao keeps shares that it cannot combine: with them in it, no attempt completes.
    if (status.required > 0 && status.progress >= status.required) return startOver(run, status);
    noteCount(run, status);
    const { shares, set } = run.batch;
    const waits = Date.now() < waitUntil;
    // The last submission returns the new shares: reserve the last share of this run until the others have been submitted.
    const isReservedForLast = waits && run.next === shares.length - 1 && status.progress < status.required - 1;
    const share = isReservedForLast ? undefined : shares[run.next];
    if (share) {
      const made = await submitOrSkip(run, share, status);
      if (made) return receive(run, made, share, status.required);
    } else if (waits && !set) {
      printWait(run);
      const pause = Math.max(0, Math.min(pollEvery, waitUntil - Date.now()));
      if (!(await pauseFor(run.operation, pause))) return sharesMissing(run, status);
    } else {
      // Shares of a different set would invalidate the shares that other holders submitted.
      if (status.progress > countOwn(run) || !takeNextBatch(run)) return sharesMissing(run, status);
      log(run.operation, "too few shares are available: trying those of an earlier rekey from the state");
    }
  }
}

/** Resolves all shares. */
function begin(started: SharesRun, required: number): SubmissionRun {
  const { inputs, state } = started;
  const { kept, refused } = state.submission;
  const { shares, missing } = availableShares(inputs, "currentShares");
  const { shares: priorShares } = availableShares(inputs, "newShares");
  const batch = { shares };
  // The kept sets that may be the current one: with the threshold that the server requires, in plaintext, and not yet rejected.
  const otherBatches = kept
    .filter((set) => set.threshold === required && set.shares.length > 0 && !refused.includes(set.nonce))
    .map((set) => ({ set, shares: sharesIn(set).slice(0, required) }));
  // The server may echo a share in any response from here on.
  const operation = redacting(started.operation, [batch, ...otherBatches]);
  const submittedBefore = shares.filter((share) => isSubmitted(started, share)).length;
  const done = { next: 0, submittedBefore, isRestarted: false, areGone: false, refusals: [], printedCount: 0, isWaitPrinted: false };
  return { ...started, operation, missing, priorShares, batch, otherBatches, ...done };
}

/** Prints the count of the server. A lower one means that it rejected all shares together with the last share of another holder. */
function noteCount(run: SubmissionRun, { progress, required }: RekeyStatus): void {
  if (progress !== run.printedCount) log(run.operation, `${progress} of ${required} current shares submitted`);
  run.printedCount = progress;
  if (progress >= run.state.submission.submitted.length) return;
  discarded(run);
  run.areGone = true;
  // They are submitted again once: a faulty service could discard them forever.
  if (!run.isRestarted) Object.assign(run, { isRestarted: run.next > 0, next: 0 });
}

/** The server has discarded all shares. */
function discarded(run: SubmissionRun): void {
  remember(run, { submitted: [] });
  Object.assign(run, { submittedBefore: 0, retried: undefined });
}

function printWait(run: SubmissionRun): void {
  const end = run.operation.run.engine.canceled
    ? "Ctrl-C stops the wait, and the attempt stays in progress"
    : "Pressing Ctrl-C once does not stop the wait. Pressing it twice stops it immediately and may leave the stack locked. Then ask all holders if their runs have ended, because a run that still waits would overwrite the state of a later one, and run `pulumi cancel --yes` and `pulumi up --refresh`";
  if (!run.isWaitPrinted) log(run.operation, `waiting up to ${run.inputs.waitSeconds} s for other holders to submit their shares. ${end}`);
  run.isWaitPrinted = true;
}

const digestOf = ({ identity }: SharesRun, share: Share): string => shareDigest(identity.nonce as string, share);

const isSubmitted = (run: SharesRun, share: Share): boolean => run.state.submission.submitted.includes(digestOf(run, share));

/** The number of shares of the batch that the server has counted since its count last restarted. */
const countOwn = (run: SubmissionRun): number => run.batch.shares.slice(0, run.next).filter((share) => isSubmitted(run, share)).length;

/** Submits a share. The last one returns the new shares. */
async function submitOrSkip(run: SubmissionRun, share: Share, status: RekeyStatus): Promise<ShareSet | undefined> {
  const { operation, identity } = run;
  // Vault rejects a repeated share without loss. A different server may count it twice.
  if (isSubmitted(run, share) && !dialectOf(operation).refusesRepeatedShares) return void run.next++;
  await protectBackup(run, status);
  let set: ShareSet | undefined;
  try {
    ({ set } = await api.submitShare(operation, { nonce: status.nonce, share: share.text }, identity.parameters));
  } catch (error) {
    return void (await resolveFailure(run, share, status, error));
  }
  rememberNonce(run, status.nonce);
  if (!set) countShare(run, share);
  return set;
}

function countShare(run: SubmissionRun, share: Share): void {
  if (!isSubmitted(run, share)) remember(run, { submitted: [...run.state.submission.submitted, digestOf(run, share)] });
  run.next++;
}

/** The server's count shows whether the share was counted despite the failure. */
async function resolveFailure(run: SubmissionRun, share: Share, before: RekeyStatus, error: unknown): Promise<void> {
  const { operation } = run;
  const { refusesRepeatedShares } = dialectOf(operation);
  if (!(error instanceof StewardError)) throw error;
  if (api.wasNotCounted(error)) return api.waitAfter429(operation, error);
  const hasResponse = error.status !== undefined && error.status >= 400;
  const { server, status } = await observe(operation, run.identity);
  if (server === "collecting") {
    if (status.progress === before.progress + 1) {
      rememberNonce(run, before.nonce);
      return countShare(run, share);
    }
    if (isInactiveNode(error) && refusesRepeatedShares) return api.waitAfter429(operation, error);
    if (status.progress === 0 && (before.progress > 0 || (before.required === 1 && hasResponse)))
      return afterAllRefused(run, error, before);
    if (error.status === 400) {
      // A share that this attempt has is rejected as a duplicate, so it counts.
      if (!isSubmitted(run, share)) run.refusals.push(`${share.label}: ${error.details.reason}`);
      return void run.next++;
    }
  }
  // The attempt has new shares, or it is gone: the next observation shows which.
  if (!status.started || status.verification) return;
  if (run.retried === share || !refusesRepeatedShares) return countUnknown(run, status, error);
  run.retried = share;
}

/** At the threshold, the server rejects all shares together, and restarts its count. */
async function afterAllRefused(run: SubmissionRun, error: StewardError, { required, nonce }: RekeyStatus): Promise<void> {
  const { operation } = run;
  const { submission } = run.state;
  const { reason } = error.details;
  const stays = `The attempt ${nonce} is still in progress, with 0 shares`;
  const { set } = run.batch;
  const isAlone = countOwn(run) + 1 >= required;
  discarded(run);
  if (api.isKeyRejected(error)) throw await keyRejected(run, reason);
  if (api.isUnchecked(error)) throw unfinished(run, "shares-not-checked", `${api.unchecked(operation, required, error)}. ${stays}`);
  // Shares of other holders were among them: the kept set may still be the current one.
  if (set && !isAlone) {
    run.next = 0;
    return;
  }
  if (set) remember(run, { refused: [...submission.refused, set.nonce] });
  if (takeNextBatch(run))
    return log(
      operation,
      `${operation.server.words.service} rejected the submitted shares: trying those of an earlier rekey from the state`,
    );
  throw unfinished(
    run,
    "shares-refused",
    `the ${required} shares submitted${isAlone ? "" : ", some of them by other holders,"} were rejected (${reason}). ${stays}`,
    `At least one is wrong, and all were discarded. ${isAlone ? "Correct currentShares and run `pulumi up` again." : "Each holder checks their current share, and runs `pulumi up` with it again."}${hintAtKept(submission.kept, required)}`,
  );
}

/** Ends a run that has submitted what it has. */
function sharesMissing(run: SubmissionRun, status: RekeyStatus): SharesState {
  const { parameters } = run.identity;
  const { refusals, areGone, submittedBefore } = run;
  const accepted = Math.max(0, countOwn(run) - submittedBefore);
  const submitOthers = parameters.backup || parameters.fingerprints.length === 0 ? "" : ", but `pulumi up` must submit the last one";
  return waitForHolders(run, {
    id: "shares-missing",
    accepted: accepted === 0 && submittedBefore > 0 ? undefined : accepted,
    progress: { phase: "submitting", count: status.progress, required: status.required },
    details: [
      ...(submittedBefore > 0 ? [`submitted before: ${submittedBefore} of the available shares`] : []),
      ...(run.missing.length > 0 ? [`unavailable: ${run.missing.join(", ")}`] : []),
      ...(areGone ? ["the shares that were submitted before are gone, so their holders submit them again"] : []),
      ...refusals.map((refusal) => `rejected: ${refusal}`),
    ],
    hasFailed: areGone || refusals.length > 0,
    next: `The next holder runs \`pulumi up\` with their current share, or \`${commandFor(run.operation, "submit")}\`${submitOthers}.`,
  });
}

/** The server has checked the shares, and cannot encrypt the new ones. */
async function keyRejected(run: SharesRun, reason: string): Promise<StewardError> {
  const keys = await inspectKeys(run.identity.parameters.pgpKeys);
  const named = keys.flatMap(({ problem }) => (problem ? [problem.reason] : []));
  const which = named.length > 0 ? named.join(", ") : "it does not say which key";
  return unfinished(
    run,
    "key-rejected",
    `${run.operation.server.words.service} accepted the current shares, but cannot encrypt the new ones (${reason}): ${which}`,
    "Ask its holder to renew the key, and replace it in pgpKeys. Then each holder runs `pulumi up` with their current share again.",
  );
}

/** The hint at an encrypted kept set, which may be the current one. */
function hintAtKept(kept: readonly ShareSet[], required: number): string {
  const set = kept.find(({ encrypted, threshold }) => encrypted.length > 0 && threshold === required);
  return set
    ? ` If the shares of the rekey ${set.nonce} are the valid ones, have its holders decrypt them and pass them as currentShares.`
    : "";
}

/** Checks for another rekey's backup before a share is submitted, since the last share overwrites it. Any share may be the last one, as others submit too. */
async function protectBackup(run: SharesRun, status: RekeyStatus): Promise<void> {
  const { operation, inputs, identity } = run;
  const { submission } = run.state;
  const backup = await findForeignBackup(operation, { ...identity, nonces: submission.nonces });
  if (!backup) return;
  if (!inputs.replaceBackup) {
    if (status.progress === 0 && submission.nonces.includes(status.nonce)) await cancelOwnAttempt(operation, status);
    throw foreignBackup(operation, backup);
  }
  if (submission.replacedBackups.some(({ nonce }) => nonce === backup.nonce)) return;
  remember(run, { replacedBackups: [...submission.replacedBackups, backup] });
  const reason = `${operation.server.words.service} stores a backup of a different rekey, ${backup.nonce}; its ciphertext is saved in the state now, before this rekey overwrites it`;
  throw unfinished(run, "backup-saved", reason);
}

function attemptLost(run: SharesRun, { server, status }: Observed): StewardError {
  if (server === "tampered") return tampered({ server, status });
  const { verification } = run.identity.parameters;
  const hint = verification
    ? "This rekey committed nothing. If holders have verified new shares outside Pulumi, those may be valid: keep both sets, and test them with a drill. Run `pulumi up` again: it continues from the current status."
    : "Without verification the last share commits, so the new keys may be valid. Run `pulumi up` again: it reads them from the backup, if there is one.";
  const cause = server === "none" ? lossCauses : `a different one is in progress, ${status.nonce}`;
  return unfinished(run, "attempt-lost", `the attempt no longer exists: ${cause}`, hint);
}

/** Cancels an attempt whose shares cannot be combined, and starts a new one. */
async function startOver(run: SharesRun, status: RekeyStatus): Promise<never> {
  await endAttempt(run, status);
  const { progress } = status;
  const keepsOthers = run.state.submission.kept.some(({ shares }) => shares.length > 0);
  const hint = keepsOthers ? " To submit only those of an earlier rekey, which are in the state, set currentShares: []." : "";
  const why = `the ${progress} current shares cannot be combined, so at least one is wrong. The provider canceled the attempt and started a new one. Nothing was committed`;
  return restart(run, "shares-not-combined", why, `Correct currentShares and run \`pulumi up\` again.${hint}`);
}

/** Neither the response nor the count shows whether the share was counted. */
async function countUnknown(run: SharesRun, status: RekeyStatus, error: StewardError): Promise<never> {
  const { operation, identity, state } = run;
  if (status.nonce !== identity.nonce || dialectOf(operation).refusesRepeatedShares)
    throw unfinished(run, "share-count-unknown", `${error.details.reason}; it is unknown whether the share was counted`);
  if (status.progress > state.submission.submitted.length)
    throw unfinished(
      run,
      "share-count-unknown-with-others",
      `${error.details.reason}; it is unknown whether the share was counted, and other holders have submitted shares to the attempt ${status.nonce}`,
    );
  await cancelOwnAttempt(operation, status);
  const why = `the provider could not tell whether the share was counted (${error.details.reason}), so it canceled the attempt and started a new one. Nothing was committed`;
  return restart(run, "attempt-restarted", why);
}
