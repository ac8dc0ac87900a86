import { randomUUID } from "node:crypto";
import { Output } from "@pulumi/pulumi/output";
import { CustomResource, CustomResourceOptions } from "@pulumi/pulumi/resource";
import { z } from "zod";
import { ignored } from "../../comparison";
import { Connection, isPrivate } from "../../connection";
import { Definition, Doubt, Finding, Rule } from "../../definition";
import { strictObject } from "../../inputs";
import { removeObject } from "../../ownership";
import { Args, registration } from "../../resource";
import { dialectOf } from "../client";
import { createThrowAwayKey, inspectKeys } from "./crypto";
import { decisive, InspectedShares, isNew, keys, RekeyInputs, rekeyFields } from "./inputs";
import {
  assertSavesEachStep,
  cancelOurs,
  drive,
  endOurs,
  log,
  missingShares,
  newAttempt,
  observe,
  recipients,
  rekeyObjects,
  resolveConflict,
} from "./protocol";
import { Attempt, Ours, oursOf, Parameters, sizeOf } from "./states";

// The first of the three resources of a rekey: it starts the attempt, and its nonce is saved before any share is sent.

/** @internal */
export interface AttemptInputs extends Omit<RekeyInputs, "currentShares" | "newShares">, InspectedShares {}

interface AttemptState {
  attempt: Attempt;
}

/** What the service would refuse, or what would cost the keys. @internal */
export const rekeyRules: readonly Rule<AttemptInputs>[] = [
  {
    fields: ["secretShares", "secretThreshold"],
    check: ({ secretShares, secretThreshold }, connection) => {
      if (secretThreshold > secretShares)
        return [
          { path: "secretThreshold", reason: `must be at most secretShares, ${secretShares}: more shares than there are cannot be given` },
        ];
      if (secretThreshold === 1 && secretShares > 1 && dialectOf(connection).thresholdOfOneIsForOneShare)
        return [{ path: "secretThreshold", reason: "must be at least 2 where there is more than one share" }];
      return [];
    },
  },
  {
    fields: ["pgpKeys", "secretShares"],
    check: async ({ pgpKeys, secretShares }) => {
      if (!pgpKeys) return [];
      const findings: Finding[] = [];
      if (pgpKeys.length !== secretShares)
        findings.push({ path: "pgpKeys", reason: `must be as many as secretShares, ${secretShares}, not ${pgpKeys.length}` });
      return [...findings, ...(await keyFindings(pgpKeys))];
    },
  },
  {
    fields: [...decisive, "keepSharesInState"],
    check: (inputs, _connection, last) =>
      inputs.pgpKeys || inputs.keepSharesInState || !isNew(inputs, last)
        ? []
        : [
            {
              path: "keepSharesInState",
              reason:
                "must be true without pgpKeys: the state will hold all new shares, and whoever can decrypt it can unseal the service; better give pgpKeys, one for each holder",
            },
          ],
  },
  {
    fields: ["backup", "pgpKeys", "removeBackup"],
    check: ({ backup, pgpKeys, removeBackup }) => [
      ...(backup && !pgpKeys ? [{ path: "backup", reason: "needs pgpKeys: the service keeps encrypted shares only" }] : []),
      ...(removeBackup && !backup ? [{ path: "removeBackup", reason: "needs backup: true" }] : []),
    ],
  },
  {
    fields: ["requireVerification", "acceptLossRisk", "backup", "pgpKeys"],
    check: ({ requireVerification = true, acceptLossRisk, backup, pgpKeys }) => {
      if (requireVerification || (backup && pgpKeys)) return [];
      const cost =
        "the last current share commits, and if its reply is lost, nobody ever knows the new keys: the service cannot be unsealed again";
      return acceptLossRisk
        ? [{ path: "requireVerification", reason: `without verification ${cost}`, warning: true }]
        : [
            {
              path: "requireVerification",
              reason: `without verification ${cost}; give pgpKeys and backup as well, or acceptLossRisk: true`,
            },
          ];
    },
  },
  { fields: ["shareFindings"], check: ({ shareFindings }) => shareFindings },
  {
    fields: ["acceptPlaintext"],
    check: ({ acceptPlaintext }, connection) =>
      acceptPlaintext || isPrivate(connection)
        ? []
        : [{ path: "", reason: `shares would go to ${connection.address} in clear text: give it https, or set acceptPlaintext: true` }],
  },
];

