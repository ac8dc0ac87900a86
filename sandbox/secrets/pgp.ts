import { readBase64 } from "./seal";

/** A holder's public key. `binary` is the key as the client sent it. */
export interface Holder {
  binary: Uint8Array;
  /** The fingerprint of the primary key, in lower-case hex. */
  fingerprint: string;
}

/** Reads a public key in base64 of its binary form. A key that cannot encrypt is only detected on encryption. */
export async function readHolder(text: string): Promise<Holder> {
  const binary = readBase64(text);
  if (!binary) throw new Error(`error decoding given PGP key: illegal base64 data at input byte ${illegal(text)}`);
  try {
    return { binary, fingerprint: (await read(binary)).getFingerprint() };
  } catch (error) {
    throw new Error(`error parsing given PGP key: ${(error as Error).message}`);
  }
}

/** Encrypts a share to its holder. As in Vault, the message contains the share in hex. */
export const encryptShare = (share: Uint8Array, holder: Holder, now: Date): Promise<Uint8Array> =>
  encrypt(new Uint8Array(Buffer.from(Buffer.from(share).toString("hex"))), holder, now);

/** The feature of a key that asks for AEAD, in RFC 9580. */
const encryptsWithAead = 8;
/** Vault encrypts with each algorithm. */
const anyAlgorithm = { minRSABits: 0, rejectPublicKeyAlgorithms: new Set<never>(), rejectCurves: new Set<never>() };

export async function encrypt(binary: Uint8Array, holder: Holder, now: Date): Promise<Uint8Array> {
  const { createMessage, encrypt, enums } = await import("openpgp");
  const key = await read(holder.binary);
  // Vault takes no key that is only for storage, and uses no AEAD.
  for (const packet of key.toPacketList()) {
    const { keyFlags, features } = packet as { keyFlags?: Uint8Array | null; features?: Uint8Array | null };
    if (keyFlags?.[0]) keyFlags[0] &= ~enums.keyFlags.encryptStorage;
    if (features?.[0]) features[0] &= ~encryptsWithAead;
  }
  const message = await createMessage({ binary });
  try {
    return await encrypt({ message, encryptionKeys: key, format: "binary", date: now, config: anyAlgorithm });
  } catch {
    // Vault prints the id as a number, without leading zeros.
    const id = key.getKeyID().toHex().replace(/^0+/, "");
    const reason = `cannot encrypt a message to key id ${id} because it has no valid encryption keys`;
    throw new Error(`error setting up encryption for PGP message: openpgp: invalid argument: ${reason}`);
  }
}

/** Loads the library on first use: it is large, and few programs need it. */
async function read(binary: Uint8Array) {
  const { readKey } = await import("openpgp");
  return readKey({ binaryKey: binary });
}

function illegal(text: string): number {
  const at = text.search(/[^A-Za-z0-9+/=\r\n]/);
  return at < 0 ? text.length - (text.length % 4) : at;
}
