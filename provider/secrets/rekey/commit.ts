import { isDeepStrictEqual } from "node:util";
import { Comparison } from "../../comparison";
import { Connection } from "../../connection";
import { Definition, PlanNote } from "../../definition";
import { assertNotRefused, heldByAnother, newInstance } from "../../ownership";
import { system } from "../client";
import { getBackup } from "./api";
import { redacting, shareDigest, shareOf } from "./crypto";
import { Brought, handedOn, rekeyFields, sharesAtHand } from "./inputs";
import {
  assertSavesEachStep,
  cancelOurs,
  drive,
  endOurs,
  isSucceeded,
  log,
  missingShares,
  observe,
  rekeyObjects,
  resolveConflict,
} from "./protocol";
import { notCommitted, resolveOutcome } from "./settle";
import { settledKey } from "./shares";
import { CommitInputs, CommitRun, CommitState, Gathered, isEmpty, LastCommit, oursOf, ShareSet, Submission, stateOf } from "./states";
import { stopped, unsettled } from "./stops";
import { finish, outcomeUnknown, proveAndVerify, waitForShares } from "./verify";

// The third of the three resources of a rekey: it proves the new shares, commits them, and only then calls them live.

async function up(connection: Connection, inputs: CommitInputs, last: LastCommit): Promise<CommitState> {
  const { attempt, candidate, nonces } = inputs.submission;
  const isSame = isDeepStrictEqual(last.submission?.candidate, candidate);
  const outcome = isSame ? (last.outcome ?? "open") : firstOutcome(inputs.submission);
  const isOpen = outcome === "open" || outcome === "unknown";
  const before = isSame ? (last.gathered ?? []) : [];
  const { gathered, missing } =
    isOpen && candidate.encrypted.length > 0 ? gather(connection, inputs, before) : { gathered: [], missing: [] };
  const shares =
    candidate.encrypted.length > 0
      ? gathered.map(({ label, share }) => shareOf(share, label))
      : candidate.shares.map((share, index) => shareOf(share, `new share ${index + 1} of ${candidate.shares.length}`));
  const run: CommitRun = {
    connection: redacting(connection, [{ shares }]),
    inputs,
    ours: oursOf(attempt, nonces, candidate.nonce),
    state: {
      ...stateOf(outcome, outcome === "live" ? candidate : last.live, gathered),
      ...(isSame && last.former ? { former: last.former } : {}),
    },
    shares,
    missing,
  };
  if (outcome === "live") return finish(run);
  if (outcome === "dead") throw notCommitted(run);
  assertSavesEachStep(connection);
  return step(run);
}

/** With the time since which the set is known to be live. */
async function dated(connection: Connection, inputs: CommitInputs, last: LastCommit): Promise<CommitState> {
  const state = await up(connection, inputs, last);
  const isKnown = last.outcome === "live" && isDeepStrictEqual(last.submission?.candidate, inputs.submission.candidate);
  return state.outcome === "live" ? { ...state, since: (isKnown && last.since) || newInstance() } : state;
}

/** Without verification the reply that brings the new shares has committed them; a lost reply leaves that open. */
function firstOutcome({ attempt, source }: Submission): CommitState["outcome"] {
  if (attempt.parameters.verification) return "open";
  return source === "reply" ? "live" : "unknown";
}

/** Adds this run's shares to those of earlier runs. Shares of an earlier set, left over in newShares, open the service and prove nothing. */
function gather(
  connection: Connection,
  { newShares = [], submission: { candidate, excluded } }: CommitInputs,
  before: readonly Gathered[],
): { gathered: Gathered[]; missing: string[] } {
  const { shares, missing } = sharesAtHand(newShares, "newShares");
  const fitting = shares.filter((share) => !excluded.includes(shareDigest(candidate.nonce, share)));
  for (const each of shares)
    if (!fitting.includes(each)) log(connection, `${each.label} is none of this rekey's new shares, and is left out`);
  const brought = fitting.map((share) => ({ label: named(share, newShares.length, candidate), share: share.bytes.toString("base64") }));
  const added = brought.filter(({ share }) => !before.some((known) => known.share === share));
  return { gathered: [...before, ...added], missing };
}

/** Where there is a share for each key, they stand in one order. */
function named({ label, index }: Brought, count: number, { encrypted }: ShareSet): string {
  const fingerprint = encrypted[index]?.fingerprint;
  return fingerprint && count === encrypted.length ? `${label} (${fingerprint})` : label;
}

