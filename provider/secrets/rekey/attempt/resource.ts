import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { neverDiffers } from "../../../contract/comparison";
import { Claims, Definition, DeleteRequest, OutcomeUnknown, Rule } from "../../../contract/definition";
import { CheckFailure } from "../../../contract/errors";
import { str } from "../../../contract/inputs";
import { isPrivate } from "../../../contract/operation";
import { dialectOf, placeOf } from "../../client";
import { decisive, InspectedShares, isNew, missingShares, RekeyInputs, rekeyFields } from "../inputs";
import * as api from "../protocol/api";
import { RekeyOperation, RekeyParameters } from "../protocol/api";
import { createThrowAwayKey, inspectKeys, recipients } from "../protocol/crypto";
import * as step from "../protocol/server-state";
import { AttemptIdentity, Observed, Row } from "../protocol/server-state";
import { keysOf } from "../protocol/stops";

// The first of the three resources of a rekey: it starts the attempt, and its nonce is saved before any share is sent.

/** The attempt, which the first resource passes to the second, and that to the third. */
export interface Attempt {
  /** Identifies this attempt in the state. A new one restarts the shares step. */
  id: string;
  /** Undefined if the attempt on the server was deferred to the shares step. */
  nonce?: string;
  /** The nonces of all attempts that this rekey started, or to which it submitted a share. A backup of one of them belongs to it. */
  nonces: string[];
  parameters: RekeyParameters;
  /** The triggers for which it was started. */
  triggers: string[];
  /** A public key whose private part was discarded. */
  probe: { key: string; fingerprint: string };
}

/** True if the attempt was started for these encryption subkeys, which the fingerprints of the keys do not show. */
export const hasSubkeys = ({ parameters }: Pick<Attempt, "parameters">, { encryptionKeys }: RekeyParameters): boolean =>
  isDeepStrictEqual(parameters.encryptionKeys, encryptionKeys);

/** The details of an attempt, with the nonces of those that later steps started. */
export const identityOf = ({ parameters, probe }: Attempt, nonces: readonly string[], nonce?: string): AttemptIdentity => ({
  nonce,
  nonces,
  parameters,
  probe: probe.fingerprint,
});

export interface AttemptInputs extends Omit<RekeyInputs, "currentShares" | "newShares">, InspectedShares {}

export interface AttemptState {
  attempt: Attempt;
}

/** Rejects inputs that the server would reject, or that could lose the keys. */
export const rekeyRules: readonly Rule<AttemptInputs>[] = [
  {
    fields: ["target"],
    check: ({ target = "unseal" }, operation, { target: last = target }) => {
      if (!dialectOf(operation).rekey[target]) return [{ path: "target", rule: "dialect", reason: api.noRecoveryKeys }];
      // A replacement would cancel the attempt of the other keys first, before anything shows if the server has the new ones.
      const reason = `cannot change from "${last}": declare a rekey of the other keys under a different name`;
      return target === last ? [] : [{ path: "target", rule: "changed", reason }];
    },
  },
  {
    fields: ["secretShares", "secretThreshold"],
    check: ({ secretShares, secretThreshold }, operation) => {
      if (secretThreshold > secretShares)
        return [{ path: "secretThreshold", rule: "more-than-shares", reason: `must be at most secretShares, ${secretShares}` }];
      if (secretThreshold === 1 && secretShares > 1 && dialectOf(operation).thresholdOfOneIsForOneShare)
        return [{ path: "secretThreshold", rule: "single-share", reason: "must be at least 2 for more than one share" }];
      return [];
    },
  },
  {
    fields: [...decisive],
    check: async (inputs, _connection, last) => {
      const { pgpKeys, secretShares } = inputs;
      if (!pgpKeys) return [];
      const reason = `must contain one key for each of the ${secretShares} shares, but contains ${pgpKeys.length}`;
      const failures = await keyFailures(pgpKeys);
      return [
        ...(pgpKeys.length === secretShares ? [] : [{ path: "pgpKeys", rule: "count", reason }]),
        // The shares are already encrypted to a key that expires later.
        ...(isNew(inputs, last) ? failures : failures.map((failure) => ({ ...failure, warning: true }))),
      ];
    },
  },
  {
    fields: [...decisive, "target", "keepSharesInState"],
    check: (inputs, { server: { words } }, last) => {
      if (inputs.pgpKeys || inputs.keepSharesInState || !isNew(inputs, last)) return [];
      const reason = `must be true without pgpKeys, because anyone who can decrypt the state can then ${keysOf[inputs.target ?? "unseal"].can(words)}; or set pgpKeys, one for each holder`;
      return [{ path: "keepSharesInState", rule: "clear-text", reason }];
    },
  },
  {
    fields: ["backup", "pgpKeys", "removeBackup"],
    check: ({ backup, pgpKeys, removeBackup }) => [
      ...(backup && !pgpKeys
        ? [{ path: "backup", rule: "needs-pgp-keys", reason: "requires pgpKeys: only encrypted shares are backed up" }]
        : []),
      ...(removeBackup && !backup ? [{ path: "removeBackup", rule: "needs-backup", reason: "requires backup: true" }] : []),
    ],
  },
  {
    fields: ["target", "requireVerification", "allowUnverified", "backup", "pgpKeys"],
    check: ({ target = "unseal", requireVerification = true, allowUnverified, backup, pgpKeys }, { server: { words } }) => {
      if (requireVerification || (backup && pgpKeys)) return [];
      const cost = `the last current share commits, and if its response is lost, so are the new keys: nobody can ${keysOf[target].can(words)} again`;
      const remedy = allowUnverified ? "" : ". Set pgpKeys and backup, or allowUnverified: true";
      const reason = `without verification ${cost}${remedy}`;
      return [{ path: "requireVerification", rule: "unverified", reason, ...(allowUnverified ? { warning: true } : {}) }];
    },
  },
  { fields: ["shareFindings"], check: ({ shareFindings }) => shareFindings },
  {
    fields: ["allowHttp"],
    check: ({ allowHttp }, operation) => {
      const reason = `shares would be sent to ${operation.server.address} in plaintext: use https, or set allowHttp to true`;
      return allowHttp || isPrivate(operation.server) ? [] : [{ path: "", rule: "clear-text", reason }];
    },
  },
];

