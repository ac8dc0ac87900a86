import type * as OpenPGP from "openpgp" with { "resolution-mode": "import" };

const { decrypt, generateKey, readMessage } = require("openpgp") as typeof OpenPGP;

/** A person with a key of their own, who holds a share. */
export interface Holder {
  /** Armored. */
  publicKey: string;
  privateKey: OpenPGP.PrivateKey;
  fingerprint: string;
}

const made: Promise<Holder>[] = [];

/** Holders, each with a key of its own; a test process makes each of them once. */
export function holders(count: number): Promise<Holder[]> {
  while (made.length < count) made.push(makeHolder({ userIDs: [{ name: `holder ${made.length}` }] }));
  return Promise.all(made.slice(0, count));
}

/** A holder with a new key. `options`: of its generation. */
export async function makeHolder(options: object = {}): Promise<Holder> {
  const { privateKey, publicKey } = await generateKey({ userIDs: [{ name: "holder" }], format: "object", ...options });
  return { publicKey: publicKey.armor(), privateKey, fingerprint: publicKey.getFingerprint() };
}

/** What a holder reads in the hex form of a message: the share, in hex. */
export async function read({ privateKey }: Holder, share: string): Promise<string> {
  const message = await readMessage({ binaryMessage: new Uint8Array(Buffer.from(share, "hex")) });
  return String((await decrypt({ message, decryptionKeys: privateKey })).data);
}
