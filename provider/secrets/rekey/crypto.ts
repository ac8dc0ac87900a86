import { createHmac } from "node:crypto";
import type * as OpenPGP from "openpgp" with { "resolution-mode": "import" };
import { Connection } from "../../connection";
import { StewardError } from "../../errors";

// Shares, the proof that they belong together, and the PGP keys that they are encrypted to.

/** A share that can be given: as the program or the server wrote it, and what it says. @internal */
export interface Share {
  /** Where it comes from: `currentShares[0]`. */
  label: string;
  text: string;
  bytes: Buffer;
}

/** The bytes of a share in hex or base64; undefined when it is neither. @internal */
export function decodeShare(text: string): Buffer | undefined {
  const trimmed = text.trim();
  if (trimmed.length % 2 === 0 && /^[0-9a-f]+$/i.test(trimmed)) return Buffer.from(trimmed, "hex");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(trimmed) || trimmed.replace(/=+$/, "").length % 4 === 1) return undefined;
  return Buffer.from(trimmed, "base64");
}

/** Whether a text can be a share: its key has 16 bytes or more. A passphrase is mostly shorter, and an encrypted share longer. @internal */
export function mayBeShare(text: string): boolean {
  const length = decodeShare(text)?.length ?? 0;
  return length >= 16 && length <= 64;
}

/** @internal */
export const shareOf = (text: string, label: string): Share => ({ label, text: text.trim(), bytes: decodeShare(text) ?? Buffer.alloc(0) });

/** What tells later that this share was given to this attempt, without telling the share. @internal */
export const shareDigest = (nonce: string, { bytes }: Share): string =>
  createHmac("sha256", nonce).update(bytes).digest("hex").slice(0, 32);

/** The connection, of which no error shows these shares either, in whatever form the server echoes them. @internal */
export const redacting = (connection: Connection, sets: readonly { shares: readonly Share[] }[]): Connection => ({
  ...connection,
  secrets: [...connection.secrets, ...sets.flatMap(({ shares }) => shares.flatMap(formsOf))],
});

const formsOf = ({ text, bytes }: Share): string[] => [text, bytes.toString("hex"), bytes.toString("base64"), bytes.toString("base64url")];

/** The line that hands out an encrypted share; `pulumi-steward rekey decrypt` takes it as it is. @internal */
export const encryptedLine = (fingerprint: string, share: string): string => `for the holder of ${fingerprint}, encrypted: ${share}`;

/** What can be said of new shares before the service is asked. @internal */
export type Verdict =
  | { proven: true }
  | { proven: false; rule: string; reason: string; misfits: Share[] }
  | { proven: "unknown"; reason: string };

/**
 * Whether all shares are points of one polynomial, so that every `threshold` of them give the same secret. The server checks a threshold only, and the
 * call that does so commits.
 * @internal
 */
export async function prove(shares: readonly Share[], threshold: number): Promise<Verdict> {
  const [first] = shares;
  if (!first) return { proven: false, rule: "missing", reason: "there is no share", misfits: [] };
  const odd = shares.filter(({ bytes }) => bytes.length !== first.bytes.length || bytes.length === 0);
  if (odd.length > 0) return { proven: false, rule: "length", reason: "the shares are not of one length", misfits: odd };
  const duplicates = shares.filter(({ bytes }, index) => shares.findIndex((other) => other.bytes.equals(bytes)) < index);
  // One share, or a threshold of one, has nothing to combine: each is the secret itself, or the secret and a point of its own.
  if (threshold === 1) {
    const hasPoints = new Set(shares.map(pointOf)).size === shares.length;
    const keyOf = (share: Share): Buffer => (hasPoints ? valuesOf(share) : share.bytes);
    const others = shares.filter((share) => !keyOf(share).equals(keyOf(first)));
    return others.length > 0
      ? { proven: false, rule: "different-keys", reason: "the shares are not the same key", misfits: others }
      : { proven: true };
  }
  if (duplicates.length > 0) return { proven: false, rule: "duplicate", reason: "a share is there twice", misfits: duplicates };
  const points = shares.map(({ bytes }) => bytes[bytes.length - 1]);
  const same = shares.filter((_, index) => points[index] === 0 || points.indexOf(points[index]) < index);
  if (same.length > 0 && new Set(points).size > 1)
    return { proven: false, rule: "same-point", reason: "two shares stand for one point of the key, or one for none", misfits: same };
  if (same.length > 0)
    return { proven: "unknown", reason: "the shares are not in the form of this field, their last byte a point of its own" };
  if (shares.length === threshold) return { proven: true };
  return belongTogether(shares, threshold);
}

