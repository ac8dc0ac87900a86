import { Comparison } from "../../../contract/comparison";
import { Claims, Definition, DeleteRequest } from "../../../contract/definition";
import { PartialState, StewardError } from "../../../contract/errors";
import { cancelLeftovers, cancelObserved, oldProbe } from "../attempt/cancel";
import { onConflictDecides, resolveConflict, tamperedAttempt } from "../attempt/conflict";
import { assertNoForeignBackup } from "../attempt/start";
import { Attempt, hasSubkeys, identityOf } from "../attempt/state";
import { definitionOf, rekeyObjects } from "../definition";
import { missingShares, rekeyFields, stepOutput } from "../inputs";
import { getBackup } from "../protocol/api";
import { encryptedTo, isEmpty, ShareSet } from "../protocol/crypto";
import { assertSavesEachStep, ofTarget, RekeyOperation } from "../protocol/operation";
import { followRows, Row } from "../protocol/rows";
import { Observed, observe } from "../protocol/server-state";
import { noShares, stopped } from "../protocol/stops";
import { makeFirst } from "./first-keys";
import { recordedOutcome } from "./outcome";
import { fromBackup, recover } from "./receive";
import { restart, restarted } from "./restart";
import { LastShares, SharesInputs, SharesRun, SharesState, Submission } from "./state";
import { submit } from "./submit";

// The second of the three resources of a rekey: it submits the current shares, and saves the new ones before they are committed.

async function up(operation: RekeyOperation, inputs: SharesInputs, last: LastShares): Promise<SharesState> {
  const { attempt } = inputs;
  const { submission: before } = last;
  const isSame = last.attempt?.id === attempt.id;
  if (isSame && before?.candidate && !last.outcomeUnknown) return { submission: before };
  if (isSame && before?.candidate && isEmpty(before.candidate)) throw stopped("no-shares-returned", noShares);
  assertSavesEachStep(operation);
  // A set that this rekey made may be valid, unless it is known to be dead.
  const kept = [...(before?.candidate && !isEmpty(before.candidate) ? [before.candidate] : []), ...(before?.kept ?? [])];
  // An attempt that was started for other subkeys of the same keys is another one.
  const continues = isSame && before && hasSubkeys(before.attempt, attempt.parameters);
  const nonce = (continues ? before.nonce : undefined) ?? attempt.nonce;
  const submission: Submission = {
    attempt,
    nonce,
    nonces: [...new Set([...(before?.nonces ?? []), ...attempt.nonces])],
    kept,
    submitted: continues ? before.submitted : [],
    excluded: [],
    refused: continues ? before.refused : [],
    hadBackup: (before?.hadBackup ?? false) || attempt.parameters.backup,
    ...(before?.replacedBackup ? { replacedBackup: before.replacedBackup } : {}),
  };
  if (before?.hadBackup && last.attempt) submission.kept = await keptWithBackup(operation, submission, last.attempt.parameters.threshold);
  const identity = identityOf(attempt, submission.nonces, nonce);
  return followRows("shares", sharesRows, nonce ? "a nonce" : "no nonce", { operation, inputs, identity, state: { submission } });
}

/** The kept sets, and that in the backup, which may be live: other holders may have completed it, or its response was lost. */
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
  { server: ["matchingUnused"], log: "a matching attempt without shares is in progress: the rekey adopts it", act: adopt },
  {
    holds: ["a nonce"],
    server: ["collecting"],
    log: "the attempt is collecting current shares: the rekey submits the available ones",
    act: submitAvailable,
  },
  {
    holds: ["a nonce"],
    server: ["verifying"],
    log: "the response with the new shares is missing: the rekey reads the backup or starts over",
    act: recover,
  },
  tamperedAttempt,
  { server: ["matchingInUse", "foreign"], log: onConflictDecides, act: resumeOrCancel },
];

async function restartLost(run: SharesRun): Promise<SharesState> {
  // Without verification the last share commits. A probe finds out later if the shares of a lost response are live.
  const state = run.identity.parameters.verification ? undefined : await fromBackup(run);
  if (state) return state;
  await assertNoForeignBackup(run.operation, { ...run.identity, nonces: run.state.submission.nonces }, run.inputs);
  return restart(run, "attempt-restarted", "the attempt was gone (a seal, a failover or a cancel), so the provider started a new one");
}

async function adopt(run: SharesRun, { status }: Observed): Promise<never> {
  throw restarted(run, "attempt-adopted", status.nonce, "the provider adopted a matching attempt without shares");
}

async function submitAvailable(run: SharesRun, observed: Observed): Promise<SharesState> {
  return submit(run, observed).catch((error) => {
    // Save what was submitted, so that no run submits it again.
    if (error instanceof PartialState || !(error instanceof StewardError) || run.state.submission.submitted.length === 0) throw error;
    throw new PartialState({ ...run.state, outcomeUnknown: true }, error.details);
  });
}

async function resumeOrCancel(run: SharesRun, observed: Observed): Promise<undefined> {
  const nonce = await resolveConflict(run.operation, observed, run.inputs.onConflict, true);
  if (nonce) throw restarted(run, "attempt-adopted", nonce, "the provider resumed another client's matching attempt");
}

/** Only a different attempt is a change. */
const attempts: Comparison = { equal: (a, b) => (a as Attempt | undefined)?.id === (b as Attempt | undefined)?.id };
const { target, currentShares, newShares, waitSeconds, replaceBackup, onConflict, discardShares, connection } = rekeyFields;

/** Notes that tell a holder in the preview for which rekey the share will be submitted. */
const planNotes: Definition<SharesInputs, SharesState>["planNotes"] = async ({ inputs, last }) => {
  const { nonce, parameters } = inputs.attempt;
  if (!last || last.submission?.candidate || !nonce) return [];
  const to = await encryptedTo(parameters.pgpKeys);
  return [
    {
      path: "",
      reason: `the available current shares will be submitted, as long as the attempt accepts them, to create ${parameters.shares} new ones, threshold ${parameters.threshold}${to}`,
    },
    ...missingShares(inputs.currentShares, "currentShares"),
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
  // Another resource of the program may have taken the attempt over.
  if (!claims.managerOf(objects.shares)) await cancelLeftovers(operation, observed, nonces);
  // The commit, deleted before, knows the outcome, or the canceled attempt made the shares worthless.
  const outcome = candidate && recordedOutcome(operation, candidate.nonce);
  // A live candidate makes every other set worthless. A dead one does not.
  const isCanceled = observed.server === "verifying" && nonces.includes(observed.status.nonce);
  const isWorthless = !candidate || isEmpty(candidate) || outcome === "dead" || isCanceled;
  const judged = outcome === "live" || (kept.length === 0 && isWorthless);
  if (judged || discardShares) return;
  throw stopped("shares-unsettled", "the state contains shares that may be live");
}

export const rekeyShares: Definition<SharesInputs, SharesState> = {
  ...definitionOf<SharesInputs, SharesState>("shares", up, remove),
  token: "secrets:RekeyShares",
  id: "sys/rekey/update",
  fields: {
    target,
    attempt: { input: stepOutput("id"), required: true, essential: true, compare: attempts },
    currentShares,
    newShares,
    waitSeconds,
    replaceBackup,
    onConflict,
    discardShares: { input: discardShares.input },
    submission: { output: true, secretOutput: true, secretParts: ["candidate", "kept"] },
    connection,
  },
  planNotes,
  read: async ({ state }) => state,
};
