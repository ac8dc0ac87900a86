import { OutcomeUnknown } from "../../../contract/definition";
import { StewardError } from "../../../contract/errors";
import { pauseFor } from "../../../http";
import { isInactiveNode } from "../../../http/failure";
import { dialectOf } from "../../client";
import { Attempt } from "../attempt/resource";
import { availableShares, RekeyInputs, StepInputs } from "../inputs";
import * as api from "../protocol/api";
import { RekeyBackup, RekeyOperation, RekeyParameters, RekeyStatus } from "../protocol/api";
import { flawOf, isEmpty, redacting, Share, ShareSet, shareDigest, shareOf } from "../protocol/crypto";
import * as step from "../protocol/server-state";
import { AttemptIdentity, Observed } from "../protocol/server-state";
import { keptBySeal, lossCauses, noShares, StopId, unfinished } from "../protocol/stops";

// The current shares are submitted, one by one, and the new ones received.

const pollEvery = 2000;

export interface SharesInputs extends StepInputs, Pick<RekeyInputs, "waitSeconds" | "replaceBackup"> {
  attempt: Attempt;
}

/** The result of submitting the current shares, which the commit receives. */
export interface Submission {
  attempt: Attempt;
  /** The nonce of the current attempt. The first one may have been lost. */
  nonce?: string;
  nonces: string[];
  /** The new shares. */
  candidate?: ShareSet;
  /** The source of the new shares. Those from a backup may already be live without verification. */
  source?: "reply" | "backup";
  /** Sets whose outcome is unknown: they may be valid. */
  kept: ShareSet[];
  /** Digests of the shares that were submitted to this attempt. */
  submitted: string[];
  /** Digests of shares that do not belong to the candidate: submitted for it, or brought before it existed. */
  excluded: string[];
  /** Nonces of the kept sets that this attempt rejected. */
  refused: string[];
  /** True if an attempt of this rekey may have left a backup. */
  hadBackup: boolean;
  /** The ciphertext of the backup that this rekey overwrote. */
  replacedBackup?: RekeyBackup;
}

export interface SharesState {
  submission: Submission;
}

export type LastShares = Partial<SharesInputs & SharesState> & OutcomeUnknown;

/** One run. Its progress is in `state`, which is saved however the run ends. */
export interface SharesRun {
  operation: RekeyOperation;
  inputs: SharesInputs;
  identity: AttemptIdentity;
  state: SharesState;
}

/** Shares of one set: the program's own, or those of a set that the state keeps. */
interface Batch {
  shares: readonly Share[];
  /** The kept set. Undefined for the program's own shares. */
  set?: ShareSet;
}

/** The shares that a run can submit, and its progress. */
type Progress = ReturnType<typeof begin>;

/** Submits the available shares, one by one, until the last one returns the new shares. Before each, the attempt is observed. */
export async function submit(run: SharesRun, first: Observed): Promise<SharesState> {
  const waitUntil = Date.now() + (run.inputs.waitSeconds ?? 0) * 1000;
  const progress = begin(run, first.status.required);
  let observed = first;
  for (;;) {
    const { server, status } = observed;
    if (server === "verifying") return recover(run, observed);
    if (server !== "collecting") throw attemptLost(run, observed);
    // OpenBao keeps shares that it cannot combine: with them in it, no attempt completes.
    if (status.required > 0 && status.progress >= status.required) return startOver(run, status);
    noteCount(run, progress, status);
    const { batch, next } = progress;
    const waits = Date.now() < waitUntil;
    // The last submission returns the new shares: reserve the last share of this run until the others have been submitted.
    const isReservedForLast = waits && next === batch.shares.length - 1 && status.progress < status.required - 1;
    const share = isReservedForLast ? undefined : batch.shares[next];
    if (share) {
      const state = await submitOrSkip(run, progress, share, status);
      if (state) return state;
    } else if (waits && !batch.set) {
      if (!(await waitForHolders(run, progress, waitUntil))) throw sharesMissing(run, progress, status);
    }
    // Shares of a different set would invalidate the shares that other holders submitted.
    else if (status.progress > countOwn(run, progress) || !useNextBatch(progress)) throw sharesMissing(run, progress, status);
    else step.log(run.operation, "too few shares are available: trying those of an earlier rekey from the state");
    observed = await step.observe(run.operation, run.identity);
  }
}

