import { createHmac } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type * as OpenPGP from "openpgp" with { "resolution-mode": "import" };
import { CheckFailure, StewardError } from "../../../contract/errors";
import { Operation } from "../../../contract/operation";
import { StopId } from "./stops";

// Shares and sets of them, the proof that they belong together, and the PGP keys that they are encrypted to.

/** A share, as the program or the server wrote it and as bytes. */
export interface Share {
  /** Its input: `currentShares[0]`. */
  label: string;
  text: string;
  bytes: Buffer;
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

export const isEmpty = ({ shares, encrypted }: ShareSet): boolean => shares.length + encrypted.length === 0;

/** The bytes of a share in hex or base64; undefined when it is neither. */
export function decodeShare(text: string): Buffer | undefined {
  const trimmed = text.trim();
  if (trimmed.length % 2 === 0 && /^[0-9a-f]+$/i.test(trimmed)) return Buffer.from(trimmed, "hex");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(trimmed) || trimmed.replace(/=+$/, "").length % 4 === 1) return undefined;
  return Buffer.from(trimmed, "base64");
}

/** True for 16 to 64 bytes, the length of a share. Most passphrases are shorter, and an encrypted share is longer. */
export function mayBeShare(text: string): boolean {
  const length = decodeShare(text)?.length ?? 0;
  return length >= 16 && length <= 64;
}

export const shareOf = (text: string, label: string): Share => ({ label, text: text.trim(), bytes: decodeShare(text) ?? Buffer.alloc(0) });

/** The shares of a set that the state has in plaintext. */
export const sharesIn = ({ nonce, shares }: ShareSet): Share[] => shares.map((text) => shareOf(text, `a share of ${nonce}`));

/** Recognizes a share that was submitted to this attempt, without storing the share. */
export const shareDigest = (nonce: string, { bytes }: Share): string =>
  createHmac("sha256", nonce).update(bytes).digest("hex").slice(0, 32);

/** The connection with these shares redacted in every error, in each encoding that the server could echo. */
export const redacting = <Own extends Operation>(operation: Own, sets: readonly { shares: readonly Share[] }[]): Own => ({
  ...operation,
  secrets: { ...operation.secrets, values: [...operation.secrets.values, ...sets.flatMap(({ shares }) => shares.flatMap(formsOf))] },
});

const formsOf = ({ text, bytes }: Share): string[] => [text, bytes.toString("hex"), bytes.toString("base64"), bytes.toString("base64url")];

/** The printed line with an encrypted share. `pulumi-steward rekey decrypt` reads such a line. */
export const encryptedLine = (fingerprint: string, share: string): string => `for the holder of ${fingerprint}, encrypted: ${share}`;

/** The result of a local proof of new shares. */
export type ProofResult = { proven: true } | { proven: false; reason: string; misfits: Share[] } | { proven: "unknown"; reason: string };

/**
 * Proves that all shares are points of one polynomial: every `threshold` of them combine to the same secret. The server only checks a threshold, and the
 * request that does so commits.
 */
export async function prove(shares: readonly Share[], threshold: number): Promise<ProofResult> {
  const [first] = shares;
  if (!first) return { proven: false, reason: "no share is available", misfits: [] };
  const odd = shares.filter(({ bytes }) => bytes.length !== first.bytes.length || bytes.length === 0);
  if (odd.length > 0) return { proven: false, reason: "the shares differ in length", misfits: odd };
  const duplicates = shares.filter(({ bytes }, index) => shares.findIndex((other) => other.bytes.equals(bytes)) < index);
  // One share, or a threshold of one, has nothing to combine: each is the secret itself, or the secret and a point of its own.
  if (threshold === 1) {
    const hasPoints = new Set(shares.map(pointOf)).size === shares.length;
    const secretOf = (share: Share): Buffer => (hasPoints ? valuesOf(share) : share.bytes);
    const others = shares.filter((share) => !secretOf(share).equals(secretOf(first)));
    return others.length > 0 ? { proven: false, reason: "the shares are different keys", misfits: others } : { proven: true };
  }
  if (duplicates.length > 0) return { proven: false, reason: "a share is duplicated", misfits: duplicates };
  const points = shares.map(({ bytes }) => bytes[bytes.length - 1]);
  const same = shares.filter((_, index) => points[index] === 0 || points.indexOf(points[index]) < index);
  if (same.length > 0 && new Set(points).size > 1)
    return { proven: false, reason: "two shares have the same x-coordinate (last byte), or one has 0", misfits: same };
  if (same.length > 0)
    return { proven: "unknown", reason: "the shares are not in Vault's format, in which each share ends with a different byte" };
  return belongTogether(shares, threshold);
}

