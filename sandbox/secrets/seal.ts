import { randomBytes, timingSafeEqual } from "node:crypto";
import { combine, split } from "shamir-secret-sharing";

/** A key that unseals the service, and the shares (base64) it was split into. */
export interface Key {
  secret: Uint8Array;
  shares: string[];
  threshold: number;
}

/** Makes a new key. One share is the key itself, as in the real product. */
export async function createKey(shares: number, threshold: number): Promise<Key> {
  // The library refuses a Buffer, though that is a Uint8Array too.
  const secret = new Uint8Array(randomBytes(32));
  const parts = shares === 1 ? [secret] : await split(secret, shares, threshold);
  return { secret, shares: parts.map((part) => Buffer.from(part).toString("base64")), threshold };
}

/** Do these shares give the key? Wrong, repeated and too few shares do not. */
export async function opens(key: Key, shares: string[]): Promise<boolean> {
  const parts = [...new Set(shares)].map((share) => new Uint8Array(Buffer.from(share, "base64")));
  if (parts.length < key.threshold) return false;
  try {
    const secret = parts.length === 1 ? parts[0]! : await combine(parts);
    return secret.length === key.secret.length && timingSafeEqual(secret, key.secret);
  } catch {
    // Shares of unequal length, or of the same point: nothing that could be combined.
    return false;
  }
}
