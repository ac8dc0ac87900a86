import { StewardError } from "../../../contract/errors";
import { pauseFor } from "../../../http";
import { isInactiveNode } from "../../../http/failure";
import { dialectOf } from "../../client";
import { cancelOwnAttempt } from "../attempt/cancel";
import { tampered } from "../attempt/conflict";
import { findForeignBackup, foreignBackup } from "../attempt/start";
import { availableShares } from "../inputs";
import * as api from "../protocol/api";
import { inspectKeys, redacting, Share, ShareSet, shareDigest, shareOf } from "../protocol/crypto";
import { commandFor, log } from "../protocol/operation";
import { Observed, observe } from "../protocol/server-state";
import { lossCauses, unfinished } from "../protocol/stops";
import { remember, rememberNonce, SharesRun, SharesState, SubmissionRun } from "../submission/state";
import { waitForHolders } from "../submission/waiting";
import { Batch, countRestarted, nextBatch, nextShare, SubmissionProgress } from "./progress";
import { receive, recover } from "./receive";
import { endAttempt, restart } from "./restart";

// The current shares are submitted, one by one, and the new ones received.

const pollEvery = 2000;

/** Submits the available shares, one by one, until the last one returns the new shares. Before each, the attempt is observed. */
export async function submit(started: SharesRun, first: Observed): Promise<SharesState> {
  const waitUntil = Date.now() + (started.inputs.waitSeconds ?? 0) * 1000;
  const { run, ...begun } = begin(started, first.status.required);
  let { progress } = begun;
  let observed = first;
  for (;;) {
    const { server, status } = observed;
    if (server === "verifying") return recover(run, observed);
    if (server !== "collecting") throw attemptLost(run, observed);
    // OpenBao keeps shares that it cannot combine: with them in it, no attempt completes.
    if (status.required > 0 && status.progress >= status.required) return startOver(run, status);
    progress = noteCount(run, progress, status);
    const { batch, next } = progress;
    const waits = Date.now() < waitUntil;
    // The last submission returns the new shares: reserve the last share of this run until the others have been submitted.
    const isReservedForLast = waits && next === batch.shares.length - 1 && status.progress < status.required - 1;
    const share = isReservedForLast ? undefined : batch.shares[next];
    if (share) {
      const submitted = await submitOrSkip(run, progress, share, status);
      if (submitted.set) return receive(run, progress, submitted.set, share, status.required);
      progress = submitted.progress;
    } else if (waits && !batch.set) {
      progress = printWait(run, progress);
      const pause = Math.max(0, Math.min(pollEvery, waitUntil - Date.now()));
      if (!(await pauseFor(run.operation, pause))) return sharesMissing(run, progress, status);
    } else {
      // Shares of a different set would invalidate the shares that other holders submitted.
      const following = status.progress > countOwn(run, progress) ? undefined : nextBatch(progress);
      if (!following) return sharesMissing(run, progress, status);
      progress = following;
      log(run.operation, "too few shares are available: trying those of an earlier rekey from the state");
    }
    observed = await observe(run.operation, run.identity);
  }
}

/** Resolves all shares. */
function begin(started: SharesRun, required: number): { run: SubmissionRun; progress: SubmissionProgress } {
  const { inputs, state } = started;
  const { kept, refused } = state.submission;
  const { shares, missing } = availableShares(inputs.currentShares, "currentShares");
  const { shares: priorShares } = availableShares(inputs.newShares ?? [], "newShares");
  const batch: Batch = { shares };
  // The kept sets that may be the current one: with the threshold that the server requires, in plaintext, and not yet rejected.
  const otherBatches = kept
    .filter((set) => set.threshold === required && set.shares.length > 0 && !refused.includes(set.nonce))
    .map((set): Batch => ({ set, shares: set.shares.slice(0, required).map((text) => shareOf(text, `a share of ${set.nonce}`)) }));
  // The server may echo a share in any response from here on.
  const operation = redacting(started.operation, [batch, ...otherBatches]);
  const submittedBefore = shares.filter((share) => isSubmitted(started, share)).length;
  return {
    run: { ...started, operation, missing, priorShares },
    progress: {
      batch,
      otherBatches,
      next: 0,
      submittedBefore,
      isRestarted: false,
      areGone: false,
      refusals: [],
      printedCount: 0,
      isWaitPrinted: false,
    },
  };
}

