import { isDeepStrictEqual } from "node:util";
import { Operation } from "../../connection";
import { OutcomeUnknown } from "../../definition";
import { Share } from "./crypto";
import { RekeyInputs } from "./inputs";

// The types of a rekey: its status on the service, and the states of the three resources.

/** The status of the rekey on the service. */
export interface RekeyStatus {
  /** True while an attempt is in progress. */
  started: boolean;
  /** The nonce of the attempt. Empty without an attempt. */
  nonce: string;
  /** The number of new shares that will unseal the service. */
  threshold: number;
  /** The number of new shares. */
  shares: number;
  /** The number of current shares submitted so far. */
  progress: number;
  /** The number of current shares required, which is their threshold. */
  required: number;
  /** The fingerprints of the primary keys to whose subkeys the new shares are encrypted, in order. They do not show which subkeys. */
  pgpFingerprints: string[];
  /** True if the service keeps the encrypted shares. */
  backup: boolean;
  /** True if the new shares must be verified before the commit. */
  verificationRequired: boolean;
  /** The progress of the verification. Undefined unless new shares are being verified. */
  verification?: { nonce: string; progress: number; threshold: number; shares: number };
}

/** The parameters of an attempt. */
export interface Parameters {
  shares: number;
  threshold: number;
  /** The keys in binary form, as base64. Without keys, the service returns the new shares in plaintext. */
  pgpKeys: string[];
  fingerprints: string[];
  /** For each key, the ids of its encryption keys when the program passed it. */
  encryptionKeys: string[][];
  backup: boolean;
  verification: boolean;
}

/** New shares, from the response to the last current share. */
export interface ShareSet {
  /** The nonce of the attempt that made them. */
  nonce: string;
  threshold: number;
  /** The shares in base64. Empty with PGP. */
  shares: string[];
  encrypted: EncryptedShare[];
}

/** A share that only its holder can read. */
export interface EncryptedShare {
  /** The fingerprint of the holder's key, in lower-case hex. */
  fingerprint: string;
  /** The PGP message, in hex. */
  share: string;
}

/** The encrypted shares that the service keeps. */
export interface RekeyBackup {
  /** The nonce of the attempt that made them. */
  nonce: string;
  /** The PGP messages for each fingerprint, in hex. */
  keys: Record<string, string[]>;
}

export const isEmpty = ({ shares, encrypted }: ShareSet): boolean => shares.length + encrypted.length === 0;

/**
 * The attempt on the server, as one of the three resources classifies it:
 *
 * - `none`: no attempt;
 * - `collecting`, `verifying`: the attempt of this rekey, before and after the last current share;
 * - `tampered`: the nonce of this rekey, but other parameters;
 * - `abandoned`: an earlier attempt of this rekey;
 * - `matchingUnused`: the parameters of this rekey, with verification, and no share yet, so a takeover harms no other client;
 * - `matchingInUse`: the same, with shares of other holders;
 * - `probe`: the throw-away attempt of this rekey, known by its key;
 * - `foreign`: another client's attempt.
 */
export type ServerState =
  | "none"
  | "collecting"
  | "verifying"
  | "tampered"
  | "abandoned"
  | "matchingUnused"
  | "matchingInUse"
  | "probe"
  | "foreign";

export interface Observed {
  server: ServerState;
  status: RekeyStatus;
}

/** The facts by which a resource recognizes its attempts. */
export interface AttemptIdentity {
  /** The nonce of the current attempt. Undefined without one. */
  nonce?: string;
  /** The nonce of every attempt that this rekey started, or to which it submitted a share. */
  nonces: readonly string[];
  parameters: Parameters;
  /** The fingerprint of the throw-away key. */
  probe?: string;
}

export function serverStateOf(status: RekeyStatus, { nonce, nonces, parameters, probe }: AttemptIdentity): ServerState {
  if (!status.started) return "none";
  if (isProbe(status, probe)) return "probe";
  const same = matches(status, parameters);
  if (status.nonce === nonce) return !same ? "tampered" : status.verification ? "verifying" : "collecting";
  if (nonces.includes(status.nonce)) return "abandoned";
  if (!same || status.verification) return "foreign";
  // Without verification the last share commits. The subkeys to which it encrypts the new shares are unknown until then.
  if (!parameters.verification) return "foreign";
  return status.progress === 0 ? "matchingUnused" : "matchingInUse";
}

const isProbe = (status: RekeyStatus, fingerprint: string | undefined): boolean =>
  fingerprint !== undefined && status.shares === 1 && isDeepStrictEqual(status.pgpFingerprints, [fingerprint]);

/** True if the status shows exactly these parameters. A share for other parameters could produce keys for an attacker. */
export const matches = (
  status: RekeyStatus,
  { shares, threshold, fingerprints, backup, verification }: Omit<Parameters, "pgpKeys" | "encryptionKeys">,
): boolean =>
  status.shares === shares &&
  status.threshold === threshold &&
  status.backup === backup &&
  status.verificationRequired === verification &&
  isDeepStrictEqual(status.pgpFingerprints, fingerprints);

export const withNonce = (nonces: readonly string[], nonce: string): string[] => [...new Set([...nonces, nonce])];

export const sizeOf = (shares: number, threshold: number): string =>
  `${shares} ${shares === 1 ? "share" : "shares"}, threshold ${threshold}`;

