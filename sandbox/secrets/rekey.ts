import { randomUUID } from "node:crypto";
import { HttpError } from "./http-error";
import { encryptShare, Holder, readHolder } from "./pgp";
import { Attempt, KeyKind, Records } from "./records";
import { RekeyErrors } from "./rekey-errors";
import { combine, createKey, same } from "./seal";

export interface RekeyParameters {
  shares: number;
  threshold: number;
  pgpKeys: string[];
  backup: boolean;
  verification: boolean;
  /** The number of stored shares, which Vault rejects for recovery keys, and the API specification requires of a seal that keeps the key. */
  stored: number;
}

/** The differences between the dialects and the kinds of keys in the rules of a rekey. */
export interface RekeyRules {
  kind: KeyKind;
  errors: RekeyErrors;
  /** Checks the numbers and the backup in the request's own words, before those of the seal configuration. */
  checksRequest: boolean;
  /** Rejects a second attempt before it checks the request. */
  checksProgressFirst: boolean;
  /** Accepts shares that are too short or too long, until they are combined. */
  anyLength: boolean;
  /** Reports a missing nonce as missing. Otherwise it is reported as incorrect. */
  needsNonce: boolean;
  /** Rejects all but one share with threshold one if the seal keeps the key. Otherwise other numbers are replaced by one. */
  storedNeedsOne: boolean;
  /** Counts a new share each time that it is verified. */
  countsRepeatedNewShares: boolean;
  /** Accepts a threshold of one with several shares. */
  oneForSeveral: boolean;
}

/** A share, for the attempt with this nonce. */
export interface Submission {
  share: Uint8Array;
  nonce: string;
}

/** The result of the last current share: the new shares, in plaintext or encrypted. */
export interface Completed {
  attempt: Attempt;
  shares: Uint8Array[];
}

// The time during which a cancel requires the nonce.
const guardedMilliseconds = 600_000;

/** Throws if these are recovery keys, and the seal has none. */
export function assertSupported(
  { seal }: Records,
  { kind, errors }: RekeyRules,
  ...operation: Parameters<RekeyErrors["unsupported"]>
): void {
  const unsupported = kind === "recovery" && seal === "shamir" && errors.unsupported(...operation);
  if (unsupported) throw unsupported;
}

/** Starts a rekey. The checks run in Vault's order. Returns the result if it needs no current shares. */
export async function start(records: Records, parameters: RekeyParameters, rules: RekeyRules, now: Date): Promise<Completed | undefined> {
  const { pgpKeys, backup, verification } = parameters;
  const { kind, errors } = rules;
  if (rules.checksProgressFirst && records.attempts[kind]) throw errors.inProgress();
  if (rules.checksRequest) assertRequest(parameters, kind);
  const stored = records.seal === "stored" && kind === "unseal";
  if (stored && pgpKeys.length > 0) throw new HttpError(400, "PGP key encryption not supported when using stored keys");
  if (stored && backup) throw new HttpError(400, "key backup not supported when using stored keys");
  if (stored && verification) throw errors.withRecoveryKeys();
  if (stored && rules.storedNeedsOne && [parameters.shares, parameters.threshold, parameters.stored].some((count) => count !== 1))
    throw new HttpError(400, "secret_shares, secret_threshold and stored_shares must be 1: the seal keeps the key");
  // A seal that keeps the key itself has nothing to split.
  const { shares, threshold } = stored ? { shares: 1, threshold: 1 } : parameters;
  const problem = problemOf(shares, threshold, pgpKeys.length, rules);
  if (problem) throw errors.invalidSeal(problem);
  const holders: Holder[] = [];
  try {
    for (const key of pgpKeys) holders.push(await readHolder(key));
  } catch (error) {
    throw errors.invalidSeal((error as Error).message);
  }
  if (records.attempts[kind]) throw errors.inProgress();
  const fresh = { nonce: randomUUID(), startedAt: now, submitted: [], verificationNonce: "", proven: [] };
  const attempt = { shares, threshold, holders, backup, verification, ...fresh };
  records.attempts[kind] = attempt;
  return kind === "recovery" && records.key.threshold === 0 ? complete(records, attempt, rules, now) : undefined;
}

function assertRequest({ shares, threshold, pgpKeys, backup, stored }: RekeyParameters, kind: KeyKind): void {
  if (backup && pgpKeys.length === 0)
    throw new HttpError(400, "cannot request a backup of the new keys without providing PGP keys for encryption");
  if (pgpKeys.length > 0 && pgpKeys.length !== shares) throw new HttpError(400, "incorrect number of PGP keys for rekey");
  if (threshold > shares) throw new HttpError(400, "provided threshold greater than the total shares");
  if (kind === "recovery" && stored > 0) throw new HttpError(400, "stored shares not supported by recovery key");
}

function problemOf(shares: number, threshold: number, pgpKeys: number, { oneForSeveral }: RekeyRules): string | undefined {
  if (shares < 1) return "shares must be at least one";
  if (threshold < 1) return "threshold must be at least one";
  if (shares > 1 && threshold === 1 && !oneForSeveral) return "threshold must be greater than one for multiple shares";
  if (shares > 255) return "shares must be less than 256";
  if (threshold > shares) return "threshold cannot be larger than shares";
  if (pgpKeys > 0 && pgpKeys !== shares) return "count mismatch between number of provided PGP keys and number of shares";
  return undefined;
}