/** Looks for a threshold of shares that most of the others fit. Any that are next to each other, in a ring, will do. */
function belongTogether(shares: readonly Share[], threshold: number): ProofResult {
  for (let start = 0; start < shares.length; start++) {
    const ring = [...shares.slice(start), ...shares.slice(0, start)];
    const [base, others] = [ring.slice(0, threshold), ring.slice(threshold)];
    const polynomial = polynomialThrough(base);
    const misfits = others.filter((other) => !polynomial(pointOf(other)).equals(valuesOf(other)));
    if (misfits.length === 0) return { proven: true };
    // Two polynomials have less than a threshold of points in common, so no other one fits as many shares.
    if (misfits.length <= others.length / 2) return { proven: false, reason: "the shares do not match", misfits };
  }
  return { proven: false, reason: "the shares do not match, and the wrong ones cannot be identified", misfits: [] };
}

/** False for shares with the same point or of different lengths. OpenBao before 2.6 keeps a set with such shares until the attempt ends. */
export const canCombine = (a: Share, b: Share): boolean =>
  a.bytes.length === b.bytes.length && pointOf(a) > 0 && pointOf(b) > 0 && pointOf(a) !== pointOf(b);

/** The most sets that are tried until the server accepts one. */
const mostSets = 100;

/** The sets of `count` shares to try until the server accepts one. A set with a share that does not fit most others comes last. */
export async function setsOf(shares: readonly Share[], count: number): Promise<Share[][]> {
  const proof = await prove(shares, count);
  const misfits = proof.proven === false ? proof.misfits : [];
  return combinations([...shares.filter((share) => !misfits.includes(share)), ...misfits], count);
}

