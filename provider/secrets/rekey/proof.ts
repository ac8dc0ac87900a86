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
  // One share, or a threshold of one, has nothing to combine: each is the secret itself, or the secret and a point of its own.
  if (threshold === 1) {
    const hasPoints = new Set(shares.map(pointOf)).size === shares.length;
    const keyOf = (share: Share): Buffer => (hasPoints ? valuesOf(share) : share.bytes);
    const others = shares.filter((share) => !keyOf(share).equals(keyOf(first)));
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
function belongTogether(shares: readonly Share[], threshold: number): Verdict {
  for (let start = 0; start < shares.length; start++) {
    const ring = [...shares.slice(start), ...shares.slice(0, start)];
    const [base, others] = [ring.slice(0, threshold), ring.slice(threshold)];
    const polynomial = polynomialThrough(base);
    const misfits = others.filter((other) => !polynomial(pointOf(other)).equals(valuesOf(other)));
    if (misfits.length === 0) return { proven: true };
    // Two polynomials have less than a threshold of points in common, so no other one fits as many shares.
    if (misfits.length <= others.length / 2) return { proven: false, reason: "the shares do not belong together", misfits };
  }
  return { proven: false, reason: "the shares do not belong together, and which of them do not fit could not be found out", misfits: [] };
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
const log = (value: number): number => logarithm[value] as number;

/**
 * The polynomials through some shares, one for each byte, at a point of none of them: Lagrange's form. To combine the shares anew for each point would
 * cost their number squared: minutes for 255 of them.
 */
function polynomialThrough(base: readonly Share[]): (point: number) => Buffer {
  const points = base.map(pointOf);
  const distances = (from: number): number => points.reduce((sum, point) => sum + (point === from ? 0 : log(point ^ from)), 0);
  const weights = points.map(distances);
  return (point) => {
    const values = Buffer.alloc((base[0] as Share).bytes.length - 1);
    const toAll = distances(point);
    base.forEach(({ bytes }, index) => {
      const quotient = toAll - log(point ^ (points[index] as number)) - (weights[index] as number);
      const factor = ((quotient % 255) + 255) % 255;
      for (let at = 0; at < values.length; at++)
        if (bytes[at] !== 0) values[at] = (values[at] as number) ^ (power[(log(bytes[at] as number) + factor) % 255] as number);
    });
    return values;
  };
}
