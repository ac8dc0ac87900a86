import { isDeepStrictEqual } from "node:util";
import { getStatus, RekeyParameters, Requested } from "./api";
import { RekeyOperation } from "./operation";
import { RekeyStatus, RekeyTarget } from "./status";

/**
 * The attempt on the server, as one of the three resources classifies it:
 *
 * - `none`: no attempt;
 * - `noKeys`: no attempt, and no keys either, so that a start returns the first ones;
 * - `collecting`, `verifying`: the attempt of this rekey, before and after the last current share;
 * - `tampered`: the nonce of this rekey, but other parameters;
 * - `abandoned`: an earlier attempt of this rekey;
 * - `matchingUnused`: the parameters of this rekey, with verification, and no share yet, so adopting it harms no other client;
 * - `matchingInUse`: the same, with shares of other holders;
 * - `matchingFirst`: the same on a service without keys, so that the response to its start has the first ones, of which none is verified;
 * - `probe`: the throw-away attempt of this rekey, known by its key;
 * - `foreign`: another client's attempt.
 */
export type ServerState =
  | "none"
  | "noKeys"
  | "collecting"
  | "verifying"
  | "tampered"
  | "abandoned"
  | "matchingUnused"
  | "matchingInUse"
  | "matchingFirst"
  | "probe"
  | "foreign";

export interface Observed {
  server: ServerState;
  status: RekeyStatus;
}

/** The details by which a resource recognizes its attempts. */
export interface AttemptIdentity {
  /** The nonce of the current attempt. Undefined without one. */
  nonce?: string;
  /** The nonce of every attempt that this rekey started, or to which it submitted a share. */
  nonces: readonly string[];
  parameters: RekeyParameters;
  /** The fingerprint of the throw-away key. */
  probe: string;
}

export async function observe(operation: RekeyOperation, identity: AttemptIdentity): Promise<Observed> {
  const status = await getStatus(operation);
  return { server: serverStateOf(status, identity, operation.target), status };
}

function serverStateOf(status: RekeyStatus, { nonce, nonces, parameters, probe }: AttemptIdentity, target: RekeyTarget): ServerState {
  const hasNoKeys = target === "recovery" && status.required === 0;
  if (!status.started) return hasNoKeys ? "noKeys" : "none";
  if (isProbe(status, probe)) return "probe";
  const same = matches(status, parameters);
  if (status.nonce === nonce) return !same ? "tampered" : status.verification ? "verifying" : "collecting";
  if (nonces.includes(status.nonce)) return "abandoned";
  if (hasNoKeys && same && status.verification?.progress === 0) return "matchingFirst";
  if (!same || status.verification) return "foreign";
  // Without verification the last share commits. The subkeys to which it encrypts the new shares are unknown until then.
  if (!parameters.verification) return "foreign";
  return status.progress === 0 ? "matchingUnused" : "matchingInUse";
}

/** True for an attempt for the throw-away key with this fingerprint. */
export const isProbe = (status: RekeyStatus, fingerprint: string | undefined): boolean =>
  status.shares === 1 && isDeepStrictEqual(status.pgpFingerprints, [fingerprint]);

/** True if the status shows exactly these parameters. A share for other parameters could produce keys for an attacker. */
export const matches = (status: RekeyStatus, { shares, threshold, fingerprints, backup, verification }: Requested): boolean =>
  status.shares === shares &&
  status.threshold === threshold &&
  status.backup === backup &&
  status.verificationRequired === verification &&
  isDeepStrictEqual(status.pgpFingerprints, fingerprints);

export const sizeOf = (shares: number, threshold: number): string =>
  `${shares} ${shares === 1 ? "share" : "shares"}, threshold ${threshold}`;

/** `7 shares, threshold 4; with verification; 1 of 3 current shares submitted`. */
export function describeStatus(status: RekeyStatus): string {
  const { pgpFingerprints, progress, required, verification } = status;
  return [
    sizeOf(status.shares, status.threshold),
    status.verificationRequired ? "with verification" : "without verification",
    ...(pgpFingerprints.length > 0 ? [`encrypted to subkeys of ${pgpFingerprints.join(", ")}`] : []),
    ...(status.backup ? ["with backup"] : []),
    verification
      ? `${verification.progress} of ${verification.threshold} new shares verified`
      : `${progress} of ${required} current shares submitted`,
  ].join("; ");
}
