import { Comparison } from "../../../contract/comparison";
import { Claims, Definition, DeleteRequest } from "../../../contract/definition";
import { cancelLeftovers, cancelObserved, oldProbe } from "../attempt/cancel";
import { onConflictDecides, resolveConflict, tamperedAttempt } from "../attempt/conflict";
import { assertNoForeignBackup } from "../attempt/start";
import { Attempt, hasKeys, identityOf } from "../attempt/state";
import { commit } from "../commit/rows";
import { beginsAnew, waitForNewShares, withNewShares } from "../commit/run";
import { definitionOf, rekeyObjects } from "../definition";
import { missingShares, rekeyFields, stepFields, stepOutput } from "../inputs";
import { getBackup } from "../protocol/api";
import { encryptedTo, isEmpty, ShareSet } from "../protocol/crypto";
import { assertSavesEachStep, ofTarget, RekeyOperation, recording } from "../protocol/operation";
import { extended } from "../protocol/record";
import { followRows, Row } from "../protocol/rows";
import { observe } from "../protocol/server-state";
import { noShares, stopped } from "../protocol/stops";
import { recordedOutcome } from "../submission/outcome";
import {
  isForHolders,
  isPending,
  isUnknown,
  LastShares,
  remember,
  SharesInputs,
  SharesRun,
  SharesState,
  Submission,
  saveProgress,
} from "../submission/state";
import { makeFirst } from "./first-keys";
import { fromBackup, recover } from "./receive";
import { restart, restarted } from "./restart";
import { submit } from "./submit";

// The second of the three resources of a rekey: it submits the current shares, and saves the new ones before they are committed.

async function up(connected: RekeyOperation, inputs: SharesInputs, last: LastShares): Promise<SharesState> {
  const { attempt } = inputs;
  const { submission: before } = last;
  const { operation, record } = recording(connected, extended(before?.record, attempt.record));
  const isSame = last.attempt?.id === attempt.id;
  const made = isSame ? before?.candidate : undefined;
  if (made && isEmpty(made) && last.outcomeUnknown) throw stopped("no-shares-returned", noShares);
  if (before && made) {
    if (!isForHolders(before)) return { submission: before };
    assertSavesEachStep(operation);
    const run = {
      operation,
      inputs,
      identity: identityOf(attempt, before.nonces, made.nonce),
      state: { submission: { ...before, record } },
    };
    if (!beginsAnew(run)) return commit(withNewShares(run)).catch(saveProgress(run));
  }
  assertSavesEachStep(operation);
  // A set that this rekey made may be valid, unless it is known to be invalid.
  const isDead = before?.outcome === "dead";
  const kept = [...(before?.candidate && !isEmpty(before.candidate) && !isDead ? [before.candidate] : []), ...(before?.kept ?? [])];
  // An attempt that was started with other keys of the same holders is another one.
  const continues = isSame && !made && before && hasKeys(before.attempt, attempt.parameters);
  const nonce = continues ? (before.nonce ?? attempt.nonce) : made ? undefined : attempt.nonce;
  const submission: Submission = {
    attempt,
    nonce,
    nonces: [...new Set([...(before?.nonces ?? []), ...attempt.nonces])],
    kept,
    submitted: continues ? before.submitted : [],
    excluded: [],
    refused: continues ? before.refused : [],
    outcome: "open",
    confirmed: [],
    progress: { phase: "submitting", count: 0, required: 0 },
    hadBackup: (before?.hadBackup ?? false) || attempt.parameters.backup,
    replacedBackups: before?.replacedBackups ?? [],
    record,
  };
  // Without the state of this step, a killed run may have committed an earlier attempt.
  const mayHaveBackup = before ? before.hadBackup : attempt.parameters.backup && submission.nonces.some((each) => each !== nonce);
  const older = last.attempt ?? attempt;
  if (mayHaveBackup) submission.kept = await keptWithBackup(operation, submission, older.parameters.threshold);
  const identity = identityOf(attempt, submission.nonces, nonce);
  const run: SharesRun = { operation, inputs, identity, state: { submission } };
  await followRows(sharesRows, nonce ? "a nonce" : "no nonce", run);
  return saveForHolders(run, submission.submitted);
}

/** New shares for holders are saved first. Without verification, the response with them has committed them. */
function saveForHolders(run: SharesRun, submittedBefore: readonly string[]): SharesState {
  const { candidate, attempt, source } = run.state.submission;
  if (!candidate || candidate.encrypted.length === 0) return run.state;
  if (!attempt.parameters.verification) remember(run, { outcome: source === "reply" ? "live" : "unknown" });
  return run.state.submission.outcome === "live" ? run.state : waitForNewShares(run, submittedBefore);
}

/** The kept sets, and that in the backup, which may be valid: other holders may have completed it, or its response was lost. */
async function keptWithBackup(operation: RekeyOperation, { nonce, nonces, kept }: Submission, threshold: number): Promise<ShareSet[]> {
  const backup = await getBackup(operation);
  if (!backup || !nonces.includes(backup.nonce) || backup.nonce === nonce) return kept;
  if (kept.some((set) => set.nonce === backup.nonce)) return kept;
  const encrypted = Object.entries(backup.keys).flatMap(([fingerprint, shares]) => shares.map((share) => ({ fingerprint, share })));
  return [{ nonce: backup.nonce, threshold, shares: [], encrypted }, ...kept];
}