/** The first sets of `count` shares that can be combined. */
function combinations(shares: readonly Share[], count: number, chosen: Share[] = [], sets: Share[][] = []): Share[][] {
  if (chosen.length === count) sets.push(chosen);
  const rest = chosen.length === count ? [] : shares.slice(0, shares.length - (count - chosen.length) + 1);
  for (const [index, share] of rest.entries())
    if (sets.length < mostSets && chosen.every((other) => canCombine(other, share)))
      combinations(shares.slice(index + 1), count, [...chosen, share], sets);
  return sets;
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
const logarithmOf = (value: number): number => logarithm[value] as number;

/**
 * The polynomials through some shares, one for each byte, at a point of none of them: Lagrange's form. Combining the shares again for each point would
 * cost their number squared: minutes for 255 of them.
 */
function polynomialThrough(base: readonly Share[]): (point: number) => Buffer {
  const points = base.map(pointOf);
  const distances = (from: number): number => points.reduce((sum, point) => sum + (point === from ? 0 : logarithmOf(point ^ from)), 0);
  const weights = points.map(distances);
  return (point) => {
    const values = Buffer.alloc((base[0] as Share).bytes.length - 1);
    const toAll = distances(point);
    base.forEach(({ bytes }, index) => {
      const quotient = toAll - logarithmOf(point ^ (points[index] as number)) - (weights[index] as number);
      const factor = ((quotient % 255) + 255) % 255;
      for (let at = 0; at < values.length; at++)
        if (bytes[at] !== 0) values[at] = (values[at] as number) ^ (power[(logarithmOf(bytes[at] as number) + factor) % 255] as number);
    });
    return values;
  };
}

const openpgp = (): typeof OpenPGP => require("openpgp");

/** A key as the server takes it, or the reason why it cannot be used. */
export interface InspectedKey {
  /** The fingerprint of the primary key in lower-case hex, as the server reports it; "" if the string is not a key. */
  fingerprint: string;
  /** Base64 of the binary form. */
  binary: string;
  /** The ids of its valid subkeys for encryption, or of the primary key if it encrypts. */
  encryptionKeys: string[];
  /** The owner chose it, and nothing proves it. */
  userId?: string;
  problem?: KeyProblem;
}

/** The reason why no share can be encrypted to a key. */
type KeyProblem = Pick<CheckFailure, "rule" | "reason">;

const isPrivateKey: KeyProblem = { rule: "private-key", reason: "is a private key: use the public one, and treat this one as compromised" };
const none = { fingerprint: "", binary: "", encryptionKeys: [] };
const unusable = (rule: string, reason: string): InspectedKey => ({ ...none, problem: { rule, reason } });

const severalKeys = unusable("several-keys", "contains more than one key: use one for each share");

/** The library's own reason, without the key that it names and the stack of a missing module. */
const reasonOf = ({ message }: Error): string =>
  message
    .replace(/^.*Could not .* key( [0-9a-f]+)?(: |$)/m, "")
    .replace(/(: consider|\n).*/s, "")
    .replace(/\.$/, "")
    .slice(0, 200);

/** A file that was read in a wrong encoding. UTF-16 that was read as UTF-8 has a zero in each character. */
function misreadAs(text: string): string | undefined {
  if (text.includes("-----BEGIN")) return undefined;
  if (text.replaceAll("\0", "").includes("-----BEGIN")) return "is UTF-16, as PowerShell writes it";
  return /[^\P{Cc}\s]|\ufffd/u.test(text) ? "is binary" : undefined;
}

/** The reason for which a string is not a key, and the way to one. */
const notAKey = (kind: "public" | "private", text: string, error: Error): string =>
  `${misreadAs(text) ?? `is not an OpenPGP ${kind} key, armored or as base64-encoded binary (${reasonOf(error)})`}: use the output of \`gpg --armor --export${kind === "private" ? "-secret-keys" : ""}\` unchanged, with its line breaks and without indentation, in UTF-8`;

/** Reads public keys, and finds those to which no share can be encrypted, or that are there twice. */
export async function inspectKeys(
  keys: readonly string[],
  nameOf = (index: number): string => `pgpKeys[${index}]`,
): Promise<InspectedKey[]> {
  const inspected = await Promise.all(keys.map(inspectKey));
  return inspected.map((key, index) => {
    const first = inspected.findIndex(({ fingerprint }) => fingerprint === key.fingerprint);
    const reason = `is the same key as ${nameOf(first)}: each share needs its own holder`;
    return key.problem || first === index ? key : { ...key, problem: { rule: "duplicate", reason } };
  });
}

/** Keys in the form of a request. */
export const requestedKeys = (keys: readonly InspectedKey[]): { pgpKeys: string[]; fingerprints: string[] } => ({
  pgpKeys: keys.map(({ binary }) => binary),
  fingerprints: keys.map(({ fingerprint }) => fingerprint),
});

async function inspectKey(text: string): Promise<InspectedKey> {
  const { readKeys } = openpgp();
  const blocks = text.replaceAll("\0", "").match(/-----BEGIN [A-Z ]+-----/g) ?? [];
  if (blocks.some((block) => block.includes("PRIVATE"))) return { ...none, problem: isPrivateKey };
  // Node decodes base64 up to the padding, so it would ignore a second key. A checksum is no key.
  if (blocks.length > 1 || /^[\w+/\s]+=+\s*[\w+/]/.test(text.replace(/\s=[^=\s]{4}\s*$/, ""))) return severalKeys;
  let keys: OpenPGP.Key[];
  try {
    keys = text.includes("-----BEGIN")
      ? await readKeys({ armoredKeys: text.trim() })
      : await readKeys({ binaryKeys: new Uint8Array(Buffer.from(text, "base64")) });
  } catch (error) {
    return unusable("not-a-key", notAKey("public", text, error as Error));
  }
  const [key] = keys as [OpenPGP.Key];
  const fingerprint = key.getFingerprint();
  // Its private part would go to the server, and into the state.
  if (keys.some((each) => each.isPrivate())) return { ...none, fingerprint, problem: isPrivateKey };
  // GnuPG exports all keys that match a name into one block.
  if (keys.length > 1) return severalKeys;
  const [userId] = key.getUserIDs();
  const binary = Buffer.from(key.write()).toString("base64");
  const isForStorage = clearStorageFlags(key);
  const encryptionKeys = await encryptionKeysOf(key);
  return { fingerprint, binary, encryptionKeys, userId, problem: await keyProblemOf(key, isForStorage) };
}

/**
 * Keys that encrypt are for communications, for storage, or for both. Vault takes none that is only for storage, so this clears that flag in the parsed
 * key. Returns true if there is such a key.
 */
function clearStorageFlags(key: OpenPGP.Key): boolean {
  const { encryptStorage, encryptCommunication } = openpgp().enums.keyFlags;
  const flags = [...key.toPacketList()].map((packet) => (packet as OpenPGP.SignaturePacket).keyFlags ?? []);
  const isForStorage = flags.some(([flag = 0]) => flag & encryptStorage && !(flag & encryptCommunication));
  for (const each of flags) if (each[0]) each[0] &= ~encryptStorage;
  return isForStorage;
}

/** Accepts each curve: gpg and the library decrypt secp256k1 too. */
const anyCurve = (): OpenPGP.Config => ({ ...openpgp().config, rejectCurves: new Set() });
/** Accepts each algorithm, as Vault does. */
const anyAlgorithm = (): OpenPGP.Config => ({ ...anyCurve(), minRSABits: 0, rejectPublicKeyAlgorithms: new Set() });

/** The key with this id, or the one that the server uses, if a message may be encrypted to it now. Throws the library's reason otherwise. */
const encryptionKeyOf = (key: OpenPGP.Key, id?: OpenPGP.KeyID): ReturnType<OpenPGP.Key["getEncryptionKey"]> =>
  key.getEncryptionKey(id, undefined, undefined, anyAlgorithm());

/** The ids of the keys to which a message may be encrypted now: those that are neither revoked nor expired. */
async function encryptionKeysOf(key: OpenPGP.Key): Promise<string[]> {
  const usable = await Promise.allSettled(key.getKeyIDs().map((id) => encryptionKeyOf(key, id).then(() => id.toHex())));
  return usable.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
}

/** The ids of the keys that a PGP message names. Empty if it does not name each of them, or is not a message. */
export async function recipientsOf(share: string): Promise<string[]> {
  const ids = ((await messageOf(share))?.getEncryptionKeyIDs() ?? []).map((id) => id.toHex());
  // The id of an anonymous recipient is zero.
  return ids.every((id) => /[^0]/.test(id)) ? ids : [];
}

const messageOf = (share: string) =>
  (share.includes("-----BEGIN")
    ? openpgp().readMessage({ armoredMessage: share.trim() })
    : openpgp().readMessage({ binaryMessage: new Uint8Array(decodeShare(share.replace(/\s/g, "")) ?? []) })
  ).catch(() => undefined);

/** The number of keys and passphrases that can decrypt a message. */
export async function countRecipients(message: string): Promise<number> {
  const { publicKeyEncryptedSessionKey, symEncryptedSessionKey } = openpgp().enums.packet;
  return (await messageOf(message))?.packets.filterByTag(publicKeyEncryptedSessionKey, symEncryptedSessionKey).length ?? 0;
}

export const nameKeys = (ids: readonly string[]): string => (ids.length > 0 ? `the key ${ids.join(", ")}` : "an anonymous recipient");

/**
 * The flaw that makes a set of new shares unusable, or undefined. The set must have all requested shares, in the order of the requested fingerprints.
 * Each message must name an encryption key of the key that the program passed: an old public key of a holder has the same fingerprint.
 */
export async function flawOf(
  { shares, encrypted }: ShareSet,
  { shares: count, fingerprints, encryptionKeys }: { shares: number; fingerprints: string[]; encryptionKeys?: string[][] },
): Promise<{ id: StopId; reason: string } | undefined> {
  const order = encrypted.map(({ fingerprint }) => fingerprint);
  const messages = await Promise.all(encrypted.map(({ share }) => recipientsOf(share)));
  const isWhole = fingerprints.length > 0 ? isDeepStrictEqual(order, fingerprints) : shares.length === count;
  if (!isWhole || messages.some((ids) => ids.length === 0))
    return {
      id: "new-shares-incomplete",
      reason: `the response contains ${shares.length + encrypted.length} new shares instead of ${count}, or shares for other holders`,
    };
  const index = messages.findIndex((ids, at) => encryptionKeys && !ids.every((id) => encryptionKeys[at]?.includes(id)));
  const reason = `the new share for ${order[index]} is encrypted to ${nameKeys(messages[index] ?? [])}, which is not a valid encryption key of pgpKeys[${index}]. Another client may have started the attempt with an old public key of this holder`;
  return index < 0 ? undefined : { id: "new-shares-other-subkey", reason };
}

/** A public key, for holders to compare: its fingerprint, and its user id in quotes, which it cannot escape. */
export const describeKey = ({ fingerprint, userId }: InspectedKey): string =>
  userId ? `${fingerprint} "${userId.replaceAll('"', "'").slice(0, 100)}"` : fingerprint;

/** Returns the phrase `, encrypted to …` for messages, or an empty string. */
export const encryptedTo = async (pgpKeys: readonly string[] = []): Promise<string> =>
  pgpKeys.length > 0 ? `, encrypted to ${(await inspectKeys(pgpKeys)).map(describeKey).join(", ")}` : "";

async function keyProblemOf(key: OpenPGP.Key, isForStorage: boolean): Promise<KeyProblem | undefined> {
  const name = `the key ${key.getFingerprint()}`;
  if (await key.isRevoked()) return { rule: "revoked", reason: `${name} is revoked` };
  const expires = await key.getExpirationTime();
  if (expires instanceof Date && expires.getTime() <= Date.now())
    return { rule: "expired", reason: `${name} expired on ${expires.toISOString().slice(0, 10)}` };
  let chosen: OpenPGP.KeyID | undefined;
  try {
    chosen = (await encryptionKeyOf(key)).getKeyID();
    await key.getEncryptionKey(chosen, undefined, undefined, anyCurve());
    return undefined;
  } catch (error) {
    if (key.getUserIDs().length === 0)
      return {
        rule: "no-user-id",
        reason: `${name} has no user id, which keys.openpgp.org omits: ask its holder for the output of \`gpg --armor --export\``,
      };
    const why = reasonOf(error as Error) || (isForStorage ? "those for encryption are only for storage" : "");
    const subkey = chosen && chosen.toHex() !== key.getKeyID().toHex() ? `: the server would use ${chosen.toHex()}` : "";
    return { rule: "no-encryption-subkey", reason: `${name} has no valid subkey for encryption${subkey}${why && ` (${why})`}` };
  }
}

/** A public key whose private part is discarded: nothing encrypted to it can be decrypted. */
export async function createThrowAwayKey(): Promise<{ key: string; fingerprint: string }> {
  const { publicKey } = await openpgp().generateKey({ userIDs: [{ name: "probe" }], format: "object" });
  return { key: Buffer.from(publicKey.write()).toString("base64"), fingerprint: publicKey.getFingerprint() };
}

export const refuse = (rule: string, reason: string): StewardError =>
  new StewardError({ code: "ERR_INVALID_INPUT", operation: "Cannot decrypt share", reason, rule });

/** A decrypted share. */
export interface DecryptedShare {
  text: string;
  /** The ids of the keys that the message names. */
  recipients: string[];
  /** The library's reason, or an empty string, if one of them is not a valid encryption key of the private key. */
  problem?: string;
}

/** Decrypts a share; the passphrase is asked for when the key is locked. */
export async function decryptMessage(encrypted: {
  share: string;
  privateKey: string;
  passphrase(): Promise<string | undefined>;
}): Promise<DecryptedShare> {
  const { share, privateKey } = encrypted;
  const { readPrivateKey, decrypt } = openpgp();
  const message = await messageOf(share);
  // A message without a recipient parses as well.
  if (!message || message.getEncryptionKeyIDs().length === 0)
    throw refuse("not-a-message", "share is not a PGP message, in hex, base64 or armored");
  const key = await (privateKey.includes("-----BEGIN")
    ? readPrivateKey({ armoredKey: privateKey.trim() })
    : readPrivateKey({ binaryKey: new Uint8Array(Buffer.from(privateKey, "base64")) })
  ).catch((error) => {
    throw refuse("not-a-key", `privateKey ${notAKey("private", privateKey, error)}`);
  });
  const recipients = await recipientsOf(share);
  const ids = key.getKeyIDs().map((id) => id.toHex());
  const needed = key.getKeys().filter((each) => recipients.length === 0 || recipients.includes(each.getKeyID().toHex()));
  const cannot = `privateKey (${ids.join(", ")}) cannot decrypt this share, which is encrypted to ${nameKeys(recipients)}`;
  if (needed.length === 0) throw refuse("other-key", cannot);
  const packets = needed.map(({ keyPacket }) => keyPacket as OpenPGP.SecretKeyPacket);
  const isUnlocked = (): boolean => packets.some((packet) => packet.isDecrypted());
  // The primary key may be offline, and then only the subkeys have a private part.
  if (packets.every((packet) => packet.isMissingSecretKeyMaterial()))
    throw refuse(
      "no-private-part",
      `privateKey does not contain the private part of ${nameKeys(recipients)}: decrypt with \`gpg --decrypt\``,
    );
  if (!isUnlocked()) {
    const secret = await encrypted.passphrase();
    await Promise.allSettled(packets.map((packet) => packet.decrypt(secret ?? "")));
    if (!isUnlocked())
      throw secret
        ? refuse("passphrase", "passphrase does not unlock privateKey")
        : refuse("key-locked", "privateKey is locked: pass its passphrase");
  }
  const { data } = await decrypt({ message, decryptionKeys: key }).catch((error) => {
    throw recipients.length > 0
      ? refuse("damaged", `privateKey cannot decrypt this share (${reasonOf(error)})`)
      : refuse("other-key", cannot);
  });
  const checked = await Promise.allSettled(message.getEncryptionKeyIDs().map((id) => encryptionKeyOf(key, id)));
  const invalid = recipients.length > 0 ? checked.find((each) => each.status === "rejected") : undefined;
  return { text: String(data), recipients, ...(invalid && { problem: reasonOf(invalid.reason) }) };
}
