import { Comparison } from "../../comparison";
import { Connection } from "../../connection";
import { Definition, PlanNote } from "../../definition";
import { StewardError, Unfinished } from "../../errors";
import { namesWith } from "../../fields";
import { assertNotRefused, heldByAnother } from "../../ownership";
import { system } from "../client";
import { handedOn, rekeyFields } from "./declaration";
import { give } from "./giving";
import { getBackup } from "./server";
import { begunAnew, fromBackup, Last, Run, recover, SharesInputs, SharesState, startAgain } from "./shares-run";
import { look } from "./situation";
import {
  Attempt,
  assertSavesEachStep,
  cancelOurs,
  cancelProbe,
  endOurs,
  missingShares,
  oursOf,
  recipients,
  refuseAltered,
  rekeyObjects,
  settleConflict,
  unforeseen,
  unsettled,
} from "./steps";
import { isEmpty, noShares } from "./stored-seal";
import { decide } from "./table";

// The second of the three resources of a rekey: it gives the current shares, and keeps the new ones, of which nothing is committed yet.

async function up(connection: Connection, inputs: SharesInputs, last: Last): Promise<SharesState> {
  const { attempt } = inputs;
  const isSame = last.attempt?.id === attempt.id;
  if (isSame && last.candidate && !last.unfinished) return stateIn(last);
  if (isSame && last.candidate && isEmpty(last.candidate)) throw new StewardError({ code: "ERR_REFUSED", ...noShares });
  assertSavesEachStep(connection);
  // A set that we made and do not know to be dead may be the one that opens the service.
  const kept = [...(last.candidate && !isEmpty(last.candidate) ? [last.candidate] : []), ...(last.kept ?? [])];
  const nonce = (isSame ? last.nonce : undefined) ?? attempt.nonce;
  const state: SharesState = {
    nonce,
    nonces: [...new Set([...(last.nonces ?? []), ...attempt.nonces])],
    kept,
    given: isSame ? (last.given ?? []) : [],
    foreign: [],
    refused: isSame ? (last.refused ?? []) : [],
    hadBackup: (last.hadBackup ?? false) || attempt.parameters.backup,
    ...(last.replacedBackup ? { replacedBackup: last.replacedBackup } : {}),
  };
  if (last.hadBackup && last.attempt) await keepBackup(connection, state, last.attempt.parameters.threshold);
  return step({ connection, inputs, ours: oursOf(attempt, state.nonces, nonce), state });
}

/** What other holders completed of an attempt of ours, or a lost reply brought, is in the backup alone: it may be the live set. */
async function keepBackup(connection: Connection, state: SharesState, threshold: number): Promise<void> {
  const backup = await getBackup(connection);
  if (!backup || !state.nonces.includes(backup.nonce) || backup.nonce === state.nonce) return;
  if (state.kept.some(({ nonce }) => nonce === backup.nonce)) return;
  const encrypted = Object.entries(backup.keys).flatMap(([fingerprint, shares]) => shares.map((share) => ({ fingerprint, share })));
  state.kept.unshift({ nonce: backup.nonce, threshold, shares: [], encrypted });
}

/** Without the inputs of the last run, which would come before those of this one. */
const stateIn = (last: Last): SharesState =>
  Object.fromEntries(namesWith(rekeyShares.fields, "output").map((name) => [name, last[name as keyof Last]])) as unknown as SharesState;

