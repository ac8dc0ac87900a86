import { isDeepStrictEqual } from "node:util";
import { Comparison } from "../../../contract/comparison";
import { Claims, Definition, DeleteRequest } from "../../../contract/definition";
import { PartialState, StewardError } from "../../../contract/errors";
import { valueAt } from "../../../contract/inputs";
import { cancelLeftovers } from "../attempt/cancel";
import { identityOf } from "../attempt/state";
import { definitionOf, rekeyObjects } from "../definition";
import { rekeyFields, stepFields, stepOutput } from "../inputs";
import { getBackup } from "../protocol/api";
import { isEmpty, redacting, ShareSet, shareOf, sharesIn } from "../protocol/crypto";
import { assertSavesEachStep, log, ofTarget, RekeyOperation, recording } from "../protocol/operation";
import { firstValid } from "../protocol/probe";
import { extended } from "../protocol/record";
import { observe } from "../protocol/server-state";
import { stopped } from "../protocol/stops";
import { becameLive, recordLive, recordOutcome } from "../submission/outcome";
import { isForHolders, isUnknown, Submission } from "../submission/state";
import { finish } from "./finish";
import { commit } from "./rows";
import { CommitRun } from "./run";
import { CommitInputs, CommitState, LastCommit, stateOf } from "./state";

// The third of the three resources of a rekey: it proves the new shares, commits them, and only then outputs them as live.

async function up(connected: RekeyOperation, inputs: CommitInputs, last: LastCommit): Promise<CommitState> {
  const { submission } = inputs;
  const { operation, record } = recording(connected, extended(last.record, submission.record));
  const { attempt, candidate, nonces } = submission;
  assertNotGathered(last);
  // The holders of the shares step are not done.
  if (!candidate || isForHolders(submission)) return stateOf("open", last.live, submission, record);
  const isSame = isDeepStrictEqual(last.submission?.candidate, candidate);
  const isHeld = candidate.encrypted.length > 0;
  // Without verification, the response with the new shares has committed them.
  const first = attempt.parameters.verification ? "open" : "live";
  const outcome = isHeld ? "live" : isSame ? (last.outcome ?? "open") : first;
  const shares = candidate.shares.map((share, index) => shareOf(share, `new share ${index + 1} of ${candidate.shares.length}`));
  const previousLive = isSame && last.outcome === "live" ? last.previousLive : submission.isClaimed ? last.live : undefined;
  const run: CommitRun = {
    operation: redacting(operation, [{ shares }]),
    inputs: { ...inputs, attempt },
    identity: identityOf(attempt, nonces, candidate.nonce),
    state: { submission: { ...submission, outcome } },
    shares,
    supplied: shares.length,
    live: last.live,
  };
  const saved = (): CommitState => {
    const { outcome: known } = run.state.submission as Pick<CommitState, "outcome">;
    return { ...stateOf(known, known === "live" ? candidate : run.live, submission, record), ...(previousLive ? { previousLive } : {}) };
  };
  try {
    if (outcome !== "live") assertSavesEachStep(operation);
    if (outcome !== "live") await commit(run);
    // A claim does not show that every other set is worthless.
    if (!submission.isClaimed && !(isSame && last.outcome === "live")) recordLive(operation);
    await finish(run, inputs.removeBackup);
    return saved();
  } catch (error) {
    throw error instanceof PartialState ? new PartialState({ ...saved(), outcomeUnknown: true }, error.details) : error;
  }
}

/** An earlier version of this package collected decrypted new shares in the state. */
function assertNotGathered(last: object): void {
  const { gathered } = last as { gathered?: readonly unknown[] };
  if (!gathered?.length) return;
  const reason = "the state has decrypted new shares, which an earlier version of this package collected; nothing was sent";
  const hint =
    "Cancel the attempt with `pulumi-steward rekey cancel`, remove this resource with `pulumi state delete <URN>`, and delete the older versions of the state.";
  throw stopped("unexpected-state", reason, hint);
}

