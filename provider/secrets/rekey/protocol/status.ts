// The subject of a rekey, and its progress.

/** The keys that a rekey replaces, which are the unseal keys, or the recovery keys of a server with auto-unseal. */
export type RekeyTarget = "unseal" | "recovery";

/** The status of the rekey. */
export interface RekeyStatus {
  /** True while an attempt is in progress. */
  started: boolean;
  /** The nonce of the attempt, or an empty string without an attempt. */
  nonce: string;
  /** The threshold of the new shares. */
  threshold: number;
  /** The number of new shares. */
  shares: number;
  /** The number of current shares submitted so far. */
  progress: number;
  /** The number of current shares required, which is their threshold. */
  required: number;
  /**
   * The fingerprints, in order, of the primary keys to whose subkeys the new shares are encrypted. They do not show which subkeys were
   * used.
   */
  pgpFingerprints: string[];
  /** True if Vault keeps the encrypted shares. */
  backup: boolean;
  /** True if the new shares must be verified before the commit. */
  verificationRequired: boolean;
  /** The progress of the verification, or undefined unless new shares are being verified. */
  verification?: { nonce: string; progress: number; threshold: number; shares: number };
}

/**
 * The phase of a rekey:
 *
 * - `submitting`: current shares are submitted;
 * - `confirming`: with `confirm: "all"`, holders confirm that they have decrypted their new shares;
 * - `verifying`: new shares are verified;
 * - `testing`: it is unknown whether the new shares are valid, and a probe tests them;
 * - `complete`: the new shares are valid.
 */
export type RekeyPhase = "submitting" | "confirming" | "verifying" | "testing" | "complete";

/** The progress of a rekey. */
export interface RekeyProgress {
  /** The current phase. */
  phase: RekeyPhase;
  /** The number of shares in this phase so far. */
  count: number;
  /** The number of shares that this phase requires. */
  required: number;
}
