import { isDeepStrictEqual } from "node:util";
import { InspectedShares, RekeyInputs } from "../inputs";
import { RekeyParameters } from "../protocol/api";
import { inspectKeys, requestedKeys } from "../protocol/crypto";
import { RekeyRecordEntry } from "../protocol/record";
import { AttemptIdentity } from "../protocol/server-state";

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
  /** The entries of this step. */
  record: RekeyRecordEntry[];
}

/** True if the attempt was started with exactly these keys. The fingerprint of a renewed key is the same, and the server has the old one. */
export const hasKeys = ({ parameters }: Pick<Attempt, "parameters">, { pgpKeys }: RekeyParameters): boolean =>
  isDeepStrictEqual(parameters.pgpKeys, pgpKeys);

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

export async function parametersOf(inputs: AttemptInputs): Promise<RekeyParameters> {
  const keys = await inspectKeys(inputs.pgpKeys ?? []);
  return {
    shares: inputs.secretShares,
    threshold: inputs.secretThreshold,
    ...requestedKeys(keys),
    encryptionKeys: keys.map(({ encryptionKeys }) => encryptionKeys),
    backup: inputs.backup ?? false,
    verification: inputs.requireVerification ?? true,
  };
}

/** True if an attempt was started for these inputs. A key that its owner renewed has the same fingerprint. */
export const isFor = ({ parameters, triggers }: Attempt, desired: RekeyParameters, inputs: AttemptInputs): boolean =>
  parameters.shares === desired.shares &&
  parameters.threshold === desired.threshold &&
  isDeepStrictEqual([parameters.fingerprints, triggers], [desired.fingerprints, inputs.triggers ?? []]);

/** The attempt with the current keys. If one changed, it has no nonce, so the shares step starts a new one, unless it has the new shares. */
export function withKeys({ nonce, ...attempt }: Attempt, { pgpKeys, encryptionKeys }: RekeyParameters): Attempt {
  const parameters = { ...attempt.parameters, pgpKeys, encryptionKeys };
  return { ...attempt, ...(nonce && hasKeys(attempt, parameters) ? { nonce } : {}), parameters };
}