/** Prints the count of the server. A lower one means that it rejected all shares together with the last share of another holder. */
function noteCount(run: SharesRun, before: SubmissionProgress, status: api.RekeyStatus): SubmissionProgress {
  if (status.progress !== before.printedCount) log(run.operation, countOf(status));
  const progress = { ...before, printedCount: status.progress };
  if (status.progress >= run.state.submission.submitted.length) return progress;
  remember(run, { submitted: [] });
  const restarted = { ...countRestarted(progress), areGone: true };
  // They are submitted again once: a faulty service could discard them forever.
  return restarted.isRestarted ? restarted : { ...restarted, isRestarted: restarted.next > 0, next: 0 };
}

const countOf = ({ progress, required }: api.RekeyStatus): string => `${progress} of ${required} current shares submitted`;

function printWait({ operation, inputs }: SharesRun, progress: SubmissionProgress): SubmissionProgress {
  const end = operation.run.engine.canceled
    ? "Ctrl-C stops the wait, and the attempt stays in progress"
    : "Pressing Ctrl-C once does not stop the wait. Pressing it twice stops it immediately and may leave the stack locked. Then ask all holders if their runs have ended, because a run that still waits would overwrite the state of a later one, and run `pulumi cancel --yes` and `pulumi up --refresh`";
  if (!progress.isWaitPrinted) log(operation, `waiting up to ${inputs.waitSeconds} s for other holders to submit their shares. ${end}`);
  return { ...progress, isWaitPrinted: true };
}

const digestOf = ({ identity }: SharesRun, share: Share): string => shareDigest(identity.nonce as string, share);

const isSubmitted = (run: SharesRun, share: Share): boolean => run.state.submission.submitted.includes(digestOf(run, share));

/** The number of shares of the batch that the server has counted since its count last restarted. */
const countOwn = (run: SharesRun, { batch, next }: SubmissionProgress): number =>
  batch.shares.slice(0, next).filter((share) => isSubmitted(run, share)).length;

/** Submits a share. The last one returns the new shares. */
async function submitOrSkip(
  run: SharesRun,
  progress: SubmissionProgress,
  share: Share,
  status: api.RekeyStatus,
): Promise<{ progress: SubmissionProgress; set?: ShareSet }> {
  const { operation, identity } = run;
  // Vault rejects a repeated share without loss. A different server may count it twice.
  if (isSubmitted(run, share) && !dialectOf(operation).refusesRepeatedShares) return { progress: nextShare(progress) };
  await protectBackup(run, status);
  let set: ShareSet | undefined;
  try {
    ({ set } = await api.submitShare(operation, { nonce: status.nonce, share: share.text }, identity.parameters));
  } catch (error) {
    return { progress: await resolveFailure(run, progress, share, status, error) };
  }
  rememberNonce(run, status.nonce);
  return set ? { progress, set } : { progress: countShare(run, progress, share) };
}

function countShare(run: SharesRun, progress: SubmissionProgress, share: Share): SubmissionProgress {
  if (!isSubmitted(run, share)) remember(run, { submitted: [...run.state.submission.submitted, digestOf(run, share)] });
  return nextShare(progress);
}

/** The server's count shows whether the share was counted despite the failure. */
async function resolveFailure(
  run: SharesRun,
  progress: SubmissionProgress,
  share: Share,
  before: api.RekeyStatus,
  error: unknown,
): Promise<SubmissionProgress> {
  const { operation } = run;
  const { refusesRepeatedShares } = dialectOf(operation);
  if (!(error instanceof StewardError)) throw error;
  const waited = (): Promise<SubmissionProgress> => api.waitAfter429(operation, error).then(() => progress);
  if (api.wasNotCounted(error)) return waited();
  const hasResponse = error.status !== undefined && error.status >= 400;
  const { server, status } = await observe(operation, run.identity);
  if (server === "collecting") {
    if (status.progress === before.progress + 1) {
      rememberNonce(run, before.nonce);
      return countShare(run, progress, share);
    }
    if (isInactiveNode(error) && refusesRepeatedShares) return waited();
    if (status.progress === 0 && (before.progress > 0 || (before.required === 1 && hasResponse)))
      return afterAllRefused(run, progress, error, before);
    if (error.status === 400) return afterRefusal(run, progress, share, error.details.reason);
  }
  // The attempt has new shares, or it is gone: the next observation shows which.
  if (!status.started || status.verification) return progress;
  if (progress.retried === share || !refusesRepeatedShares) return countUnknown(run, status, error);
  return { ...progress, retried: share };
}

