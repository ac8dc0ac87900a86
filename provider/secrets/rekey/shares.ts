import { Comparison } from "../../comparison";
import { Operation } from "../../connection";
import { Definition, PlanNote } from "../../definition";
import { PartialState, StewardError } from "../../errors";
import { assertAdopted, otherManagerOf } from "../../lifecycle/ownership";
import { system } from "../client";
import { getBackup } from "./api";
import { rekeyFields, stepOutput } from "./inputs";
import {
  assertSavesEachStep,
  cancelLeftovers,
  cancelOwnAttempt,
  drive,
  missingShares,
  observe,
  recipients,
  rekeyObjects,
  resolveConflict,
} from "./protocol";
import { Attempt, hasSubkeys, identityOf, isEmpty, LastShares, SharesInputs, SharesRun, SharesState, Submission } from "./states";
import { noShares, stopped, unresolved } from "./stops";
import { fromBackup, recover, restart, restarted, submit } from "./submit";

// The second of the three resources of a rekey: it submits the current shares, and saves the new ones before they are committed.

async function up(operation: Operation, inputs: SharesInputs, last: LastShares): Promise<SharesState> {
  const { attempt } = inputs;
  const { submission: before } = last;
  const isSame = last.attempt?.id === attempt.id;
  if (isSame && before?.candidate && !last.outcomeUnknown) return { submission: before };
  if (isSame && before?.candidate && isEmpty(before.candidate))
    throw stopped("no-shares-returned", noShares.reason, noShares.hint, "ERR_REJECTED");
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
  if (before?.hadBackup && last.attempt) await keepBackup(operation, submission, last.attempt.parameters.threshold);
  return step({ operation, inputs, identity: identityOf(attempt, submission.nonces, nonce), state: { submission } });
}

/** Keeps the set in the backup, which may be live: other holders may have completed it, or its response was lost. */
async function keepBackup(operation: Operation, { nonce, nonces, kept }: Submission, threshold: number): Promise<void> {
  const backup = await getBackup(operation);
  if (!backup || !nonces.includes(backup.nonce) || backup.nonce === nonce) return;
  if (kept.some((set) => set.nonce === backup.nonce)) return;
  const encrypted = Object.entries(backup.keys).flatMap(([fingerprint, shares]) => shares.map((share) => ({ fingerprint, share })));
  kept.unshift({ nonce: backup.nonce, threshold, shares: [], encrypted });
}

const step = (run: SharesRun): Promise<SharesState> =>
  drive(run, "shares", run.identity.nonce ? "a nonce" : "no nonce", {
    restart: async () => {
      // Without verification the last share commits. A probe finds out later if the shares of a lost response are live.
      const found = run.identity.parameters.verification ? undefined : await fromBackup(run);
      return (
        found ??
        restart(run, "attempt-restarted", "the attempt was gone (a seal, a failover or a cancel), so the provider started a new one")
      );
    },
    "abandon and start": async ({ status }) => {
      await cancelOwnAttempt(run.operation, status);
      return restart(run, "attempt-abandoned", "the provider canceled an older attempt of this rekey and started a new one");
    },
    "take over": async ({ status }) => {
      throw restarted(run, "attempt-taken-over", status.nonce, "the provider took over a matching attempt without shares");
    },
    "submit shares": (observed) =>
      submit(run, observed).catch((error) => {
        // Save what was submitted, so that no run submits it again.
        if (error instanceof PartialState || !(error instanceof StewardError) || run.state.submission.submitted.length === 0) throw error;
        throw new PartialState({ ...run.state, outcomeUnknown: true }, error.details);
      }),
    recover: (observed) => recover(run, observed),
    conflict: async (observed) => {
      const nonce = await resolveConflict(run.operation, observed, run.inputs.onConflict, true);
      if (nonce) throw restarted(run, "attempt-resumed", nonce, "the provider resumed another client's matching attempt");
      return undefined;
    },
  });

/** The cache key under which the commit, deleted in the same run, stores the outcome of its candidate. */
export const outcomeKey = ({ server: { id: server } }: Operation, nonce: string): string => `rekey: outcome of ${nonce} on ${server}`;

/** Only a different attempt is a change. */
const attempts: Comparison = { equal: (a, b) => (a as Attempt | undefined)?.id === (b as Attempt | undefined)?.id };
const { currentShares, newShares, waitSeconds, replaceBackup, onConflict, discardShares, connection } = rekeyFields;

/** Notes that tell a holder in the preview for which rekey the share will be submitted. */
async function planNotes({ inputs, last }: { inputs: SharesInputs; last?: SharesState }): Promise<PlanNote[]> {
  const { nonce, parameters } = inputs.attempt;
  if (!last || last.submission?.candidate || !nonce) return [];
  const to = await recipients(parameters.pgpKeys);
  return [
    {
      path: "",
      text: `the available current shares will be submitted, as long as the attempt accepts them, to make ${parameters.shares} new ones, threshold ${parameters.threshold}${to}`,
    },
    ...missingShares(inputs.currentShares, "currentShares"),
  ];
}

export const rekeyShares: Definition<SharesInputs, SharesState> = {
  system,
  token: "secrets:RekeyShares",
  displayName: "rekey",
  id: "sys/rekey/update",
  fields: {
    attempt: { input: stepOutput("id"), required: true, essential: true, compare: attempts },
    currentShares,
    newShares,
    waitSeconds,
    replaceBackup,
    onConflict,
    discardShares: { input: discardShares.input },
    submission: { output: true, secretOutput: true },
    "submission.candidate": { secret: true },
    "submission.kept": { secret: true },
    connection,
  },
  objects: { fields: [], paths: () => [rekeyObjects.shares] },
  deleteBeforeReplace: true,
  planNotes,
  read: async ({ state }) => state,
  create: ({ operation, inputs }) => up(operation, inputs, {}),
  update: ({ operation, inputs, last }) => up(operation, inputs, last),
  async delete({ operation, state }) {
    const { attempt, submission, discardShares } = state as LastShares;
    const { candidate, kept = [], nonces = [], nonce } = submission ?? {};
    assertAdopted(operation, rekeyObjects.attempt);
    if (!attempt) return;
    const observed = await observe(operation, identityOf(attempt, nonces, nonce));
    // Another resource of the program may have taken the attempt over.
    if (!otherManagerOf(operation, rekeyObjects.shares)) await cancelLeftovers(operation, observed, nonces);
    // The commit, deleted before, knows the outcome, or the canceled attempt made the shares worthless.
    const verdict = candidate && operation.run.cache.get(outcomeKey(operation, candidate.nonce));
    // A live candidate makes every other set worthless. A dead one does not.
    const isCanceled = observed.server === "verifying" && nonces.includes(observed.status.nonce);
    const isWorthless = !candidate || isEmpty(candidate) || verdict === "dead" || isCanceled;
    const judged = verdict === "live" || (kept.length === 0 && isWorthless);
    if (judged || discardShares) return;
    throw unresolved("shares-unsettled", "the state holds shares that may be live");
  },
};
