import type * as OpenPGP from "openpgp" with { "resolution-mode": "import" };

const { decrypt, generateKey, readMessage } = require("openpgp") as typeof OpenPGP;

/** A share holder with a PGP key. */
export interface Holder {
  /** The armored public key. */
  publicKey: string;
  privateKey: OpenPGP.PrivateKey;
  fingerprint: string;
}

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

/** Decrypts a message in hex. Returns the share in hex. */
export async function read({ privateKey }: Holder, share: string): Promise<string> {
  const message = await readMessage({ binaryMessage: new Uint8Array(Buffer.from(share, "hex")) });
  return String((await decrypt({ message, decryptionKeys: privateKey })).data);
}