/** Resolves all shares, so that nothing can fail after the last submission. */
function begin(run: SharesRun, required: number) {
  const { inputs } = run;
  const { kept, refused } = run.state.submission;
  const { shares, missing } = availableShares(inputs.currentShares, "currentShares");
  const { shares: priorShares } = availableShares(inputs.newShares ?? [], "newShares");
  const batch: Batch = { shares };
  // The kept sets that may be the current one: with the threshold that the server requires, in plaintext, and not yet rejected.
  const otherBatches = kept
    .filter((set) => set.threshold === required && set.shares.length > 0 && !refused.includes(set.nonce))
    .map((set): Batch => ({ set, shares: set.shares.slice(0, required).map((text) => shareOf(text, `a share of ${set.nonce}`)) }));
  // The server may echo a share in any response from here on.
  run.operation = redacting(run.operation, [batch, ...otherBatches]);
  return {
    /** The shares that are submitted now. */
    batch,
    /** The kept sets to try next. */
    otherBatches,
    /** The index of the next share in the batch. */
    next: 0,
    /** The number of the program's own shares that an earlier run submitted. */
    submittedBefore: shares.filter((share) => isSubmitted(run, share)).length,
    /** The share whose response was lost once. */
    retried: undefined as Share | undefined,
    /** True if the server has restarted its count in this run, so that all shares were submitted again. */
    isRestarted: false,
    /** The reasons for which the server rejected single shares. */
    refusals: [] as string[],
    /** Share references that could not be resolved. */
    missing,
    /** The program's newShares. A share supplied before the new shares exist cannot be one of them. */
    priorShares,
    printedProgress: 0,
    isWaitPrinted: false,
  };
}

/** Prints the count of the server. A lower one means that it rejected all shares together with the last share of another holder. */
function noteCount(run: SharesRun, progress: Progress, status: RekeyStatus): void {
  if (status.progress !== progress.printedProgress) step.log(run.operation, countOf(status));
  progress.printedProgress = status.progress;
  if (status.progress >= run.state.submission.submitted.length) return;
  forgetCount(run, progress);
  // They are submitted again once: a faulty service could discard them forever.
  if (progress.isRestarted) return;
  progress.isRestarted = progress.next > 0;
  progress.next = 0;
}

const countOf = ({ progress, required }: RekeyStatus): string => `${progress} of ${required} current shares submitted`;

/** The server has discarded all shares. */
function forgetCount(run: SharesRun, progress: Progress): void {
  run.state.submission.submitted = [];
  Object.assign(progress, { submittedBefore: 0, retried: undefined });
}

/** Returns false if the user cancels the run. */
async function waitForHolders({ operation, inputs }: SharesRun, progress: Progress, waitUntil: number): Promise<boolean> {
  const end = operation.run.engine.canceled
    ? "Ctrl-C stops the wait, and the attempt stays in progress"
    : "Pressing Ctrl-C once does not stop the wait. Pressing it twice stops it immediately and may leave the stack locked. Then run `pulumi cancel --yes` and `pulumi up --refresh`";
  if (!progress.isWaitPrinted)
    step.log(operation, `waiting up to ${inputs.waitSeconds} s for other holders to submit their shares. ${end}`);
  progress.isWaitPrinted = true;
  return pauseFor(operation, Math.max(0, Math.min(pollEvery, waitUntil - Date.now())));
}

/** Returns false if there is no other set to try. */
function useNextBatch(progress: Progress): boolean {
  const batch = progress.otherBatches.shift();
  if (batch) Object.assign(progress, { batch, next: 0 });
  return batch !== undefined;
}

