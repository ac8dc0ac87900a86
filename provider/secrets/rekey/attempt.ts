import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { neverDiffers } from "../../comparison";
import { isPrivate, Operation } from "../../connection";
import { Definition, OutcomeUnknown, PlanNote, Rule } from "../../definition";
import { CheckFailure } from "../../errors";
import { str } from "../../inputs";
import { removeObject } from "../../lifecycle/ownership";
import { dialectOf, system } from "../client";
import { createThrowAwayKey, inspectKeys } from "./crypto";
import { decisive, isNew, RekeyInputs, rekeyFields } from "./inputs";
import {
  assertSavesEachStep,
  cancelLeftovers,
  cancelOwnAttempt,
  drive,
  log,
  missingShares,
  newAttempt,
  observe,
  recipients,
  rekeyObjects,
  resolveConflict,
} from "./protocol";
import { InspectedShares } from "./share-sources";
import { Attempt, AttemptIdentity, hasSubkeys, identityOf, Parameters, sizeOf } from "./states";

// The first of the three resources of a rekey: it starts the attempt, and its nonce is saved before any share is sent.

export interface AttemptInputs extends Omit<RekeyInputs, "currentShares" | "newShares">, InspectedShares {}

export interface AttemptState {
  attempt: Attempt;
}

/** Rejects inputs that the service would reject, or that could lose the keys. */
export const rekeyRules: readonly Rule<AttemptInputs>[] = [
  {
    fields: ["secretShares", "secretThreshold"],
    check: ({ secretShares, secretThreshold }, operation) => {
      if (secretThreshold > secretShares)
        return [
          {
            path: "secretThreshold",
            rule: "more-than-shares",
            reason: `must be at most secretShares, ${secretShares}`,
          },
        ];
      if (secretThreshold === 1 && secretShares > 1 && dialectOf(operation).thresholdOfOneIsForOneShare)
        return [{ path: "secretThreshold", rule: "single-share", reason: "must be at least 2 for more than one share" }];
      return [];
    },
  },
  {
    fields: [...decisive],
    check: async (inputs, _operation, last) => {
      const { pgpKeys, secretShares } = inputs;
      if (!pgpKeys) return [];
      const findings: CheckFailure[] = [];
      if (pgpKeys.length !== secretShares)
        findings.push({
          path: "pgpKeys",
          rule: "count",
          reason: `must have as many keys as secretShares, ${secretShares}, but has ${pgpKeys.length}`,
        });
      // The shares are already encrypted to a key that expires later.
      const isKept = !isNew(inputs, last);
      return [...findings, ...(await keyFindings(pgpKeys)).map((finding) => (isKept ? { ...finding, warning: true } : finding))];
    },
  },
  {
    fields: [...decisive, "keepSharesInState"],
    check: (inputs, _operation, last) =>
      inputs.pgpKeys || inputs.keepSharesInState || !isNew(inputs, last)
        ? []
        : [
            {
              path: "keepSharesInState",
              rule: "clear-text",
              reason:
                "must be true without pgpKeys, to accept that anyone who can decrypt the state can unseal the service; or set pgpKeys, one for each holder",
            },
          ],
  },
  {
    fields: ["backup", "pgpKeys", "removeBackup"],
    check: ({ backup, pgpKeys, removeBackup }) => [
      ...(backup && !pgpKeys
        ? [{ path: "backup", rule: "needs-pgp-keys", reason: "needs pgpKeys: the service keeps encrypted shares only" }]
        : []),
      ...(removeBackup && !backup ? [{ path: "removeBackup", rule: "needs-backup", reason: "needs backup: true" }] : []),
    ],
  },
  {
    fields: ["requireVerification", "allowUnverified", "backup", "pgpKeys"],
    check: ({ requireVerification = true, allowUnverified, backup, pgpKeys }) => {
      if (requireVerification || (backup && pgpKeys)) return [];
      const cost = "the last current share commits, and if its response is lost, so are the new keys: the service cannot be unsealed again";
      return allowUnverified
        ? [{ path: "requireVerification", rule: "unverified", reason: `without verification ${cost}`, warning: true }]
        : [
            {
              path: "requireVerification",
              rule: "unverified",
              reason: `without verification ${cost}. Set pgpKeys and backup, or allowUnverified: true`,
            },
          ];
    },
  },
  { fields: ["shareFindings"], check: ({ shareFindings }) => shareFindings },
  {
    fields: ["allowHttp"],
    check: ({ allowHttp }, operation) =>
      allowHttp || isPrivate(operation.server)
        ? []
        : [
            {
              path: "",
              rule: "clear-text",
              reason: `shares would be sent to ${operation.server.address} in plaintext: use https, or set allowHttp to true`,
            },
          ],
  },
];

async function keyFindings(keys: string[]): Promise<CheckFailure[]> {
  const inspected = await inspectKeys(keys);
  return inspected.flatMap(({ problem, fingerprint }, index) => {
    if (problem) return [{ path: `pgpKeys[${index}]`, ...problem }];
    const first = inspected.findIndex((other) => other.fingerprint === fingerprint);
    return first < index
      ? [
          {
            path: `pgpKeys[${index}]`,
            rule: "duplicate",
            reason: `is the same key as pgpKeys[${first}]: each share needs its own holder`,
          },
        ]
      : [];
  });
}