async function keyFindings(keys: string[]): Promise<Finding[]> {
  const inspected = await inspectKeys(keys);
  return inspected.flatMap(({ problem, fingerprint }, index) => {
    if (problem) return [{ path: `pgpKeys[${index}]`, reason: problem }];
    const first = inspected.findIndex((other) => other.fingerprint === fingerprint);
    return first < index
      ? [{ path: `pgpKeys[${index}]`, reason: `is the same key as pgpKeys[${first}]: each share needs a holder of its own` }]
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
    backup: backup ?? false,
    verification: requireVerification ?? true,
  };
}

/** An unknown argument is compared with those of the program: the two that are added here are the component's. */
const attemptInputs = strictObject(rekeyFields)
  .omit({ currentShares: true, newShares: true })
  .extend({ shareReferences: z.array(z.any()), shareFindings: z.array(z.any()) });
const steering = Object.keys(attemptInputs.shape).filter((field) => field !== "connection" && !decisive.some((name) => name === field));

/** What the preview says of a new rekey. */
async function foresee(inputs: AttemptInputs, last: object): Promise<Finding[]> {
  if (!isNew(inputs, last)) return [];
  const { secretShares, secretThreshold } = last as RekeyInputs;
  const reason = `a new rekey will run, from ${sizeOf(secretShares, secretThreshold)}, to ${sizeOf(inputs.secretShares, inputs.secretThreshold)}${await recipients(inputs.pgpKeys)}: it makes the unseal keys that are live now worthless, and where the current shares are not at hand, it takes those that the state keeps`;
  return [{ path: "", reason }, ...missingShares(inputs.shareReferences, "currentShares")];
}

/** Holders compare the keys before anybody gives a share. */
async function announce(inputs: AttemptInputs, { address }: Connection): Promise<string> {
  const { secretShares, secretThreshold, pgpKeys, backup, requireVerification = true, shareReferences } = inputs;
  const to = `${await recipients(pgpKeys)}${backup ? ", with a backup" : ""}`;
  const missing = missingShares(shareReferences, "currentShares").map(({ path, reason }) => `; ${path}: ${reason}`);
  return `new unseal keys will be made on ${address}: ${sizeOf(secretShares, secretThreshold)}, ${requireVerification ? "with" : "without"} verification${to}${missing.join("")}`;
}

async function up(connection: Connection, inputs: AttemptInputs, last: Partial<AttemptState> & Doubt): Promise<AttemptState> {
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
  return drive({ connection, ours }, "attempt", before ? "an attempt" : "nothing", {
    start: async () => begun((await newAttempt(connection, ours)).nonce),
    "take over": async ({ status }) => {
      log(`took over the attempt ${status.nonce}, which is exactly like ours and has no share yet`);
      return begun(status.nonce);
    },
    "abandon and start": async ({ status }) => void (await cancelOurs(connection, status)),
    defer: async () => begun(),
    conflict: async (observed) => {
      const nonce = await resolveConflict(connection, observed, inputs.onConflict, true);
      return nonce ? begun(nonce) : undefined;
    },
  });
}

/** @internal */
export const rekeyAttempt: Definition<AttemptInputs, AttemptState> = {
  token: "secrets:RekeyAttempt",
  noun: "rekey",
  name: () => "",
  id: () => "sys/rekey/init",
  inputs: attemptInputs,
  state: ["attempt"],
  rules: rekeyRules,
  compare: {
    ...Object.fromEntries(steering.map((field) => [field, ignored])),
    pgpKeys: keys,
  },
  replaces: [],
  deleteBeforeReplace: true,
  objects: { fields: [], paths: () => [rekeyObjects.attempt] },
  secrets: ["shareReferences"],
  foresee,
  announce,
  read: async (_connection, { attempt }) => ({ attempt }),
  create: (connection, inputs) => up(connection, inputs, {}),
  update: (connection, inputs, _previous, last) => up(connection, inputs, last),
  async delete(connection, { attempt }) {
    if (!attempt) return;
    await removeObject(connection, rekeyObjects.attempt, async () =>
      endOurs(connection, await observe(connection, oursOf(attempt, attempt.nonces))),
    );
  },
};

/** @internal */
export interface RekeyAttempt {
  readonly attempt: Output<Attempt>;
}

/** @internal */
export class RekeyAttempt extends CustomResource {
  constructor(name: string, args: Args<AttemptInputs>, opts?: CustomResourceOptions) {
    super(...registration(rekeyAttempt, name, args, opts));
  }
}
