import { randomUUID } from "node:crypto";
import { Comparison, ignored } from "../../comparison";
import { Connection } from "../../connection";
import { Definition, Doubt, PlanNote } from "../../definition";
import { removeObject } from "../../ownership";
import { system } from "../client";
import { isNew, RekeyInputs, rekeyFields, rekeyRules } from "./declaration";
import { createThrowAwayKey, inspectKeys } from "./pgp";
import { Parameters } from "./server";
import { look, Ours, sizeOf } from "./situation";
import {
  Attempt,
  assertSavesEachStep,
  cancelOurs,
  cancelProbe,
  endOurs,
  missingShares,
  newAttempt,
  oursOf,
  recipients,
  rekeyObjects,
  settleConflict,
  tell,
  unforeseen,
} from "./steps";
import { decide } from "./table";

// The first of the three resources of a rekey: it starts the attempt, and its nonce is saved before any share is sent.

/** @internal */
export interface AttemptState {
  attempt: Attempt;
}

async function parametersOf({
  secretShares,
  secretThreshold,
  pgpKeys = [],
  backup,
  requireVerification,
}: RekeyInputs): Promise<Parameters> {
  const keys = await inspectKeys(pgpKeys);
  return {
    shares: secretShares,
    threshold: secretThreshold,
    pgpKeys: keys.map(({ binary }) => binary),
    fingerprints: keys.map(({ fingerprint }) => fingerprint),
    backup: backup ?? false,
    verification: requireVerification ?? true,
  };
}

/** No share is sent here: what was checked need not be in this state, too. */
const references: Comparison = {
  ...ignored,
  normalise: (sources) => (Array.isArray(sources) ? sources.filter((source) => typeof source !== "string") : sources),
};

/** Holders compare the keys before anybody gives a share. */
async function planNotes({
  connection: { address },
  inputs,
  last,
}: {
  connection: Connection;
  inputs: RekeyInputs;
  last?: object;
}): Promise<PlanNote[]> {
  const { secretShares, secretThreshold, pgpKeys, backup, requireVerification = true, currentShares } = inputs;
  const to = await recipients(pgpKeys);
  const missing = missingShares(currentShares, "currentShares");
  if (last) {
    if (!isNew(inputs, last)) return [];
    const { secretShares: shares, secretThreshold: threshold } = last as RekeyInputs;
    const text = `a new rekey will run, from ${sizeOf(shares, threshold)}, to ${sizeOf(secretShares, secretThreshold)}${to}: it makes the unseal keys that are live now worthless, and where the current shares are not at hand, it takes those that the state keeps`;
    return [{ path: "", text }, ...missing];
  }
  const kind = `${requireVerification ? "with" : "without"} verification${to}${backup ? ", with a backup" : ""}`;
  const absent = missing.map(({ path, text }) => `; ${path}: ${text}`).join("");
  const text = `new unseal keys will be made on ${address}: ${sizeOf(secretShares, secretThreshold)}, ${kind}${absent}`;
  return [{ path: "", text, isInformation: true }];
}

async function up(connection: Connection, inputs: RekeyInputs, last: Partial<AttemptState> & Doubt): Promise<AttemptState> {
  const before = last.attempt;
  // Another address of the same service is no reason for a new rekey.
  if (before && !last.unfinished && !isNew(inputs, last)) return { attempt: before };
  assertSavesEachStep(connection);
  const parameters = await parametersOf(inputs);
  const nonces = before?.nonces ?? [];
  const probe = before?.probe ?? (await createThrowAwayKey());
  const ours: Ours = { nonces, parameters, probe: before?.probe.fingerprint };
  const begun = (nonce?: string): AttemptState => ({
    attempt: {
      id: randomUUID(),
      ...(nonce ? { nonce } : {}),
      nonces: nonce ? [...new Set([...nonces, nonce])] : nonces,
      parameters,
      probe,
    },
  });
  for (;;) {
    const situation = await look(connection, ours);
    const holds = before ? "an attempt" : "nothing";
    switch (decide(connection, "attempt", holds, situation)) {
      case "start":
        return begun((await newAttempt(connection, ours)).nonce);
      case "take over":
        tell(connection, `took over the attempt ${situation.status.nonce}, which is exactly like ours and has no share yet`);
        return begun(situation.status.nonce);
      case "give up and start":
        await cancelOurs(connection, situation.status);
        break;
      case "cancel probe":
        await cancelProbe(connection, situation);
        break;
      case "pass on":
        return begun();
      case "conflict": {
        const nonce = await settleConflict(connection, situation, inputs.onConflict, true);
        if (nonce) return begun(nonce);
        break;
      }
      default:
        throw unforeseen(situation, holds);
    }
  }
}

/** @internal */
export const rekeyAttempt: Definition<RekeyInputs, AttemptState> = {
  system,
  token: "secrets:RekeyAttempt",
  noun: "rekey",
  id: "sys/rekey/init",
  fields: {
    ...rekeyFields,
    currentShares: { ...rekeyFields.currentShares, compare: references },
    newShares: { ...rekeyFields.newShares, compare: references },
    attempt: { output: true },
  },
  rules: rekeyRules,
  deleteBeforeReplace: true,
  objects: { fields: [], paths: () => [rekeyObjects.attempt] },
  planNotes,
  read: async ({ state: { attempt } }) => ({ attempt }),
  create: ({ connection, inputs }) => up(connection, inputs, {}),
  update: ({ connection, inputs, last }) => up(connection, inputs, last),
  async delete({ connection, state: { attempt } }) {
    if (!attempt) return;
    await removeObject(connection, rekeyObjects.attempt, async () =>
      endOurs(connection, await look(connection, oursOf(attempt, attempt.nonces))),
    );
  },
};
