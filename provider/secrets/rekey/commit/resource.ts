import { isDeepStrictEqual } from "node:util";
import { Comparison } from "../../../contract/comparison";
import { Claims, Definition, DeleteRequest } from "../../../contract/definition";
import { valueAt } from "../../../contract/inputs";
import { cancelLeftovers, oldProbe } from "../attempt/cancel";
import { onConflictDecides, resolveConflict, tamperedAttempt } from "../attempt/conflict";
import { identityOf } from "../attempt/state";
import { definitionOf, rekeyObjects } from "../definition";
import { availableShares, missingShares, ProgramShare, rekeyFields, stepOutput } from "../inputs";
import { getBackup } from "../protocol/api";
import { isEmpty, redacting, ShareSet, shareDigest, shareOf } from "../protocol/crypto";
import { assertSavesEachStep, log, ofTarget, RekeyOperation } from "../protocol/operation";
import { followRows, Row, unexpectedState } from "../protocol/rows";
import { Observed, observe } from "../protocol/server-state";
import { stopped } from "../protocol/stops";
import { recordOutcome } from "../shares/outcome";
import { Submission } from "../shares/state";
import { notCommitted, resolveOutcome, stopDead } from "./outcome";
import { CommitInputs, CommitRun, CommitState, Gathered, LastCommit, stateOf } from "./state";
import { finish, proveAndVerify, unknownOutcome, waitForShares } from "./verify";

// The third of the three resources of a rekey: it proves the new shares, commits them, and only then outputs them as live.

async function up(operation: RekeyOperation, inputs: CommitInputs, last: LastCommit): Promise<CommitState> {
  const { attempt, candidate, nonces } = inputs.submission;
  const isSame = isDeepStrictEqual(last.submission?.candidate, candidate);
  const outcome = isSame ? (last.outcome ?? "open") : firstOutcome(inputs.submission);
  const isOpen = outcome === "open" || outcome === "unknown";
  const before = isSame ? (last.gathered ?? []) : [];
  const { gathered, missing } =
    isOpen && candidate.encrypted.length > 0 ? gather(operation, inputs, before) : { gathered: [], missing: [] };
  // A set with encrypted shares, which holders decrypt and bring, has no others.
  const shares = [
    ...gathered.map(({ label, share }) => shareOf(share, label)),
    ...candidate.shares.map((share, index) => shareOf(share, `new share ${index + 1} of ${candidate.shares.length}`)),
  ];
  const run: CommitRun = {
    operation: redacting(operation, [{ shares }]),
    inputs,
    identity: identityOf(attempt, nonces, candidate.nonce),
    state: {
      ...stateOf(outcome, outcome === "live" ? candidate : last.live, gathered),
      ...(isSame && last.previousLive ? { previousLive: last.previousLive } : {}),
      ...(isSame && last.since ? { since: last.since } : {}),
    },
    shares,
    missing,
  };
  if (outcome === "live") return finish(run);
  if (outcome === "dead") throw notCommitted(run);
  assertSavesEachStep(operation);
  const { nonce, threshold } = candidate;
  if (outcome === "unknown" && shares.length < threshold)
    throw await waitForShares(
      run,
      `it is unknown whether the new shares of the attempt ${nonce} are live: ${shares.length} of ${threshold} decrypted shares required for the test are available`,
    );
  return followRows("commit", commitRows, outcome === "unknown" ? "an unknown outcome" : "a candidate", run);
}

/** Without verification the response with the new shares has committed them. If it is lost, the outcome is unknown. */
function firstOutcome({ attempt, source }: Submission): CommitState["outcome"] {
  if (attempt.parameters.verification) return "open";
  return source === "reply" ? "live" : "unknown";
}

/** Adds this run's shares to those of earlier runs. Shares of an earlier set in newShares are valid, but prove nothing. */
function gather(operation: RekeyOperation, inputs: CommitInputs, before: readonly Gathered[]): { gathered: Gathered[]; missing: string[] } {
  const { newShares = [], submission } = inputs;
  const { candidate, excluded } = submission;
  const { shares, missing } = availableShares(newShares, "newShares");
  const fitting = shares.filter((share) => !excluded.includes(shareDigest(candidate.nonce, share)));
  for (const each of shares)
    if (!fitting.includes(each)) log(operation, `${each.label} is not one of this rekey's new shares, and is ignored`);
  const available = fitting.map((share) => ({ label: labelOf(share, newShares.length, candidate), share: share.bytes.toString("base64") }));
  const added = available.filter(({ share }) => !before.some((earlier) => earlier.share === share));
  return { gathered: [...before, ...added], missing };
}

/** With one share for each key, both lists have the same order. */
function labelOf({ label, index }: ProgramShare, count: number, { encrypted }: ShareSet): string {
  const fingerprint = encrypted[index]?.fingerprint;
  return fingerprint && count === encrypted.length ? `${label} (${fingerprint})` : label;
}

/** The new shares are saved, and either they or the previous ones are valid. */
export const commitRows: readonly Row<CommitRun, CommitState>[] = [
  {
    server: ["verifying"],
    log: "the new shares are saved but not verified: the rekey proves and commits them",
    act: proveAndVerify,
  },
  {
    holds: ["a candidate"],
    server: ["none"],
    log: "the attempt is gone, and it may have been committed: the outcome is unknown",
    act: async (run) => {
      throw unknownOutcome(run, "the attempt is gone, after a commit, a seal, a failover or a cancel");
    },
  },
  { server: ["noKeys"], log: "the attempt is gone, and there are still no recovery keys: the new ones are dead", act: stopFirst },
  oldProbe,
  tamperedAttempt,
  { server: ["matchingUnused", "matchingInUse", "matchingFirst", "foreign"], log: onConflictDecides, act: cancelConflicting },
  {
    holds: ["an unknown outcome"],
    server: ["none"],
    log: "the outcome is unknown: a probe tests which shares are live",
    act: resolveOutcome,
  },
];