const digestOf = ({ identity }: SharesRun, share: Share): string => shareDigest(identity.nonce as string, share);

const isSubmitted = (run: SharesRun, share: Share): boolean => run.state.submission.submitted.includes(digestOf(run, share));

/** The number of shares of the batch that the server has counted since its count last restarted. */
const countOwn = (run: SharesRun, { batch, next }: Progress): number =>
  batch.shares.slice(0, next).filter((share) => isSubmitted(run, share)).length;

/** Submits a share. Returns the state once the last one has made the new shares. */
async function submitOrSkip(run: SharesRun, progress: Progress, share: Share, status: RekeyStatus): Promise<SharesState | undefined> {
  const { operation, identity } = run;
  const { submission } = run.state;
  // Vault rejects a repeated share without loss. A different server may count it twice.
  if (isSubmitted(run, share) && !dialectOf(operation).refusesRepeatedShares) {
    progress.next++;
    return undefined;
  }
  await protectBackup(run, status);
  let set: ShareSet | undefined;
  try {
    ({ set } = await api.submitShare(operation, { nonce: status.nonce, share: share.text }, identity.parameters));
  } catch (error) {
    return resolveFailure(run, progress, share, status, error);
  }
  submission.nonces = step.withNonce(submission.nonces, status.nonce);
  if (set) return receive(run, progress, set, share, status.required);
  countShare(run, progress, share);
  return undefined;
}

function countShare(run: SharesRun, progress: Progress, share: Share): void {
  const { submission } = run.state;
  if (!isSubmitted(run, share)) submission.submitted = [...submission.submitted, digestOf(run, share)];
  progress.next++;
}

/** The server's count shows whether the share was counted despite the failure. */
async function resolveFailure(
  run: SharesRun,
  progress: Progress,
  share: Share,
  before: RekeyStatus,
  error: unknown,
): Promise<SharesState | undefined> {
  const { operation, state } = run;
  const { refusesRepeatedShares } = dialectOf(operation);
  if (!(error instanceof StewardError)) throw error;
  if (api.wasNotCounted(error)) return void (await api.waitAfter429(operation, error));
  const hasResponse = error.status !== undefined && error.status >= 400;
  const { server, status } = await step.observe(operation, run.identity);
  if (server === "collecting") {
    if (status.progress === before.progress + 1) {
      state.submission.nonces = step.withNonce(state.submission.nonces, before.nonce);
      return void countShare(run, progress, share);
    }
    if (isInactiveNode(error) && refusesRepeatedShares) return void (await api.waitAfter429(operation, error));
    if (status.progress === 0 && (before.progress > 0 || (before.required === 1 && hasResponse)))
      return void afterAllRefused(run, progress, error, before);
    if (error.status === 400) return void noteRefusal(run, progress, share, error.details.reason);
  }
  // The attempt has new shares, or it is gone: the next observation shows which.
  if (!status.started || status.verification) return undefined;
  if (progress.retried === share || !refusesRepeatedShares) return countUnknown(run, status, error);
  progress.retried = share;
  return undefined;
}

/** A share that this attempt has is rejected as a duplicate, so it counts. */
function noteRefusal(run: SharesRun, progress: Progress, share: Share, reason: string): void {
  if (!isSubmitted(run, share)) progress.refusals.push(`${share.label}: ${reason}`);
  progress.next++;
}

/** At the threshold, the server rejects all shares together, and restarts its count. */
function afterAllRefused(run: SharesRun, progress: Progress, error: StewardError, { required, nonce }: RekeyStatus): void {
  const { submission } = run.state;
  const { reason } = error.details;
  const stays = `The attempt ${nonce} is still in progress, with 0 shares`;
  const { set } = progress.batch;
  const isAlone = countOwn(run, progress) + 1 >= required;
  forgetCount(run, progress);
  if (api.isUnchecked(error)) throw unfinished(run, "shares-not-checked", `${api.unchecked(run.operation, required, error)}. ${stays}`);
  if (set && !isAlone) {
    // Shares of other holders were among them: the kept set may still be the current one.
    progress.next = 0;
    return;
  }
  if (set) submission.refused = [...submission.refused, set.nonce];
  if (!useNextBatch(progress))
    throw unfinished(
      run,
      "shares-refused",
      `the ${required} shares submitted${isAlone ? "" : ", some of them by other holders,"} were rejected (${reason}). ${stays}`,
      `At least one of them is wrong. Correct currentShares and run \`pulumi up\` again.${hintAtKept(submission.kept, required)}`,
    );
  step.log(
    run.operation,
    `${run.operation.server.words.service} rejected the submitted shares: trying those of an earlier rekey from the state`,
  );
}