/** `7 shares, threshold 4; with verification; 1 of 3 current shares submitted`. */
export function describe({
  shares,
  threshold,
  verificationRequired,
  pgpFingerprints,
  backup,
  progress,
  required,
  verification,
}: RekeyStatus): string {
  return [
    sizeOf(shares, threshold),
    verificationRequired ? "with verification" : "without verification",
    ...(pgpFingerprints.length > 0 ? [`encrypted to subkeys of ${pgpFingerprints.join(", ")}`] : []),
    ...(backup ? ["with backup"] : []),
    verification
      ? `${verification.progress} of ${verification.threshold} new shares verified`
      : `${progress} of ${required} current shares submitted`,
  ].join("; ");
}

/** The attempt, which the first resource passes to the second, and that to the third. */
export interface Attempt {
  /** Identifies this attempt in the state. A new one restarts the shares step. */
  id: string;
  /** Undefined if the attempt on the server was deferred to the shares step. */
  nonce?: string;
  /** The nonces of all attempts that this rekey started, or to which it submitted a share. A backup of one of them belongs to it. */
  nonces: string[];
  parameters: Parameters;
  /** The triggers for which it was started. */
  triggers: string[];
  /** A public key whose private part was discarded. */
  probe: { key: string; fingerprint: string };
}

/** True if the attempt was started for these encryption subkeys, which the fingerprints of the keys do not show. */
export const hasSubkeys = ({ parameters }: Pick<Attempt, "parameters">, { encryptionKeys }: Parameters): boolean =>
  isDeepStrictEqual(parameters.encryptionKeys, encryptionKeys);

/** The facts of an attempt, with the nonces of those that later steps started. */
export const identityOf = ({ parameters, probe }: Attempt, nonces: readonly string[], nonce?: string): AttemptIdentity => ({
  nonce,
  nonces,
  parameters,
  probe: probe.fingerprint,
});

export interface SharesInputs
  extends Pick<
    RekeyInputs,
    "currentShares" | "newShares" | "waitSeconds" | "replaceBackup" | "onConflict" | "discardShares" | "connection"
  > {
  attempt: Attempt;
}

/** The result of submitting the current shares, which the commit receives. */
export interface Submission {
  attempt: Attempt;
  /** The nonce of the current attempt. The first one may have been lost. */
  nonce?: string;
  nonces: string[];
  /** The new shares. */
  candidate?: ShareSet;
  /** The source of the new shares. Those from a backup may already be live without verification. */
  source?: "reply" | "backup";
  /** Sets whose outcome is unknown: they may be valid. */
  kept: ShareSet[];
  /** Digests of the shares that were submitted to this attempt. */
  submitted: string[];
  /** Digests of shares that do not belong to the candidate: submitted for it, or brought before it existed. */
  excluded: string[];
  /** Nonces of the kept sets that this attempt refused. */
  refused: string[];
  /** True if an attempt of this rekey may have left a backup. */
  hadBackup: boolean;
  /** The ciphertext of the backup that this rekey overwrote. */
  replacedBackup?: RekeyBackup;
}

export interface SharesState {
  submission: Submission;
}

export type LastShares = Partial<SharesInputs & SharesState> & OutcomeUnknown;

/** One run. Its progress is in `state`, which is saved however the run ends. */
export interface SharesRun {
  operation: Operation;
  inputs: SharesInputs;
  identity: AttemptIdentity;
  state: SharesState;
}

export interface CommitInputs
  extends Pick<RekeyInputs, "currentShares" | "newShares" | "proof" | "removeBackup" | "onConflict" | "discardShares" | "connection"> {
  submission: Submission & { candidate: ShareSet };
}

export interface CommitState {
  /** The known outcome of the candidate. */
  outcome: "open" | "unknown" | "dead" | "live";
  /** The decrypted shares that holders have brought. */
  gathered: Gathered[];
  /** The set known to be valid: the previous one until the candidate is proven. */
  live?: ShareSet;
  /** The set before the live one, encrypted, if only the holders' claim proves the live one. */
  previousLive?: ShareSet;
  shares: string[];
  encryptedShares: EncryptedShare[];
  fingerprints: string[];
  complete: boolean;
  /** The time at which the live set was first known to be live, as an instance id, which sorts by time. */
  since?: string;
}

export interface Gathered {
  label: string;
  share: string;
}

export type LastCommit = Partial<CommitInputs & CommitState> & OutcomeUnknown;

/** One run. Its progress is in `state`, which is saved however the run ends. */
export interface CommitRun {
  operation: Operation;
  inputs: CommitInputs;
  identity: AttemptIdentity;
  state: CommitState;
  /** The candidate's shares that are at hand in plaintext. */
  shares: Share[];
  /** The references in newShares that are not at hand. */
  missing: string[];
}

export const stateOf = (outcome: CommitState["outcome"], live: ShareSet | undefined, gathered: Gathered[]): CommitState => ({
  outcome,
  gathered,
  ...(live ? { live } : {}),
  shares: live?.shares ?? [],
  encryptedShares: live?.encrypted ?? [],
  fingerprints: (live?.encrypted ?? []).map(({ fingerprint }) => fingerprint),
  complete: outcome === "live",
});