async function keyFailures(keys: string[]): Promise<CheckFailure[]> {
  const inspected = await inspectKeys(keys);
  return inspected.flatMap(({ problem, fingerprint }, index) => {
    const path = `pgpKeys[${index}]`;
    if (problem) return [{ path, ...problem }];
    const first = inspected.findIndex((other) => other.fingerprint === fingerprint);
    const reason = `is the same key as pgpKeys[${first}]: each share needs its own holder`;
    return first < index ? [{ path, rule: "duplicate", reason }] : [];
  });
}

async function parametersOf(inputs: AttemptInputs): Promise<RekeyParameters> {
  const keys = await inspectKeys(inputs.pgpKeys ?? []);
  return {
    shares: inputs.secretShares,
    threshold: inputs.secretThreshold,
    pgpKeys: keys.map(({ binary }) => binary),
    fingerprints: keys.map(({ fingerprint }) => fingerprint),
    encryptionKeys: keys.map(({ encryptionKeys }) => encryptionKeys),
    backup: inputs.backup ?? false,
    verification: inputs.requireVerification ?? true,
  };
}

/** True if an attempt was started for these inputs. A key that its owner renewed, or whose subkey the owner changed, has the same fingerprint. */
const isFor = ({ parameters, triggers }: Attempt, desired: RekeyParameters, inputs: AttemptInputs): boolean =>
  parameters.shares === desired.shares &&
  parameters.threshold === desired.threshold &&
  isDeepStrictEqual([parameters.fingerprints, triggers], [desired.fingerprints, inputs.triggers ?? []]);

/**
 * The attempt with the current keys. If their subkeys changed, it has no nonce, so the shares step starts a new one, unless it has the new
 * shares.
 */
function withKeys({ nonce, ...attempt }: Attempt, { pgpKeys, encryptionKeys }: RekeyParameters): Attempt {
  const parameters = { ...attempt.parameters, pgpKeys, encryptionKeys };
  return { ...attempt, ...(nonce && hasSubkeys(attempt, parameters) ? { nonce } : {}), parameters };
}

