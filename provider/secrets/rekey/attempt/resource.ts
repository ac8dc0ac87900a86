import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { neverDiffers } from "../../../contract/comparison";
import { Claims, Definition, DeleteRequest, OutcomeUnknown, PlanNote } from "../../../contract/definition";
import { str } from "../../../contract/inputs";
import { placeOf } from "../../client";
import { definitionOf, rekeyObjects } from "../definition";
import { missingShares, rekeyFields } from "../inputs";
import { assertTarget, RekeyParameters } from "../protocol/api";
import { createThrowAwayKey, encryptedTo } from "../protocol/crypto";
import { assertSavesEachStep, log, ofTarget, RekeyOperation, recording } from "../protocol/operation";
import { followRows, Row, StepRun } from "../protocol/rows";
import { Observed, observe, sizeOf } from "../protocol/server-state";
import { keysOf } from "../protocol/stops";
import { cancelLeftovers, cancelObserved, oldProbe } from "./cancel";
import { onConflictDecides, resolveConflict } from "./conflict";
import { rekeyRules } from "./rules";
import { assertMakesFirst, assertNoForeignBackup, newAttempt } from "./start";
import { Attempt, AttemptInputs, AttemptState, hasKeys, identityOf, isFor, parametersOf, withKeys } from "./state";

// The first of the three resources of a rekey: it starts the attempt, and its nonce is saved before any share is sent.

/** Holders compare the keys before they submit shares. */
const planNotes: Definition<AttemptInputs, AttemptState>["planNotes"] = async ({ operation, inputs, last }) => {
  const { target = "unseal", secretShares, secretThreshold, pgpKeys, backup, requireVerification = true, shareReferences } = inputs;
  const keys = keysOf[target].name;
  const to = await encryptedTo(pgpKeys);
  const missing = missingShares({ currentShares: shareReferences }, "currentShares");
  const before = last?.attempt;
  if (before) {
    const desired = await parametersOf(inputs);
    if (isFor(before, desired, inputs)) return changedKeys(before, desired);
    const { shares, threshold } = before.parameters;
    const text = `a new rekey will run, from ${sizeOf(shares, threshold)}, to ${sizeOf(secretShares, secretThreshold)}${to}. It invalidates the current ${keys}${pgpKeys ? "" : ". If the current shares are not available, it submits those in the state"}`;
    return [{ path: "", reason: text }, ...missing];
  }
  const kind = `${requireVerification ? "with" : "without"} verification${to}${backup ? ", with a backup" : ""}`;
  const absent = missing.map(({ path, reason: text }) => `; ${path}: ${text}`).join("");
  const text = `new ${keys} will be generated on ${placeOf(operation)}: ${sizeOf(secretShares, secretThreshold)}, ${kind}${absent}`;
  return [{ path: "", reason: text, isInformation: true }];
};

/** Keys that changed, and whose fingerprints did not. */
function changedKeys(before: Attempt, desired: RekeyParameters): PlanNote[] {
  if (hasKeys(before, desired)) return [];
  const again = "an attempt without new shares starts again";
  if (isDeepStrictEqual(before.parameters.encryptionKeys, desired.encryptionKeys))
    return [{ path: "pgpKeys", reason: `a key was renewed: ${again} with it`, isInformation: true }];
  const reason = `the encryption subkeys have changed: ${again}, and existing new shares stay encrypted to the old subkeys until triggers change`;
  return [{ path: "pgpKeys", reason }];
}

async function up(connected: RekeyOperation, inputs: AttemptInputs, last: Partial<AttemptState> & OutcomeUnknown): Promise<AttemptState> {
  const before = last.attempt;
  const parameters = await parametersOf(inputs);
  // The state's inputs may be those of a run whose start was lost, so only the attempt shows what it was started for.
  if (before && isFor(before, parameters, inputs)) return { attempt: withKeys(before, parameters) };
  const { operation, record } = recording(connected, before?.record);
  assertSavesEachStep(operation);
  await assertTarget(operation);
  const nonces = before?.nonces ?? [];
  const probe = before?.probe ?? (await createThrowAwayKey());
  const attempt = { id: randomUUID(), nonces, parameters, triggers: inputs.triggers ?? [], probe, record };
  const identity = identityOf(attempt, nonces);
  return followRows(attemptRows, before ? "an attempt" : "nothing", {
    operation,
    inputs,
    identity,
    attempt,
    isFirst: !before,
  });
}