function sharesMissing(run: SharesRun, { submittedBefore, refusals, missing }: Progress, status: RekeyStatus): StewardError {
  const isOneMissing = status.required - status.progress === 1;
  const hint = `Run \`pulumi up\` again on a machine that has ${isOneMissing ? "the missing share" : "missing shares"}. Other holders may submit theirs in the meantime${run.identity.parameters.backup ? "" : ", but `pulumi up` must submit the last share"}.`;
  return unfinished(
    run,
    "shares-missing",
    [
      countOf(status),
      ...(submittedBefore > 0 ? [`submitted before: ${submittedBefore} of the available shares`] : []),
      ...(missing.length > 0 ? [`unavailable: ${missing.join(", ")}`] : []),
      ...refusals.map((refusal) => `rejected: ${refusal}`),
    ].join("; "),
    `${hint}${hintAtKept(run.state.submission.kept, status.required)}`,
  );
}

/** The hint at an encrypted kept set, which may be the current one. */
function hintAtKept(kept: readonly ShareSet[], required: number): string {
  const set = kept.find(({ encrypted, threshold }) => encrypted.length > 0 && threshold === required);
  return set
    ? ` If the shares of the rekey ${set.nonce} are the live ones, have its holders decrypt them and pass them as currentShares.`
    : "";
}

/** Stores the new shares after the server, which required this number of current shares, has accepted the last one. */
async function receive(run: SharesRun, progress: Progress, set: ShareSet, share: Share, required: number): Promise<SharesState> {
  const { operation, identity } = run;
  const { verification } = identity.parameters;
  const state = accepted(run, progress, set, share, required);
  if (isEmpty(set) && !verification) return (await fromBackup(run)) ?? withoutShares(run, state);
  await assertUsable(run, set);
  step.log(operation, `${required} of ${required} current shares submitted`);
  if (!isEmpty(set))
    step.log(operation, verification ? "the new shares are made; nothing is committed yet" : "the new shares are made and live");
  return state;
}

/** The key was rotated but no shares were returned. Record this so that the next run does not rotate again. */
function withoutShares(run: SharesRun, state: SharesState): SharesState {
  if (!api.mayReturnNoShares(run.operation, run.identity.parameters)) throw unfinished({ state }, "no-shares-returned", noShares);
  step.warn(run.operation, keptBySeal);
  return state;
}

/** The accepted set is the live one, so every kept set that cannot be it is dead. */
function accepted({ state }: SharesRun, progress: Progress, set: ShareSet, share: Share, required: number): SharesState {
  const { submission } = state;
  const used = progress.batch.set;
  const digest = (each: Share): string => shareDigest(set.nonce, each);
  const submitted = [...submission.submitted, digest(share)];
  const excluded = [...submitted, ...progress.priorShares.map(digest)];
  // The shares of an encrypted set are unknown, so any of them may have been submitted.
  const mayBeAccepted = ({ threshold, shares }: ShareSet): boolean => {
    const digests = shares.map((text) => digest(shareOf(text, "")));
    return threshold === required && (shares.length === 0 || submitted.every((each) => digests.includes(each)));
  };
  const kept = used ? [used] : submission.kept.filter(mayBeAccepted);
  return { submission: { ...submission, candidate: set, source: "reply", kept, excluded } };
}