/** A share that this attempt has is rejected as a duplicate, so it counts. */
function afterRefusal(run: SharesRun, progress: SubmissionProgress, share: Share, reason: string): SubmissionProgress {
  const refusals = isSubmitted(run, share) ? progress.refusals : [...progress.refusals, `${share.label}: ${reason}`];
  return { ...nextShare(progress), refusals };
}

/** At the threshold, the server rejects all shares together, and restarts its count. */
async function afterAllRefused(
  run: SharesRun,
  before: SubmissionProgress,
  error: StewardError,
  { required, nonce }: api.RekeyStatus,
): Promise<SubmissionProgress> {
  const { submission } = run.state;
  const { reason } = error.details;
  const stays = `The attempt ${nonce} is still in progress, with 0 shares`;
  const { set } = before.batch;
  const isAlone = countOwn(run, before) + 1 >= required;
  remember(run, { submitted: [] });
  const progress = countRestarted(before);
  if (api.isKeyRejected(error)) throw await keyRejected(run, reason);
  if (api.isUnchecked(error)) throw unfinished(run, "shares-not-checked", `${api.unchecked(run.operation, required, error)}. ${stays}`);
  // Shares of other holders were among them: the kept set may still be the current one.
  if (set && !isAlone) return { ...progress, next: 0 };
  if (set) remember(run, { refused: [...submission.refused, set.nonce] });
  const following = nextBatch(progress);
  if (!following)
    throw unfinished(
      run,
      "shares-refused",
      `the ${required} shares submitted${isAlone ? "" : ", some of them by other holders,"} were rejected (${reason}). ${stays}`,
      `At least one of them is wrong, and all were discarded. Each holder checks the share and submits it again: correct currentShares and run \`pulumi up\` again.${hintAtKept(submission.kept, required)}`,
    );
  log(
    run.operation,
    `${run.operation.server.words.service} rejected the submitted shares: trying those of an earlier rekey from the state`,
  );
  return following;
}

/** Ends a run that has submitted what it has. */
function sharesMissing(run: SubmissionRun, progress: SubmissionProgress, status: api.RekeyStatus): SharesState {
  const { parameters } = run.identity;
  const { refusals, areGone, submittedBefore } = progress;
  const accepted = Math.max(0, countOwn(run, progress) - submittedBefore);
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
    "Ask its holder to renew the key, replace it in pgpKeys, and run `pulumi up`: the attempt starts again, and all holders submit their current shares again.",
  );
}

/** The hint at an encrypted kept set, which may be the current one. */
function hintAtKept(kept: readonly ShareSet[], required: number): string {
  const set = kept.find(({ encrypted, threshold }) => encrypted.length > 0 && threshold === required);
  return set
    ? ` If the shares of the rekey ${set.nonce} are the live ones, have its holders decrypt them and pass them as currentShares.`
    : "";
}

/** Checks for another rekey's backup before a share is submitted, since the last share overwrites it. Any share may be the last one, as others submit too. */
async function protectBackup(run: SharesRun, status: api.RekeyStatus): Promise<void> {
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
    ? "This rekey committed nothing. If holders have verified new shares outside Pulumi, those are live: keep them. Run `pulumi up` again: it continues from the current status."
    : "Without verification the last share commits, so the new keys may be live. Run `pulumi up` again: it reads them from the backup, if there is one.";
  const cause = server === "none" ? lossCauses : `a different one is in progress, ${status.nonce}`;
  return unfinished(run, "attempt-lost", `the attempt no longer exists: ${cause}`, hint);
}

/** Cancels an attempt whose shares cannot be combined, and starts a new one. */
async function startOver(run: SharesRun, status: api.RekeyStatus): Promise<never> {
  await endAttempt(run, status);
  const { progress } = status;
  const keepsOthers = run.state.submission.kept.some(({ shares }) => shares.length > 0);
  const hint = keepsOthers ? " To submit only those of an earlier rekey, which are in the state, set currentShares: []." : "";
  const why = `the ${progress} current shares submitted cannot be combined, so at least one of them is wrong. The provider canceled the attempt and started a new one. Nothing was committed`;
  return restart(run, "shares-not-combined", why, `Correct currentShares and run \`pulumi up\` again.${hint}`);
}

/** Neither the response nor the count shows whether the share was counted. */
async function countUnknown(run: SharesRun, status: api.RekeyStatus, error: StewardError): Promise<never> {
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