/** Looks for a threshold of shares that most of the others fit: any that are next to each other, in a ring, will do. */
function belongTogether(shares: readonly Share[], threshold: number): Verdict {
  for (let start = 0; start < shares.length; start++) {
    const ring = [...shares.slice(start), ...shares.slice(0, start)];
    const [base, others] = [ring.slice(0, threshold), ring.slice(threshold)];
    const polynomial = polynomialThrough(base);
    const misfits = others.filter((other) => !polynomial(pointOf(other)).equals(valuesOf(other)));
    if (misfits.length === 0) return { proven: true };
    // Two polynomials have less than a threshold of points in common, so no other one fits as many shares.
    if (misfits.length <= others.length / 2)
      return { proven: false, rule: "mismatch", reason: "the shares do not belong together", misfits };
  }
  return {
    proven: false,
    rule: "mismatch-unlocated",
    reason: "the shares do not belong together, and which of them do not fit could not be found out",
    misfits: [],
  };
}

const pointOf = ({ bytes }: Share): number => bytes[bytes.length - 1] as number;
const valuesOf = ({ bytes }: Share): Buffer => bytes.subarray(0, -1);

/** Logarithms in the field of shares, GF(2^8) modulo x^8 + x^4 + x^3 + x + 1, to the base x + 1. */
const [power, logarithm] = [new Uint8Array(255), new Uint8Array(256)];
for (let exponent = 0, value = 1; exponent < 255; exponent++) {
  power[exponent] = value;
  logarithm[value] = exponent;
  value ^= (value << 1) ^ (value & 0x80 ? 0x11b : 0);
}
const log = (value: number): number => logarithm[value] as number;

/**
 * The polynomials through some shares, one for each byte, at a point of none of them: Lagrange's form. To combine the shares anew for each point would
 * cost their number squared: minutes for 255 of them.
 */
function polynomialThrough(base: readonly Share[]): (point: number) => Buffer {
  const points = base.map(pointOf);
  const distances = (from: number): number => points.reduce((sum, point) => sum + (point === from ? 0 : log(point ^ from)), 0);
  const weights = points.map(distances);
  return (point) => {
    const values = Buffer.alloc((base[0] as Share).bytes.length - 1);
    const toAll = distances(point);
    base.forEach(({ bytes }, index) => {
      const quotient = toAll - log(point ^ (points[index] as number)) - (weights[index] as number);
      const factor = ((quotient % 255) + 255) % 255;
      for (let at = 0; at < values.length; at++)
        if (bytes[at] !== 0) values[at] = (values[at] as number) ^ (power[(log(bytes[at] as number) + factor) % 255] as number);
    });
    return values;
  };
}

let loaded: typeof OpenPGP | undefined;
function openpgp(): typeof OpenPGP {
  loaded ??= require("openpgp") as typeof OpenPGP;
  return loaded;
}

/** A key as the service takes it, or what keeps it from being used. @internal */
export interface InspectedKey {
  /** Lower-case hex of the primary key's, as the service shows it; "" for what is no key. */
  fingerprint: string;
  /** Base64 of the binary form. */
  binary: string;
  /** What its owner calls it: nothing proves that. */
  userId?: string;
  problem?: KeyProblem;
}

/** The reason why no share can be encrypted to a key. @internal */
export interface KeyProblem {
  rule: string;
  reason: string;
}

const isPrivateKey: KeyProblem = { rule: "private-key", reason: "is a private key: give the public one, and keep this one from others" };
const unusable = (rule: string, reason: string): InspectedKey => ({ fingerprint: "", binary: "", problem: { rule, reason } });

/** Reads public keys and says of each whether a share can be encrypted to it. @internal */
export const inspectKeys = (keys: readonly string[]): Promise<InspectedKey[]> => Promise.all(keys.map(inspectKey));