/**
 * Cancels the attempt of a set that may not become the candidate, and starts a new one. Without verification the set is live, and is kept.
 */
async function assertUsable(run: SharesRun, set: ShareSet): Promise<void> {
  const { operation, identity } = run;
  const flaw = await flawOf(set, identity.parameters);
  if (!flaw) return;
  const { id, reason } = flaw;
  if (!identity.parameters.verification)
    return step.warn(
      operation,
      `${reason}. The new shares may be live: keep ${operation.server.words.service} unsealed, and change triggers to create new ones`,
    );
  step.log(operation, reason);
  const { status } = await step.observe(operation, identity);
  if (status.nonce === set.nonce) await endAttempt(run, status);
  return restart(run, id, `${reason}. The provider canceled the attempt and started a new one`);
}

/** Checks for another rekey's backup before a share is submitted, since the last share overwrites it. Any share may be the last one, as others submit too. */
async function protectBackup(run: SharesRun, status: RekeyStatus): Promise<void> {
  const { operation, inputs, identity } = run;
  const { submission } = run.state;
  const backup = await step.findForeignBackup(operation, { ...identity, nonces: submission.nonces });
  if (!backup) return;
  if (!inputs.replaceBackup) {
    if (status.progress === 0 && submission.nonces.includes(status.nonce)) await step.cancelOwnAttempt(operation, status);
    throw step.foreignBackup(operation, backup);
  }
  if (submission.replacedBackup?.nonce === backup.nonce) return;
  submission.replacedBackup = backup;
  const reason = `${operation.server.words.service} stores a backup of a different rekey, ${backup.nonce}; its ciphertext is saved in the state now, before this rekey overwrites it`;
  throw unfinished(run, "backup-saved", reason);
}

function attemptLost(run: SharesRun, { server, status }: Observed): StewardError {
  if (server === "tampered") return step.tampered({ server, status });
  const { verification } = run.identity.parameters;
  const hint = verification
    ? "The provider committed nothing. Run `pulumi up` again: it continues from the current status."
    : "Without verification the last share commits, so the new keys may be live. Run `pulumi up` again: it reads them from the backup, if there is one.";
  const cause = server === "none" ? lossCauses : `a different one is in progress, ${status.nonce}`;
  return unfinished(run, "attempt-lost", `the attempt no longer exists: ${cause}`, hint);
}

/** Cancels the attempt. One that this rekey neither started nor submitted a share to is another client's. */
async function endAttempt({ operation, inputs, state: { submission } }: SharesRun, status: RekeyStatus): Promise<void> {
  if (submission.nonces.includes(status.nonce)) await step.cancelOwnAttempt(operation, status);
  else await step.resolveConflict(operation, { server: "foreign", status }, inputs.onConflict, false);
}

/** Cancels an attempt whose shares cannot be combined, and starts a new one. */
async function startOver(run: SharesRun, status: RekeyStatus): Promise<never> {
  await endAttempt(run, status);
  const { progress } = status;
  const keepsOthers = run.state.submission.kept.some(({ shares }) => shares.length > 0);
  const hint = keepsOthers ? " To submit only those of an earlier rekey, which are in the state, set currentShares: []." : "";
  const why = `the ${progress} current shares submitted cannot be combined, so at least one of them is wrong. The provider canceled the attempt and started a new one`;
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
  await step.cancelOwnAttempt(operation, status);
  const why = `the provider could not tell whether the share was counted (${error.details.reason}), so it canceled the attempt and started a new one`;
  return restart(run, "attempt-restarted", why);
}

/** The nonce of a new attempt, which is saved before a share is submitted to it. */
export function restarted(run: SharesRun, id: StopId, nonce: string, reason: string, hint?: string): StewardError {
  run.state = { submission: { ...run.state.submission, nonce, submitted: [] } };
  return unfinished(run, id, `${reason}. The nonce ${nonce} is saved`, hint);
}

