import type * as OpenPGP from "openpgp" with { "resolution-mode": "import" };

const { decrypt, generateKey, readMessage, readPrivateKey } = require("openpgp") as typeof OpenPGP;

/** A share holder with a PGP key. */
export interface Holder {
  /** The armored public key. */
  publicKey: string;
  privateKey: OpenPGP.PrivateKey;
  fingerprint: string;
}

/** The public key of a holder as the API takes it: in base64, without armor. */
export const binaryKey = ({ publicKey }: Holder): string => publicKey.replace(/-----[^-]+-----|\n=.*|\s/g, "");

const made: Promise<Holder>[] = [];

/** Holders with different keys. A test process generates each key once. */
export function holders(count: number): Promise<Holder[]> {
  while (made.length < count) made.push(makeHolder({ userIDs: [{ name: `holder ${made.length}` }] }));
  return Promise.all(made.slice(0, count));
}

/** Creates a holder with a new key. `options` are those of the key generation. */
export async function makeHolder(options: object = {}): Promise<Holder> {
  const { privateKey, publicKey } = await generateKey({ userIDs: [{ name: "holder" }], format: "object", ...options });
  return { publicKey: publicKey.armor(), privateKey, fingerprint: publicKey.getFingerprint() };
}

/** The holder with a new subkey for encryption and the same fingerprint. The key no longer contains the old subkey, or revokes it. */
export async function rotate({ privateKey, fingerprint }: Holder, old: "dropped" | "revoked"): Promise<Holder> {
  const key = await (await readPrivateKey({ armoredKey: privateKey.armor() })).addSubkey({});
  const [first, second] = key.subkeys as [OpenPGP.Subkey, OpenPGP.Subkey];
  const revoked = await first.revoke(key.keyPacket as OpenPGP.SecretKeyPacket);
  const armored = Object.assign(key, { subkeys: old === "revoked" ? [revoked, second] : [second] }).armor();
  const rotated = await readPrivateKey({ armoredKey: armored });
  return { publicKey: rotated.toPublic().armor(), privateKey: rotated, fingerprint };
}

/** Decrypts a message in hex. Returns the share in hex. */
export async function read({ privateKey }: Holder, share: string): Promise<string> {
  const message = await readMessage({ binaryMessage: new Uint8Array(Buffer.from(share, "hex")) });
  return String((await decrypt({ message, decryptionKeys: privateKey })).data);
}

/** Decrypts the encrypted shares of a rekey, each with the key of its holder. */
export const readAll = (all: readonly Holder[], encrypted: readonly { fingerprint: string; share: string }[]): Promise<string[]> =>
  Promise.all(encrypted.map(({ fingerprint, share }) => read(all.find((holder) => holder.fingerprint === fingerprint) as Holder, share)));

/** A decrypted share, which is in hex, as Vault accepts it. */
export const base64 = (share: string): string => Buffer.from(share, "hex").toString("base64");
