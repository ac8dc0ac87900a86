import { combine } from "shamir-secret-sharing";
import { Share } from "./share";

/** What can be said of new shares before the service is asked. @internal */
export type Verdict = { proven: true } | { proven: false; reason: string; misfits: Share[] } | { proven: "unknown"; reason: string };

/**
 * Whether all shares are points of one polynomial, so that every `threshold` of them give the same secret. The server checks a threshold only, and the
 * call that does so commits.
 * @internal
 */
export async function prove(shares: readonly Share[], threshold: number): Promise<Verdict> {
  const [first] = shares;
  if (!first) return { proven: false, reason: "there is no share", misfits: [] };
  const odd = shares.filter(({ bytes }) => bytes.length !== first.bytes.length || bytes.length === 0);
  if (odd.length > 0) return { proven: false, reason: "the shares are not of one length", misfits: odd };
  const twins = shares.filter(({ bytes }, index) => shares.findIndex((other) => other.bytes.equals(bytes)) < index);
  // One share, or a threshold of one, has nothing to combine: each is the secret itself.
  if (threshold === 1) {
    const others = shares.filter(({ bytes }) => !bytes.equals(first.bytes));
    return others.length > 0 ? { proven: false, reason: "the shares are not the same key", misfits: others } : { proven: true };
  }
  if (twins.length > 0) return { proven: false, reason: "a share is there twice", misfits: twins };
  const points = shares.map(({ bytes }) => bytes[bytes.length - 1]);
  const same = shares.filter((_, index) => points[index] === 0 || points.indexOf(points[index]) < index);
  if (same.length > 0 && new Set(points).size > 1)
    return { proven: false, reason: "two shares stand for one point of the key, or one for none", misfits: same };
  if (same.length > 0)
    return { proven: "unknown", reason: "the shares are not in the form of this field, their last byte a point of its own" };
  if (shares.length === threshold) return { proven: true };
  return belongTogether(shares, threshold);
}

/** Looks for a threshold of shares that most of the others fit: any that are next to each other, in a ring, will do. */
async function belongTogether(shares: readonly Share[], threshold: number): Promise<Verdict> {
  let best: Share[] | undefined;
  for (let start = 0; start < shares.length; start++) {
    const ring = [...shares.slice(start), ...shares.slice(0, start)];
    const [base, others] = [ring.slice(0, threshold), ring.slice(threshold)];
    const secret = await secretOf(base);
    const misfits: Share[] = [];
    // A threshold of equal values makes two polynomials of this degree one: here the secret, and all points of the base but one.
    for (const other of others) if ((await secretOf([...base.slice(1), other])) !== secret) misfits.push(other);
    if (misfits.length === 0) return { proven: true };
    if (!best || misfits.length < best.length) best = misfits;
  }
  // One share more than the threshold: that something is wrong can be seen, not what.
  const misfits = best && best.length < shares.length - threshold ? best : [];
  return { proven: false, reason: "the shares do not belong together", misfits };
}

const secretOf = async (shares: readonly Share[]): Promise<string> =>
  Buffer.from(await combine(shares.map(({ bytes }) => new Uint8Array(bytes)))).toString("hex");