/** One run of the step, with the attempt that it saves. */
interface AttemptRun extends StepRun {
  inputs: AttemptInputs;
  attempt: Attempt;
  /** False for a later rekey, whose backup may be that of an attempt that only the next step knows. */
  isFirst: boolean;
}

/** No share is submitted yet. An attempt in progress may belong to another client. */
export const attemptRows: readonly Row<AttemptRun, AttemptState>[] = [
  {
    server: ["none"],
    log: "started; no other rekey is in progress",
    act: async ({ operation, inputs, identity, attempt, isFirst }) => {
      if (isFirst) await assertNoForeignBackup(operation, identity, inputs);
      return { attempt: { ...attempt, ...(await newAttempt(operation, identity)) } };
    },
  },
  { server: ["matchingUnused"], log: "a matching attempt without shares is in progress: the rekey adopts it", act: adopt },
  {
    holds: ["an attempt"],
    server: ["abandoned"],
    log: "the inputs changed: the rekey cancels its attempt and starts a new one",
    act: cancelObserved,
  },
  oldProbe,
  {
    holds: ["an attempt"],
    server: ["matchingInUse", "matchingFirst", "foreign"],
    log: "another rekey is in progress; checked again before shares are submitted",
    act: async ({ attempt }) => ({ attempt }),
  },
  {
    server: ["noKeys"],
    log: "there are no recovery keys yet: the next step starts the rekey, which returns the first ones",
    act: async ({ operation, attempt }) => {
      assertMakesFirst(operation, attempt.parameters);
      return { attempt };
    },
  },
  { holds: ["nothing"], server: ["matchingInUse", "matchingFirst", "foreign"], log: onConflictDecides, act: resumeOrCancel },
];

async function adopt({ operation, attempt }: AttemptRun, { status }: Observed): Promise<AttemptState> {
  log(operation, `adopted the matching attempt ${status.nonce}, which has no share`);
  return { attempt: { ...attempt, nonce: status.nonce } };
}

async function resumeOrCancel({ operation, inputs, attempt }: AttemptRun, observed: Observed): Promise<AttemptState | undefined> {
  const nonce = await resolveConflict(operation, observed, inputs.onConflict, true);
  return nonce ? { attempt: { ...attempt, nonce } } : undefined;
}

const fromComponent = "must come from the component Rekey";
const { currentShares: _current, newShares: _new, ...ownFields } = rekeyFields;

async function remove({ operation: connected, state }: DeleteRequest<AttemptState>, claims: Claims): Promise<void> {
  const { attempt } = state;
  if (!attempt) return;
  const operation = ofTarget(connected, state as Partial<AttemptInputs>);
  await claims.each(rekeyObjects(operation).attempt, async () =>
    cancelLeftovers(operation, await observe(operation, identityOf(attempt, attempt.nonces)), attempt.nonces),
  );
}

export const rekeyAttempt: Definition<AttemptInputs, AttemptState> = {
  ...definitionOf<AttemptInputs, AttemptState>("attempt", up, remove),
  token: "secrets:RekeyAttempt",
  id: "sys/rekey/init",
  fields: {
    ...ownFields,
    // The component computes them, so that this step receives no share.
    shareReferences: { input: z.array(z.any(), fromComponent), required: true, compare: neverDiffers, secret: true },
    shareFindings: {
      input: z.array(z.looseObject({ path: str, rule: str, reason: str }, fromComponent), fromComponent),
      required: true,
      compare: neverDiffers,
    },
    attempt: { output: true },
  },
  rules: rekeyRules,
  planNotes,
  read: async ({ state: { attempt } }) => ({ attempt }),
};
