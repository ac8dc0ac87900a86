import { randomBytes, timingSafeEqual } from "node:crypto";
import * as shamir from "shamir-secret-sharing";
import { HttpError } from "./http-error";

/** A key that unseals the service, and the shares (base64) it was split into. */
export interface Key {
  secret: Uint8Array;
  shares: string[];
  threshold: number;
}

/** The lengths of a share in bytes. That of 32 is the key itself, of 33 one of several. */
const least = 16;
const most = 33;

/** Makes a new key. One share is the key itself, as in the real product; of several that open it alone, each is the key and its point. */
export async function createKey(shares: number, threshold: number): Promise<Key> {
  // The library refuses a Buffer, though that is a Uint8Array too.
  const secret = new Uint8Array(randomBytes(32));
  const pointed = (): Uint8Array[] => Array.from({ length: shares }, (_, index) => new Uint8Array([...secret, index + 1]));
  const parts = shares === 1 ? [secret] : threshold === 1 ? pointed() : await shamir.split(secret, shares, threshold);
  return { secret, shares: parts.map((part) => Buffer.from(part).toString("base64")), threshold };
}

/** Do these shares (base64 or hex) give the key? Wrong, repeated and too few shares do not. */
export async function opens(key: Key, shares: string[]): Promise<boolean> {
  const parts = [...new Set(shares)].map((share) => decode(share) ?? new Uint8Array());
  if (parts.length < key.threshold) return false;
  try {
    return same(await combine(parts, key), key.secret);
  } catch {
    // Shares of unequal length, or of the same point: nothing that could be combined.
    return false;
  }
}

/** What the shares give together. Any shares give something: whether it is the key is the caller's question. */
export async function combine(parts: Uint8Array[], { shares }: Key): Promise<Uint8Array> {
  if (parts.length === 1 && shares.length > 1) return parts[0]!.slice(0, -1);
  if (parts.length === 1) return parts[0]!;
  if (parts.some((part) => part.length !== parts[0]!.length)) throw new Error("all parts must be the same length");
  // The last byte is the point that the share is of.
  if (new Set(parts.map((part) => part.at(-1))).size < parts.length) throw new Error("duplicate part detected");
  return shamir.combine(parts);
}

export function same(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The share in a request's `key`, in hex or base64. `before`: what the real product says before the length is judged. */
export function readShare(text: string, before = ""): Uint8Array {
  const share = decode(text);
  if (!share) throw new HttpError(400, "'key' must be a valid hex or base64 string");
  if (share.length < least) throw new HttpError(400, `${before}key is shorter than minimum ${least} bytes`);
  if (share.length > most) throw new HttpError(400, `${before}key is longer than maximum ${most} bytes`);
  return share;
}

/** Strictly: with its padding and nothing else but line breaks. */
export function readBase64(text: string): Uint8Array | undefined {
  const bare = text.replace(/[\r\n]/g, "");
  return bare.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(bare) ? new Uint8Array(Buffer.from(bare, "base64")) : undefined;
}

function decode(text: string): Uint8Array | undefined {
  const hex = /^([0-9a-f]{2})*$/i.test(text) ? new Uint8Array(Buffer.from(text, "hex")) : undefined;
  // A text in base64 may happen to be hex as well: only the length tells.
  return hex && hex.length >= least && hex.length <= most ? hex : readBase64(text);
}