async function parametersOf({
  secretShares,
  secretThreshold,
  pgpKeys = [],
  backup,
  requireVerification,
}: AttemptInputs): Promise<Parameters> {
  const keys = await inspectKeys(pgpKeys);
  return {
    shares: secretShares,
    threshold: secretThreshold,
    pgpKeys: keys.map(({ binary }) => binary),
    fingerprints: keys.map(({ fingerprint }) => fingerprint),
    encryptionKeys: keys.map(({ encryptionKeys }) => encryptionKeys),
    backup: backup ?? false,
    verification: requireVerification ?? true,
  };
}

/** True if an attempt was started for these inputs. A key that its owner renewed, or whose subkey the owner changed, has the same fingerprint. */
const isFor = ({ parameters, triggers }: Attempt, wanted: Parameters, inputs: AttemptInputs): boolean =>
  parameters.shares === wanted.shares &&
  parameters.threshold === wanted.threshold &&
  isDeepStrictEqual([parameters.fingerprints, triggers], [wanted.fingerprints, inputs.triggers ?? []]);

/** The attempt with the keys as they are now. If their subkeys changed, it has no nonce: the shares step starts another, unless it has the new shares. */
function withKeys({ nonce, ...attempt }: Attempt, { pgpKeys, encryptionKeys }: Parameters): Attempt {
  const parameters = { ...attempt.parameters, pgpKeys, encryptionKeys };
  return { ...attempt, ...(nonce && hasSubkeys(attempt, parameters) ? { nonce } : {}), parameters };
}

/** Holders compare the keys before they submit shares. */
async function planNotes({
  operation: {
    server: { address },
  },
  inputs,
  last,
}: {
  operation: Operation;
  inputs: AttemptInputs;
  last?: Partial<AttemptState>;
}): Promise<PlanNote[]> {
  const { secretShares, secretThreshold, pgpKeys, backup, requireVerification = true, shareReferences } = inputs;
  const to = await recipients(pgpKeys);
  const missing = missingShares(shareReferences, "currentShares");
  const before = last?.attempt;
  if (before) {
    const wanted = await parametersOf(inputs);
    const others =
      "the encryption subkeys have changed: an attempt without new shares starts again, and existing new shares stay encrypted to the old subkeys until triggers change";
    if (isFor(before, wanted, inputs)) return hasSubkeys(before, wanted) ? [] : [{ path: "pgpKeys", text: others }];
    const { shares, threshold } = before.parameters;
    const text = `a new rekey will run, from ${sizeOf(shares, threshold)}, to ${sizeOf(secretShares, secretThreshold)}${to}. It invalidates the live unseal keys. If the current shares are not available, it submits those in the state`;
    return [{ path: "", text }, ...missing];
  }
  const kind = `${requireVerification ? "with" : "without"} verification${to}${backup ? ", with a backup" : ""}`;
  const absent = missing.map(({ path, text }) => `; ${path}: ${text}`).join("");
  const text = `new unseal keys will be made on ${address}: ${sizeOf(secretShares, secretThreshold)}, ${kind}${absent}`;
  return [{ path: "", text, isInformation: true }];
}

async function up(operation: Operation, inputs: AttemptInputs, last: Partial<AttemptState> & OutcomeUnknown): Promise<AttemptState> {
  const before = last.attempt;
  const parameters = await parametersOf(inputs);
  // The state's inputs may be those of a run whose start was lost, so only the attempt shows what it was started for.
  if (before && isFor(before, parameters, inputs)) return { attempt: withKeys(before, parameters) };
  assertSavesEachStep(operation);
  const nonces = before?.nonces ?? [];
  const probe = before?.probe ?? (await createThrowAwayKey());
  const identity: AttemptIdentity = { nonces, parameters, probe: before?.probe.fingerprint };
  const newState = (started: { nonce?: string; nonces?: string[] } = {}): AttemptState => ({
    attempt: {
      id: randomUUID(),
      nonces,
      ...started,
      parameters,
      triggers: inputs.triggers ?? [],
      probe,
    },
  });
  return drive({ operation, identity }, "attempt", before ? "an attempt" : "nothing", {
    start: async () => newState(await newAttempt(operation, identity)),
    "take over": async ({ status }) => {
      log(operation, `took over the matching attempt ${status.nonce}, which has no share`);
      return newState({ nonce: status.nonce });
    },
    "abandon and start": async ({ status }) => void (await cancelOwnAttempt(operation, status)),
    defer: async () => newState(),
    conflict: async (observed) => {
      const nonce = await resolveConflict(operation, observed, inputs.onConflict, true);
      return nonce ? newState({ nonce }) : undefined;
    },
  });
}

const fromComponent = "must come from the component Rekey";
const { currentShares: _current, newShares: _new, ...ownFields } = rekeyFields;

export const rekeyAttempt: Definition<AttemptInputs, AttemptState> = {
  system,
  token: "secrets:RekeyAttempt",
  displayName: "rekey",
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
  deleteBeforeReplace: true,
  objects: { fields: [], paths: () => [rekeyObjects.attempt] },
  planNotes,
  read: async ({ state: { attempt } }) => ({ attempt }),
  create: ({ operation, inputs }) => up(operation, inputs, {}),
  update: ({ operation, inputs, last }) => up(operation, inputs, last),
  async delete({ operation, state: { attempt } }) {
    if (!attempt) return;
    await removeObject(operation, rekeyObjects.attempt, async () =>
      cancelLeftovers(operation, await observe(operation, identityOf(attempt, attempt.nonces)), attempt.nonces),
    );
  },
};