/** The attempt is saved, the new shares are not. */
export const sharesRows: readonly Row<SharesRun, SharesState>[] = [
  { server: ["none"], log: "the attempt is gone: the rekey starts a new one and saves its nonce", act: restartLost },
  {
    holds: ["no nonce"],
    server: ["abandoned"],
    log: "an older attempt of this rekey is in progress: the rekey cancels it and starts a new one",
    act: cancelObserved,
  },
  {
    server: ["noKeys"],
    log: "there are no recovery keys yet: the rekey starts, and saves the first ones from the response",
    act: makeFirst,
  },
  {
    server: ["matchingFirst"],
    log: "a matching attempt has created the first recovery keys, and none is verified: the rekey cancels it, since its response is lost",
    act: cancelObserved,
  },
  oldProbe,
  {
    server: ["matchingUnused"],
    log: "a matching attempt without shares is in progress: the rekey adopts it",
    act: async (run, { status }) => {
      throw restarted(run, "attempt-adopted", status.nonce, "the provider adopted a matching attempt without shares");
    },
  },
  {
    holds: ["a nonce"],
    server: ["collecting"],
    log: "the attempt is collecting current shares: the rekey submits the available ones",
    act: (run, observed) => submit(run, observed).catch(saveProgress(run)),
  },
  {
    holds: ["a nonce"],
    server: ["verifying"],
    log: "the response with the new shares is missing: the rekey reads the backup or starts over",
    act: recover,
  },
  tamperedAttempt,
  {
    server: ["matchingInUse", "foreign"],
    log: onConflictDecides,
    act: async (run, observed) => {
      const nonce = await resolveConflict(run.operation, observed, run.inputs.onConflict, true);
      if (nonce) throw restarted(run, "attempt-adopted", nonce, "the provider resumed another client's matching attempt");
      return undefined;
    },
  },
];

/** The attempt is gone, or the rekey begins anew after new shares that are not valid. */
async function restartLost(run: SharesRun): Promise<SharesState> {
  // Without verification the last share commits. A probe finds out later if the shares of a lost response are valid.
  const { verification } = run.identity.parameters;
  const state = verification ? undefined : await fromBackup(run);
  if (state) return state;
  await assertNoForeignBackup(run.operation, { ...run.identity, nonces: run.state.submission.nonces }, run.inputs);
  const [older] = run.state.submission.kept;
  const why = run.identity.nonce
    ? `the attempt was gone (a seal, a failover, or a cancel or commit by others), so a new one is started${verification ? ". This rekey committed nothing. If holders have verified new shares outside Pulumi, those may be valid: keep both sets, and test them with a drill" : ""}`
    : `a new attempt is started${older ? `. The new shares of ${older.nonce} are kept until the current shares show if they are valid` : ""}`;
  return restart(run, "attempt-restarted", why);
}

/** Only a different attempt is a change. */
const attempts: Comparison = { equal: (a, b) => (a as Attempt | undefined)?.id === (b as Attempt | undefined)?.id };
const { newShares, waitSeconds, replaceBackup, confirm, onWaiting } = rekeyFields;

/** Notes that tell a holder in the preview for which rekey the share will be submitted. */
const planNotes: Definition<SharesInputs, SharesState>["planNotes"] = async ({ inputs, last }) => {
  const { nonce, parameters } = inputs.attempt;
  if (last?.submission?.attempt.id === inputs.attempt.id && isForHolders(last.submission)) return missingShares(inputs, "newShares");
  if (!last || last.submission?.candidate || !nonce) return [];
  const to = await encryptedTo(parameters.pgpKeys);
  return [
    {
      path: "",
      reason: `the available current shares will be submitted, as long as the attempt accepts them, to create ${parameters.shares} new ones, threshold ${parameters.threshold}${to}`,
      isInformation: true,
    },
    ...missingShares(inputs, "currentShares"),
  ];
};

async function remove({ operation: connected, state }: DeleteRequest<SharesState>, claims: Claims): Promise<void> {
  const { attempt, submission, discardShares } = state as LastShares;
  const { candidate, kept = [], nonces = [], nonce } = submission ?? {};
  const operation = ofTarget(connected, state as LastShares);
  const objects = rekeyObjects(operation);
  claims.assertAdopted(objects.attempt);
  if (!attempt) return;
  const observed = await observe(operation, identityOf(attempt, nonces, nonce));
  const isUnsettled = submission !== undefined && isUnknown(submission);
  const mayCancel = !isUnsettled || Boolean(discardShares) || observed.server === "probe";
  // Another resource of the program may have taken the attempt over.
  if (mayCancel && !claims.managerOf(objects.shares)) await cancelLeftovers(operation, observed, nonces);
  // The commit, deleted before, knows the outcome, or the canceled attempt made the shares worthless.
  const outcome = candidate && (recordedOutcome(operation, candidate.nonce) ?? submission?.outcome);
  // A valid candidate makes every other set worthless. An invalid one does not.
  const isCanceled = !isUnsettled && observed.server === "verifying" && nonces.includes(observed.status.nonce);
  const isWorthless = !candidate || isEmpty(candidate) || outcome === "dead" || isCanceled;
  const judged = outcome === "live" || (kept.length === 0 && isWorthless);
  if (judged || discardShares) return;
  throw stopped("shares-unsettled", "the state contains shares that may be valid");
}

export const rekeyShares: Definition<SharesInputs, SharesState> = {
  ...definitionOf<SharesInputs, SharesState>("shares", up, remove),
  token: "secrets:RekeyShares",
  id: "sys/rekey/update",
  fields: {
    ...stepFields,
    attempt: { input: stepOutput("id"), required: true, essential: true, compare: attempts },
    newShares,
    waitSeconds,
    replaceBackup,
    confirm,
    onWaiting,
    submission: { output: true, secretOutput: true, secretParts: ["candidate", "kept"] },
  },
  // A preview and an update continue, and a refresh reports no drift.
  work: ({ submission }) => (submission && isPending(submission) ? new Date(0) : "none"),
  planNotes,
  read: async ({ state }) => state,
};