async function step(run: CommitRun): Promise<CommitState> {
  const { connection, inputs, shares, state } = run;
  const { nonce, threshold } = inputs.submission.candidate;
  const isUnknown = state.outcome === "unknown";
  if (isUnknown && shares.length < threshold)
    throw await waitForShares(
      run,
      "outcome-unknown-shares-missing",
      `whether the new shares of the attempt ${nonce} are live is not known, and ${shares.length} of the ${threshold} decrypted ones needed to find out are at hand`,
    );
  const isGone = "our attempt is gone, after a commit, a seal, a failover or a cancel";
  return drive(run, "commit", isUnknown ? "an unknown outcome" : "a candidate", {
    "prove and verify": () => proveAndVerify(run),
    "outcome unknown": async () => {
      throw outcomeUnknown(run, isGone);
    },
    "cancel duplicate": async ({ status }) => {
      await cancelOurs(connection, status);
      if (!isUnknown) throw outcomeUnknown(run, isGone);
      return undefined;
    },
    probe: ({ status }) => resolveOutcome(run, status.required),
    conflict: async (observed) => void (await resolveConflict(connection, observed, inputs.onConflict, false)),
  });
}

/** Other new shares are a change. What else comes with them is not. */
const candidates: Comparison = {
  equal: (a, b) => isDeepStrictEqual((a as Submission | undefined)?.candidate, (b as Submission | undefined)?.candidate),
};
const { currentShares, newShares, proof, removeBackup: removal, onConflict, discardShares, connection } = rekeyFields;

/** Name the decrypted new shares that are still missing. */
const planNotes = ({ inputs, last }: { inputs: CommitInputs; last?: CommitState }): PlanNote[] => {
  const {
    submission: { candidate },
    newShares = [],
  } = inputs;
  return !last || last.outcome === "live" || candidate.encrypted.length === 0 ? [] : missingShares(newShares, "newShares");
};

/** @internal */
export const rekeyCommit: Definition<CommitInputs, CommitState> = {
  system,
  token: "secrets:RekeyCommit",
  displayName: "rekey",
  id: "sys/rekey/verify",
  fields: {
    submission: { input: handedOn("candidate"), required: true, compare: candidates, secretOutput: true },
    "submission.candidate": { secret: true },
    "submission.kept": { secret: true },
    currentShares,
    newShares,
    proof,
    removeBackup: { input: removal.input },
    onConflict,
    discardShares: { input: discardShares.input },
    outcome: { output: true },
    gathered: { output: true, secret: true },
    live: { output: true, secret: true },
    former: { output: true, secret: true },
    shares: { output: true, secret: true },
    encryptedShares: { output: true },
    fingerprints: { output: true },
    complete: { output: true },
    since: { output: true },
    connection,
  },
  objects: { fields: [], paths: () => [rekeyObjects.commit] },
  deleteBeforeReplace: true,
  planNotes,
  async read({ connection, state: previous }) {
    const { outcome, live, submission } = previous as LastCommit;
    if (outcome !== "live" || !live || !submission) return previous;
    const { server, status } = await observe(connection, oursOf(submission.attempt, submission.nonces));
    if (!isEmpty(live) && status.required !== 0 && status.required !== live.threshold)
      log(
        connection,
        `the service now asks for ${status.required} shares, and the set in the state has a threshold of ${live.threshold}: somebody has rekeyed it`,
      );
    if (server === "abandoned" || server === "probe")
      log(connection, `an attempt of ours is left on the server, ${status.nonce}: the next rekey ends it`);
    return previous;
  },
  create: ({ connection, inputs }) => dated(connection, inputs, {}),
  update: ({ connection, inputs, last }) => dated(connection, inputs, last),
  async delete({ connection, state }) {
    const { submission, outcome, live, discardShares } = state as LastCommit;
    assertNotRefused(connection, rekeyObjects.attempt);
    if (!submission) return;
    const { attempt, candidate, nonces, hadBackup } = submission;
    // Every set of this rekey is worthless then.
    if (isSucceeded(connection, state)) return void connection.cache.set(settledKey(connection, candidate.nonce), "live");
    const onlyCopy =
      live && !isEmpty(live) && (live.shares.length > 0 || !(hadBackup && (await getBackup(connection))?.nonce === live.nonce));
    if (onlyCopy && !discardShares)
      throw stopped(
        "only-copy",
        "the state holds the only copy of shares that open the service",
        "Put them where they belong (`pulumi stack output --show-secrets`), set discardShares: true, run `pulumi up`, and delete then.",
      );
    const observed = await observe(connection, oursOf(attempt, nonces, candidate.nonce));
    // Another resource of the program may have taken our attempt over.
    const mayEnd = !heldByAnother(connection, rekeyObjects.commit);
    // While it is being verified nothing is committed: it dies with its attempt.
    const isSettled = outcome === "live" || outcome === "dead" || observed.server === "verifying";
    if (mayEnd && (isSettled || discardShares || observed.server === "probe")) await endOurs(connection, observed);
    if (!isSettled && !discardShares) throw unsettled("outcome-unsettled", "whether the new shares in the state are live is not known");
    if (isSettled) connection.cache.set(settledKey(connection, candidate.nonce), outcome === "live" ? "live" : "dead");
  },
};