/** Only different new shares, progress with them, or something to record is a change. */
const results: Comparison = {
  equal: (a, b) =>
    ["candidate", "outcome", "progress", "record"].every((part) => isDeepStrictEqual(valueAt(a, [part]), valueAt(b, [part]))),
};

/**
 * True if another resource has the valid shares, so that those of this one are worthless. No clock shows which set is newer: shares that became valid in this
 * run are, and the server shows if it accepts others that the state has.
 */
async function isSucceeded(claims: Claims, operation: RekeyOperation, { attempt }: Submission): Promise<boolean> {
  const { outcome, live } = (claims.managerOf(rekeyObjects(operation).commit) ?? {}) as LastCommit;
  if (outcome !== "live" || !live) return false;
  if (becameLive(operation)) return true;
  if (live.shares.length === 0) return false;
  const set = { shares: sharesIn(live), threshold: live.threshold };
  return (await firstValid(redacting(operation, [set]), attempt.probe, [set])) !== undefined;
}

const unsettled = (): StewardError => stopped("shares-unsettled", "it is unknown whether the new shares in the state are valid");

async function remove({ operation: connected, state }: DeleteRequest<CommitState>, claims: Claims): Promise<void> {
  const { submission, outcome, live, previousLive, discardShares } = state as LastCommit;
  const operation = ofTarget(connected, state as LastCommit);
  const objects = rekeyObjects(operation);
  claims.assertAdopted(objects.attempt);
  if (!submission) return;
  assertNotGathered(state);
  const { attempt, candidate, nonces, hadBackup } = submission;
  // Every set of this rekey is then worthless.
  if (await isSucceeded(claims, operation, submission)) return candidate && recordOutcome(operation, candidate.nonce, "live");
  const isOnlyCopy = async (set: ShareSet | undefined): Promise<boolean> =>
    set !== undefined && !isEmpty(set) && (set.shares.length > 0 || !(hadBackup && (await getBackup(operation))?.nonce === set.nonce));
  if (!discardShares && (await isOnlyCopy(live))) throw stopped("only-copy", "the state contains the only copy of valid shares");
  if (!discardShares && (await isOnlyCopy(previousLive)))
    throw stopped(
      "only-copy",
      "the state contains the only copy of the previous shares, which are valid if holders tested them as new ones",
      "Save them (`previousLive` in `pulumi stack export --show-secrets`), set discardShares: true, run `pulumi up`, and then delete the resource.",
    );
  if (isUnknown(submission) && !discardShares) throw unsettled();
  // The shares step knows about the new shares of holders, and cancels their attempt.
  if (!candidate || isForHolders(submission)) return;
  const observed = await observe(operation, identityOf(attempt, nonces, candidate.nonce));
  // Another resource of the program may have adopted the attempt.
  const mayEnd = !claims.managerOf(objects.commit);
  // Nothing is committed during the verification, unless the server failed in the middle of the commit.
  const isUncommitted = observed.server === "verifying" && outcome !== "unknown" && nonces.includes(observed.status.nonce);
  const isResolved = outcome === "live" || outcome === "dead" || isUncommitted;
  if (mayEnd && (isResolved || discardShares || observed.server === "probe")) await cancelLeftovers(operation, observed, nonces);
  if (!isResolved && !discardShares) throw unsettled();
  if (isResolved) recordOutcome(operation, candidate.nonce, outcome === "live" ? "live" : "dead");
}

export const rekeyCommit: Definition<CommitInputs, CommitState> = {
  ...definitionOf<CommitInputs, CommitState>("commit", up, remove),
  token: "secrets:RekeyCommit",
  id: "sys/rekey/verify",
  fields: {
    ...stepFields,
    submission: {
      input: stepOutput("attempt"),
      required: true,
      essential: true,
      compare: results,
      secretOutput: true,
      secretParts: ["candidate", "kept"],
    },
    removeBackup: { input: rekeyFields.removeBackup.input },
    outcome: { output: true },
    live: { output: true, secret: true },
    previousLive: { output: true, secret: true },
    shares: { output: true, secret: true },
    encryptedShares: { output: true },
    fingerprints: { output: true },
    progress: { output: true },
    complete: { output: true },
    record: { output: true },
  },
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
