import { randomBytes, timingSafeEqual } from "node:crypto";
import * as shamir from "shamir-secret-sharing";
import { HttpError } from "./http-error";

/** A key that unseals the service, and its shares in base64. */
export interface Key {
  secret: Uint8Array;
  shares: string[];
  threshold: number;
}

/** The lengths of a share in bytes. A share of 32 bytes is the key itself, one of 33 is one of several shares. */
const least = 16;
const most = 33;

/** Creates a key. Without shares, nobody can use it. A single share is the key itself, as in Vault. With a threshold of one, each of several shares is the key and its point. */
export async function createKey(shares: number, threshold: number): Promise<Key> {
  // The library rejects a Buffer, although it is a Uint8Array.
  const secret = new Uint8Array(randomBytes(32));
  const pointed = (): Uint8Array[] => Array.from({ length: shares }, (_, index) => new Uint8Array([...secret, index + 1]));
  const parts = shares < 2 ? [secret].slice(0, shares) : threshold === 1 ? pointed() : await shamir.split(secret, shares, threshold);
  return { secret, shares: parts.map((part) => Buffer.from(part).toString("base64")), threshold };
}

/** True if these shares, in base64 or hex, make the key. Wrong, duplicate and too few shares do not. */
export async function opens(key: Key, shares: string[]): Promise<boolean> {
  const parts = [...new Set(shares)].map((share) => decode(share) ?? new Uint8Array());
  if (parts.length < key.threshold) return false;
  try {
    return same(await combine(parts, key), key.secret);
  } catch {
    // Shares of unequal length or with the same point cannot be combined.
    return false;
  }
}

/** Combines shares. Any shares of equal length make some key: the caller compares it. */
export async function combine(parts: Uint8Array[], { shares }: Key): Promise<Uint8Array> {
  if (shares.length === 0) throw new Error("less than two parts cannot be used to reconstruct the secret");
  if (parts.length === 1 && shares.length > 1) return parts[0]!.slice(0, -1);
  if (parts.length === 1) return parts[0]!;
  if (parts.some((part) => part.length !== parts[0]!.length)) throw new Error("all parts must be the same length");
  // The last byte of a share is its point.
  if (new Set(parts.map((part) => part.at(-1))).size < parts.length) throw new Error("duplicate part detected");
  return shamir.combine(parts);
}

export function same(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Decodes the share in a request's `key`, in hex or base64. `before` begins Vault's message for a wrong length. */
export function readShare(text: string, { before = "", anyLength = false } = {}): Uint8Array {
  const share = decode(text);
  if (!share) throw new HttpError(400, "'key' must be a valid hex or base64 string");
  if (anyLength) return share;
  if (share.length < least) throw new HttpError(400, `${before}key is shorter than minimum ${least} bytes`);
  if (share.length > most) throw new HttpError(400, `${before}key is longer than maximum ${most} bytes`);
  return share;
}

/** Decodes base64 strictly: padding is required, and only line breaks are ignored. */
export function readBase64(text: string): Uint8Array | undefined {
  const bare = text.replace(/[\r\n]/g, "");
  return bare.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(bare) ? new Uint8Array(Buffer.from(bare, "base64")) : undefined;
}

function decode(text: string): Uint8Array | undefined {
  const hex = /^([0-9a-f]{2})*$/i.test(text) ? new Uint8Array(Buffer.from(text, "hex")) : undefined;
  // A share in base64 may also be valid hex: only its length tells.
  return hex && hex.length >= least && hex.length <= most ? hex : readBase64(text);
}