async function stopFirst(run: CommitRun, observed: Observed): Promise<never> {
  const { source, excluded } = run.inputs.submission;
  // Current shares made this set, so there were keys: another service responds.
  if (source === "backup" || excluded.length > 0) throw unexpectedState(run.operation, observed, "a candidate");
  return stopDead(run, run.state.live);
}

async function cancelConflicting({ operation, inputs }: CommitRun, observed: Observed): Promise<undefined> {
  await resolveConflict(operation, observed, inputs.onConflict, false);
}

/** Only different new shares are a change. */
const candidates: Comparison = { equal: (a, b) => isDeepStrictEqual(valueAt(a, ["candidate"]), valueAt(b, ["candidate"])) };
const { target, currentShares, newShares, proof, removeBackup: removal, onConflict, discardShares, connection } = rekeyFields;

/** Notes for the missing decrypted new shares. */
const planNotes: Definition<CommitInputs, CommitState>["planNotes"] = ({ inputs: { submission, newShares = [] }, last }) =>
  !last || last.outcome === "live" || submission.candidate.encrypted.length === 0 ? [] : missingShares(newShares, "newShares");

/** True if another resource's shares became live after this one's, which are now worthless. */
function isSucceeded(claims: Claims, operation: RekeyOperation, { since }: { since?: string }): boolean {
  const other = claims.managerOf(rekeyObjects(operation).commit) as { outcome?: unknown; since?: string } | undefined;
  return other?.outcome === "live" && other.since !== undefined && since !== undefined && other.since > since;
}

async function remove({ operation: connected, state }: DeleteRequest<CommitState>, claims: Claims): Promise<void> {
  const { submission, outcome, live, discardShares } = state as LastCommit;
  const operation = ofTarget(connected, state as LastCommit);
  const objects = rekeyObjects(operation);
  claims.assertAdopted(objects.attempt);
  if (!submission) return;
  const { attempt, candidate, nonces, hadBackup } = submission;
  // Every set of this rekey is then worthless.
  if (isSucceeded(claims, operation, state)) return recordOutcome(operation, candidate.nonce, "live");
  const onlyCopy = live && !isEmpty(live) && (live.shares.length > 0 || !(hadBackup && (await getBackup(operation))?.nonce === live.nonce));
  if (onlyCopy && !discardShares) throw stopped("only-copy", "the state contains the only copy of valid shares");
  const observed = await observe(operation, identityOf(attempt, nonces, candidate.nonce));
  // Another resource of the program may have adopted the attempt.
  const mayEnd = !claims.managerOf(objects.commit);
  // Nothing is committed during the verification, unless the server failed in the middle of the commit.
  const isUncommitted = observed.server === "verifying" && outcome !== "unknown" && nonces.includes(observed.status.nonce);
  const isResolved = outcome === "live" || outcome === "dead" || isUncommitted;
  if (mayEnd && (isResolved || discardShares || observed.server === "probe")) await cancelLeftovers(operation, observed, nonces);
  if (!isResolved && !discardShares) throw stopped("shares-unsettled", "it is unknown whether the new shares in the state are live");
  if (isResolved) recordOutcome(operation, candidate.nonce, outcome === "live" ? "live" : "dead");
}

export const rekeyCommit: Definition<CommitInputs, CommitState> = {
  ...definitionOf<CommitInputs, CommitState>("commit", up, remove),
  token: "secrets:RekeyCommit",
  id: "sys/rekey/verify",
  fields: {
    target,
    submission: {
      input: stepOutput("candidate"),
      required: true,
      essential: true,
      compare: candidates,
      secretOutput: true,
      secretParts: ["candidate", "kept"],
    },
    currentShares,
    newShares,
    proof,
    removeBackup: { input: removal.input },
    onConflict,
    discardShares: { input: discardShares.input },
    outcome: { output: true },
    gathered: { output: true, secret: true },
    live: { output: true, secret: true },
    previousLive: { output: true, secret: true },
    shares: { output: true, secret: true },
    encryptedShares: { output: true },
    fingerprints: { output: true },
    complete: { output: true },
    since: { output: true },
    connection,
  },
  planNotes,
  async read({ operation: connected, state: previous }) {
    const { outcome, live, submission } = previous as LastCommit;
    const operation = ofTarget(connected, previous as LastCommit);
    if (outcome !== "live" || !live || !submission) return previous;
    const { server, status } = await observe(operation, identityOf(submission.attempt, submission.nonces));
    if (!isEmpty(live) && status.required !== 0 && status.required !== live.threshold)
      log(
        operation,
        `${operation.server.words.service} now requires ${status.required} shares, but the set in the state has a threshold of ${live.threshold}: another client has rekeyed it`,
      );
    if (server === "abandoned" || server === "probe")
      log(operation, `this rekey's attempt ${status.nonce} is still in progress: the next rekey cancels it`);
    if (server === "matchingUnused")
      log(
        operation,
        `an attempt ${status.nonce} like this rekey's, without shares, is in progress: another client or a killed run started it`,
      );
    return previous;
  },
};