export async function restart(run: SharesRun, id: StopId, why: string, hint?: string): Promise<never> {
  const { submission } = run.state;
  const { nonce, nonces } = await step.newAttempt(run.operation, { ...run.identity, nonces: submission.nonces });
  submission.nonces = nonces;
  const committed = run.identity.parameters.verification
    ? "Nothing was committed"
    : "Without verification, the previous attempt may have been committed";
  throw restarted(run, id, nonce, `${why}. ${committed}`, hint);
}

/**
 * Starts the rekey of a service without recovery keys, and keeps the first ones from the response. A backup that this overwrites contains
 * shares that were never committed.
 */
export async function makeFirst(run: SharesRun): Promise<SharesState> {
  const { operation, identity, state } = run;
  const { parameters } = identity;
  step.assertMakesFirst(operation, parameters);
  const lost = (reason: string): StewardError =>
    unfinished(run, "first-keys-lost", `${reason}, so the first recovery keys are lost; nothing is committed`);
  const { nonce: started, first } = await api.startAttempt(operation, parameters).catch((error) => {
    throw api.isReplyLost(error) ? lost("the response to the start was lost") : error;
  });
  const { submission } = state;
  if (started && !first) {
    submission.nonces = step.withNonce(submission.nonces, started);
    throw restarted(run, "attempt-restarted", started, "another client has created recovery keys, so the provider started a rekey of them");
  }
  const { status } = await step.observe(operation, identity);
  // The response has no nonce. Another client may have started an attempt in the meantime.
  if (!first || status.verification?.nonce !== first.verificationNonce)
    throw lost(`${operation.server.words.service} reports a different attempt than the one that was started`);
  const { nonce } = status;
  const { verificationNonce: _, ...shares } = first;
  const candidate = { nonce, threshold: parameters.threshold, ...shares };
  // There were no keys, so no earlier set is valid.
  Object.assign(submission, { nonces: step.withNonce(submission.nonces, nonce), kept: [] });
  const flaw = await flawOf(candidate, parameters);
  if (flaw) {
    await step.cancelOwnAttempt(operation, status);
    throw unfinished(run, flaw.id, `${flaw.reason}. The provider canceled the attempt`, "Run `pulumi up` again: it starts a new one.");
  }
  Object.assign(submission, { nonce, candidate, source: "reply" });
  step.log(operation, "the first recovery keys are made; nothing is committed yet");
  return state;
}

/** The encrypted shares in a backup of this rekey, in the order of the keys. */
function candidateIn(backup: RekeyBackup | undefined, nonce: string, { threshold, fingerprints }: RekeyParameters): ShareSet | undefined {
  if (backup?.nonce !== nonce) return undefined;
  const encrypted = fingerprints.map((fingerprint) => ({ fingerprint, share: backup.keys[fingerprint]?.[0] }));
  const complete = encrypted.filter((each): each is { fingerprint: string; share: string } => each.share !== undefined);
  return complete.length === fingerprints.length ? { nonce, threshold, shares: [], encrypted: complete } : undefined;
}

/** The new shares of this attempt, if the backup has them. */
export async function fromBackup(run: SharesRun): Promise<SharesState | undefined> {
  const { operation, state } = run;
  const { parameters, nonce } = run.identity;
  if (!parameters.backup || !nonce) return undefined;
  const candidate = candidateIn(await api.getBackup(operation), nonce, parameters);
  if (!candidate) return undefined;
  await assertUsable(run, candidate);
  const { submission } = state;
  step.log(operation, "the response with the new shares went to another holder, or was lost: took them from the backup");
  const kept = submission.kept.filter((set) => set.nonce !== nonce);
  return { submission: { ...submission, candidate, source: "backup", excluded: submission.submitted, kept } };
}

/** Recovers the new shares from the backup, or restarts: the response with them was lost. */
export async function recover(run: SharesRun, { status }: Observed): Promise<SharesState> {
  const state = await fromBackup(run);
  if (state) return state;
  await endAttempt(run, status);
  return restart(
    run,
    "new-shares-lost",
    "the response with the new shares is missing, so the provider canceled the attempt and started a new one",
  );
}
