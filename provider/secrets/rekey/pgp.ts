import type * as OpenPGP from "openpgp" with { "resolution-mode": "import" };
import { StewardError } from "../../errors";
import { decodeShare } from "./share";

// The one file that knows OpenPGP. The library is loaded with the first key: most programs have none.
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
  problem?: string;
}

const isPrivateKey = "is a private key: give the public one, and keep this one from others";

/** Reads public keys and says of each whether a share can be encrypted to it. @internal */
export const inspectKeys = (keys: readonly string[]): Promise<InspectedKey[]> => Promise.all(keys.map(inspectKey));

async function inspectKey(given: string): Promise<InspectedKey> {
  const { readKey } = openpgp();
  const blocks = given.match(/-----BEGIN [A-Z ]+-----/g) ?? [];
  if (blocks.some((block) => block.includes("PRIVATE"))) return { fingerprint: "", binary: "", problem: isPrivateKey };
  if (blocks.length > 1) return { fingerprint: "", binary: "", problem: "holds more than one key: give one for each share" };
  let key: OpenPGP.Key;
  try {
    key = given.includes("-----BEGIN")
      ? await readKey({ armoredKey: given.trim() })
      : await readKey({ binaryKey: new Uint8Array(Buffer.from(given, "base64")) });
  } catch {
    return { fingerprint: "", binary: "", problem: "is no OpenPGP public key, armored or as the base64 of its binary form" };
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

async function problemOf(key: OpenPGP.Key): Promise<string | undefined> {
  const name = `the key ${key.getFingerprint()}`;
  if (await key.isRevoked()) return `${name} is revoked`;
  const expires = await key.getExpirationTime();
  if (expires instanceof Date && expires.getTime() <= Date.now()) return `${name} expired on ${expires.toISOString().slice(0, 10)}`;
  try {
    await key.getEncryptionKey();
    return undefined;
  } catch {
    return `${name} has no valid subkey for encryption`;
  }
}

/** A key whose private part nobody keeps: what is encrypted to it is of no use to anybody. @internal */
export async function createThrowAwayKey(): Promise<{ key: string; fingerprint: string }> {
  const { publicKey } = await openpgp().generateKey({ userIDs: [{ name: "probe" }], format: "object" });
  return { key: Buffer.from(publicKey.write()).toString("base64"), fingerprint: publicKey.getFingerprint() };
}

/** @internal */
export const refuse = (reason: string): StewardError =>
  new StewardError({ code: "ERR_INVALID_INPUT", task: "Cannot decrypt share", reason });

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
  if (!message || message.getEncryptionKeyIDs().length === 0) throw refuse("share is no PGP message, in hex, base64 or armored");
  const locked = await (privateKey.includes("-----BEGIN")
    ? readPrivateKey({ armoredKey: privateKey.trim() })
    : readPrivateKey({ binaryKey: new Uint8Array(Buffer.from(privateKey, "base64")) })
  ).catch(() => {
    throw refuse("privateKey is no OpenPGP private key, armored or as the base64 of its binary form");
  });
  const unlock = async (): Promise<OpenPGP.PrivateKey> => {
    const given = await passphrase();
    return decryptKey({ privateKey: locked, passphrase: given ?? "" }).catch(() => {
      throw refuse(given ? "passphrase does not unlock privateKey" : "privateKey is locked: give its passphrase");
    });
  };
  const key = locked.isDecrypted() ? locked : await unlock();
  const { data } = await decrypt({ message, decryptionKeys: key }).catch(() => {
    throw refuse("privateKey is not the key that this share is encrypted to");
  });
  return String(data);
}