async function inspectKey(given: string): Promise<InspectedKey> {
  const { readKey } = openpgp();
  const blocks = given.match(/-----BEGIN [A-Z ]+-----/g) ?? [];
  if (blocks.some((block) => block.includes("PRIVATE"))) return { fingerprint: "", binary: "", problem: isPrivateKey };
  if (blocks.length > 1) return unusable("several-keys", "holds more than one key: give one for each share");
  let key: OpenPGP.Key;
  try {
    key = given.includes("-----BEGIN")
      ? await readKey({ armoredKey: given.trim() })
      : await readKey({ binaryKey: new Uint8Array(Buffer.from(given, "base64")) });
  } catch {
    return unusable("not-a-key", "is no OpenPGP public key, armored or as the base64 of its binary form");
  }
  const fingerprint = key.getFingerprint();
  // Its private part would go to the service, and into the state.
  if (key.isPrivate()) return { fingerprint, binary: "", problem: isPrivateKey };
  const [userId] = key.getUserIDs();
  return { fingerprint, binary: Buffer.from(key.write()).toString("base64"), userId, problem: await problemOf(key) };
}

/** Public keys for those who compare them: the fingerprint, and the user id in quotes that it cannot leave. @internal */
export async function describeKeys(keys: readonly string[]): Promise<string> {
  const inspected = await inspectKeys(keys);
  return inspected
    .map(({ fingerprint, userId }) => (userId ? `${fingerprint} "${userId.replaceAll('"', "'").slice(0, 100)}"` : fingerprint))
    .join(", ");
}

async function problemOf(key: OpenPGP.Key): Promise<KeyProblem | undefined> {
  const name = `the key ${key.getFingerprint()}`;
  if (await key.isRevoked()) return { rule: "revoked", reason: `${name} is revoked` };
  const expires = await key.getExpirationTime();
  if (expires instanceof Date && expires.getTime() <= Date.now())
    return { rule: "expired", reason: `${name} expired on ${expires.toISOString().slice(0, 10)}` };
  try {
    await key.getEncryptionKey();
    return undefined;
  } catch {
    return { rule: "no-encryption-subkey", reason: `${name} has no valid subkey for encryption` };
  }
}

/** A key whose private part nobody keeps: what is encrypted to it is of no use to anybody. @internal */
export async function createThrowAwayKey(): Promise<{ key: string; fingerprint: string }> {
  const { publicKey } = await openpgp().generateKey({ userIDs: [{ name: "probe" }], format: "object" });
  return { key: Buffer.from(publicKey.write()).toString("base64"), fingerprint: publicKey.getFingerprint() };
}

/** @internal */
export const refuse = (rule: string, reason: string): StewardError =>
  new StewardError({ code: "ERR_INVALID_INPUT", operation: "Cannot decrypt share", reason, rule });

/** Decrypts a share; the passphrase is asked for when the key is locked. @internal */
export async function decryptMessage({
  share,
  privateKey,
  passphrase,
}: {
  share: string;
  privateKey: string;
  passphrase(): Promise<string | undefined>;
}): Promise<string> {
  const { readPrivateKey, decryptKey, readMessage, decrypt } = openpgp();
  const message = await (share.includes("-----BEGIN")
    ? readMessage({ armoredMessage: share.trim() })
    : readMessage({ binaryMessage: new Uint8Array(decodeShare(share.replace(/\s/g, "")) ?? []) })
  ).catch(() => undefined);
  // What is not encrypted to anybody may look like a message all the same.
  if (!message || message.getEncryptionKeyIDs().length === 0)
    throw refuse("not-a-message", "share is no PGP message, in hex, base64 or armored");
  const locked = await (privateKey.includes("-----BEGIN")
    ? readPrivateKey({ armoredKey: privateKey.trim() })
    : readPrivateKey({ binaryKey: new Uint8Array(Buffer.from(privateKey, "base64")) })
  ).catch(() => {
    throw refuse("not-a-key", "privateKey is no OpenPGP private key, armored or as the base64 of its binary form");
  });
  const unlock = async (): Promise<OpenPGP.PrivateKey> => {
    const given = await passphrase();
    return decryptKey({ privateKey: locked, passphrase: given ?? "" }).catch(() => {
      throw given
        ? refuse("passphrase", "passphrase does not unlock privateKey")
        : refuse("key-locked", "privateKey is locked: give its passphrase");
    });
  };
  const key = locked.isDecrypted() ? locked : await unlock();
  const { data } = await decrypt({ message, decryptionKeys: key }).catch(() => {
    throw refuse("other-key", "privateKey is not the key that this share is encrypted to");
  });
  return String(data);
}