/** Throws if the share or, where it is required, the nonce is missing. */
export function assertShare({ needsNonce }: RekeyRules, key: string, nonce: string): void {
  if (key === "") throw new HttpError(400, needsNonce ? "missing required field 'key'" : "'key' must be specified in request body as JSON");
  if (nonce === "" && needsNonce) throw new HttpError(400, "missing required field 'nonce'");
}

/** Accepts a current share. Returns undefined if more shares are needed. */
export async function update(records: Records, { share, nonce }: Submission, rules: RekeyRules, now: Date): Promise<Completed | undefined> {
  const { kind, errors } = rules;
  assertSupported(records, rules, "update");
  const attempt = records.attempts[kind];
  if (!attempt) throw errors.notStarted();
  if (attempt.candidate) throw errors.finished(attempt.verificationNonce);
  if (nonce !== attempt.nonce) throw errors.wrongNonce(attempt.nonce);
  if (attempt.submitted.some((other) => same(other, share))) throw errors.repeated();
  attempt.submitted.push(share);
  if (attempt.submitted.length < records.key.threshold) return undefined;

  // From here on the submitted shares are dropped, even if this fails.
  const { submitted } = attempt;
  attempt.submitted = [];
  const secret = await combine(submitted, records.key).catch((error: Error) => {
    throw errors.notCombined(error.message);
  });
  authorize(records, secret, errors);
  if (records.seal === "stored" && kind === "unseal") {
    // The seal's key is rotated. The recovery shares stay the same.
    records.attempts[kind] = undefined;
    return { attempt, shares: [] };
  }
  return complete(records, attempt, rules, now);
}

/** Makes the new shares, which are valid unless they must be verified. */
async function complete(records: Records, attempt: Attempt, { kind, errors }: RekeyRules, now: Date): Promise<Completed> {
  const candidate = await createKey(attempt.shares, attempt.threshold);
  const shares = await handOut(candidate.shares, attempt.holders, errors, now);
  if (attempt.backup && attempt.holders.length > 0) {
    const messages = shares.map((message, at) => ({ fingerprint: attempt.holders[at]!.fingerprint, message }));
    records.backups[kind] = { nonce: attempt.nonce, messages };
  }
  if (attempt.verification) {
    attempt.candidate = candidate;
    attempt.verificationNonce = randomUUID();
  } else {
    records.key = candidate;
    records.attempts[kind] = undefined;
  }
  return { attempt, shares };
}

/** Throws unless this is the valid key. The messages are those of Vault's storage for a wrong key. */
export function authorize(records: Records, secret: Uint8Array, { failed, wrongKey }: Pick<RekeyErrors, "failed" | "wrongKey">): void {
  if (records.seal === "stored" && !records.hasKms)
    throw new HttpError(
      400,
      "recovery key verification failed: failed to decrypt encrypted stored keys: error decrypting seal wrapped value",
    );
  if (same(secret, records.key.secret)) return;
  if (records.seal === "stored") throw new HttpError(400, "recovery key verification failed: recovery key does not match submitted values");
  if (![16, 24, 32].includes(secret.length)) throw failed(`failed to setup unseal key: crypto/aes: invalid key size ${secret.length}`);
  throw wrongKey();
}

/** The shares as they are returned: in plaintext, or encrypted to the holders. */
async function handOut(shares: string[], holders: Holder[], { failed }: RekeyErrors, now: Date): Promise<Uint8Array[]> {
  const plain = shares.map((share) => new Uint8Array(Buffer.from(share, "base64")));
  if (holders.length === 0) return plain;
  const messages: Uint8Array[] = [];
  try {
    for (const [at, share] of plain.entries()) messages.push(await encryptShare(share, holders[at]!, now));
  } catch (error) {
    throw failed(`failed to encrypt shares: ${(error as Error).message}`);
  }
  return messages;
}

/** Accepts a new share. Returns the nonce if it was the last one, and the new key is valid. */
export async function verify(records: Records, { share, nonce }: Submission, rules: RekeyRules): Promise<string | undefined> {
  const { kind, errors } = rules;
  const attempt = records.attempts[kind];
  if (!attempt) throw errors.notRunning();
  const { candidate } = attempt;
  if (!candidate) throw errors.notVerifying();
  if (nonce !== attempt.verificationNonce)
    throw new HttpError(400, `incorrect nonce supplied; nonce for this verify operation is "${attempt.verificationNonce}"`);
  if (!rules.countsRepeatedNewShares && attempt.proven.some((other) => same(other, share)))
    throw new HttpError(400, "given key has already been provided during this verify operation");
  attempt.proven.push(share);
  if (attempt.proven.length < attempt.threshold) return undefined;

  // A failed verification restarts with a new nonce.
  const { proven } = attempt;
  restart(attempt);
  const secret = await combine(proven, candidate).catch((error: Error) => {
    throw errors.notCombinedNew(error.message);
  });
  if (!same(secret, candidate.secret)) throw errors.notVerified();
  records.key = candidate;
  records.attempts[kind] = undefined;
  return nonce;
}

/** Restarts the verification. As in Vault, it creates a nonce even if there is nothing to verify yet. */
export function restart(attempt: Attempt): void {
  attempt.proven = [];
  attempt.verificationNonce = randomUUID();
}

/** Throws if there is a recent rekey, and this is not its nonce. */
export function assertCancel(attempt: Attempt | undefined, nonce: string, now: Date): void {
  const young = attempt && now.getTime() - attempt.startedAt.getTime() < guardedMilliseconds;
  if (young && nonce !== attempt.nonce) throw new HttpError(400, "invalid request");
}