async function step(run: Run): Promise<SharesState> {
  const { connection, inputs, ours, state } = run;
  for (;;) {
    const situation = await look(connection, ours);
    const holds = ours.nonce ? "a nonce" : "no nonce";
    switch (decide(connection, "shares", holds, situation)) {
      case "start again": {
        // Without verification the last share commits: whether what its lost reply brought is live, is found out later.
        const found = ours.parameters.verification ? undefined : await fromBackup(run);
        return found ?? startAgain(run, "the attempt was gone (a seal, a failover or a cancel)");
      }
      case "give up and start":
        await cancelOurs(connection, situation.status);
        return startAgain(run, "an older attempt of ours was cancelled");
      case "cancel probe":
        await cancelProbe(connection, situation);
        break;
      case "take over":
        throw begunAnew(run, situation.status.nonce, "an attempt exactly like ours, without a share, was taken over");
      case "give shares":
        return give(run, situation).catch((error) => {
          // What was given so far is not given again.
          if (error instanceof Unfinished || !(error instanceof StewardError) || state.given.length === 0) throw error;
          throw new Unfinished({ ...state, unfinished: true }, error.facts);
        });
      case "recover":
        return recover(run, situation);
      case "refuse altered":
        throw refuseAltered(situation);
      case "conflict": {
        const nonce = await settleConflict(connection, situation, inputs.onConflict, true);
        if (nonce) throw begunAnew(run, nonce, "somebody else's attempt, exactly like ours, goes on as ours");
        break;
      }
      default:
        throw unforeseen(situation, holds);
    }
  }
}

/** Where the commit, deleted in the same run, has left word that its sets are settled. @internal */
export const settledKey = ({ server }: Connection, nonce: string): string => `rekey ${nonce} settled on ${server}`;

/** Only another attempt is a change. */
const attempts: Comparison = { equal: (a, b) => (a as Attempt | undefined)?.id === (b as Attempt | undefined)?.id };
const { currentShares, newShares, waitSeconds, replaceBackup, onConflict, discardShares, connection } = rekeyFields;

/** What a holder sees in a preview, before giving a share. */
async function planNotes({ inputs, last }: { inputs: SharesInputs; last?: SharesState }): Promise<PlanNote[]> {
  const { nonce, parameters } = inputs.attempt;
  if (!last || last.candidate || !nonce) return [];
  const to = await recipients(parameters.pgpKeys);
  return [
    {
      path: "",
      text: `the current shares at hand will be given, as far as the attempt still takes them, for ${parameters.shares} new ones, threshold ${parameters.threshold}${to}`,
    },
    ...missingShares(inputs.currentShares, "currentShares"),
  ];
}

/** @internal */
export const rekeyShares: Definition<SharesInputs, SharesState> = {
  system,
  token: "secrets:RekeyShares",
  noun: "rekey",
  id: "sys/rekey/update",
  fields: {
    attempt: { input: handedOn, required: true, compare: attempts },
    currentShares,
    newShares,
    waitSeconds,
    replaceBackup,
    onConflict,
    discardShares: { input: discardShares.input },
    nonce: { output: true },
    nonces: { output: true },
    candidate: { output: true, secret: true },
    source: { output: true },
    kept: { output: true, secret: true },
    given: { output: true },
    foreign: { output: true },
    refused: { output: true },
    hadBackup: { output: true },
    replacedBackup: { output: true },
    connection,
  },
  objects: { fields: [], paths: () => [rekeyObjects.shares] },
  deleteBeforeReplace: true,
  planNotes,
  read: async ({ state }) => state,
  create: ({ connection, inputs }) => up(connection, inputs, {}),
  update: ({ connection, inputs, last }) => up(connection, inputs, last),
  async delete({ connection, state }) {
    const { attempt, candidate, kept = [], nonces, discardShares } = state as Last;
    assertNotRefused(connection, rekeyObjects.attempt);
    if (!attempt) return;
    const situation = await look(connection, oursOf(attempt, nonces ?? [], state.nonce));
    // Another resource of the program may have taken our attempt over.
    if (!heldByAnother(connection, rekeyObjects.shares)) await endOurs(connection, situation);
    // The commit, gone before, has judged them; or they died with the attempt that was just cancelled.
    const verdict = candidate && connection.memory.get(settledKey(connection, candidate.nonce));
    // A live candidate makes every other set worthless; a dead one says nothing of those that are kept.
    const isWorthless = !candidate || isEmpty(candidate) || verdict === "dead" || situation.kind === "verifying";
    const judged = verdict === "live" || (kept.length === 0 && isWorthless);
    if (judged || discardShares) return;
    throw unsettled("the state holds shares that may be the live ones");
  },
};