/** Holders compare the keys before they submit shares. */
const planNotes: Definition<AttemptInputs, AttemptState>["planNotes"] = async ({ operation, inputs, last }) => {
  const { target = "unseal", secretShares, secretThreshold, pgpKeys, backup, requireVerification = true, shareReferences } = inputs;
  const keys = keysOf[target].name;
  const to = await recipients(pgpKeys);
  const missing = missingShares(shareReferences, "currentShares");
  const before = last?.attempt;
  if (before) {
    const desired = await parametersOf(inputs);
    const subkeys =
      "the encryption subkeys have changed: an attempt without new shares starts again, and existing new shares stay encrypted to the old subkeys until triggers change";
    if (isFor(before, desired, inputs)) return hasSubkeys(before, desired) ? [] : [{ path: "pgpKeys", reason: subkeys }];
    const { shares, threshold } = before.parameters;
    const text = `a new rekey will run, from ${step.sizeOf(shares, threshold)}, to ${step.sizeOf(secretShares, secretThreshold)}${to}. It invalidates the live ${keys}. If the current shares are not available, it submits those in the state`;
    return [{ path: "", reason: text }, ...missing];
  }
  const kind = `${requireVerification ? "with" : "without"} verification${to}${backup ? ", with a backup" : ""}`;
  const absent = missing.map(({ path, reason: text }) => `; ${path}: ${text}`).join("");
  const text = `new ${keys} will be made on ${placeOf(operation)}: ${step.sizeOf(secretShares, secretThreshold)}, ${kind}${absent}`;
  return [{ path: "", reason: text, isInformation: true }];
};

async function up(operation: RekeyOperation, inputs: AttemptInputs, last: Partial<AttemptState> & OutcomeUnknown): Promise<AttemptState> {
  const before = last.attempt;
  const parameters = await parametersOf(inputs);
  // The state's inputs may be those of a run whose start was lost, so only the attempt shows what it was started for.
  if (before && isFor(before, parameters, inputs)) return { attempt: withKeys(before, parameters) };
  step.assertSavesEachStep(operation);
  await api.assertTarget(operation);
  const nonces = before?.nonces ?? [];
  const probe = before?.probe ?? (await createThrowAwayKey());
  const attempt = { id: randomUUID(), nonces, parameters, triggers: inputs.triggers ?? [], probe };
  const identity = identityOf(attempt, nonces);
  return step.followRows("attempt", attemptRows, before ? "an attempt" : "nothing", {
    operation,
    inputs,
    identity,
    attempt,
    isFirst: !before,
  });
}

/** One run of the step, with the attempt that it saves. */
interface AttemptRun {
  operation: RekeyOperation;
  inputs: AttemptInputs;
  identity: AttemptIdentity;
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
      if (isFirst) await step.assertNoForeignBackup(operation, identity, inputs);
      return { attempt: { ...attempt, ...(await step.newAttempt(operation, identity)) } };
    },
  },
  { server: ["matchingUnused"], log: "a matching attempt without shares is in progress: the rekey adopts it", act: adopt },
  {
    holds: ["an attempt"],
    server: ["abandoned"],
    log: "the inputs changed: the rekey cancels its attempt and starts a new one",
    act: step.cancelObserved,
  },
  step.oldProbe,
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
      step.assertMakesFirst(operation, attempt.parameters);
      return { attempt };
    },
  },
  { holds: ["nothing"], server: ["matchingInUse", "matchingFirst", "foreign"], log: step.onConflictDecides, act: resumeOrCancel },
];

async function adopt({ operation, attempt }: AttemptRun, { status }: Observed): Promise<AttemptState> {
  step.log(operation, `adopted the matching attempt ${status.nonce}, which has no share`);
  return { attempt: { ...attempt, nonce: status.nonce } };
}

async function resumeOrCancel({ operation, inputs, attempt }: AttemptRun, observed: Observed): Promise<AttemptState | undefined> {
  const nonce = await step.resolveConflict(operation, observed, inputs.onConflict, true);
  return nonce ? { attempt: { ...attempt, nonce } } : undefined;
}

const fromComponent = "must come from the component Rekey";
const { currentShares: _current, newShares: _new, ...ownFields } = rekeyFields;

async function remove({ operation: connected, state }: DeleteRequest<AttemptState>, claims: Claims): Promise<void> {
  const { attempt } = state;
  if (!attempt) return;
  const operation = api.ofTarget(connected, state as Partial<AttemptInputs>);
  await claims.each(step.rekeyObjects(operation).attempt, async () =>
    step.cancelLeftovers(operation, await step.observe(operation, identityOf(attempt, attempt.nonces)), attempt.nonces),
  );
}

export const rekeyAttempt: Definition<AttemptInputs, AttemptState> = {
  ...step.definitionOf<AttemptInputs, AttemptState>("attempt", up, remove),
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
