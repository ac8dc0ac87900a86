import { isDeepStrictEqual } from "node:util";

/** How one field is stored and compared. A field without one is compared as it is. @internal */
export interface Comparison {
  /** The form in which `check` passes a value on, so that previews and outputs show one face. */
  normalize?(value: unknown): unknown;
  equal(a: unknown, b: unknown): boolean;
}

/** @internal */
export const exact: Comparison = { equal: isDeepStrictEqual };

/** Steers the provider, is not on the server, and so is never a difference. @internal */
export const neverDiffers: Comparison = { equal: () => true };

/** Names without an order; maxRetries mean nothing. @internal */
export const unordered: Comparison = {
  normalize: (value) => (Array.isArray(value) ? [...new Set(value)] : value),
  equal: (a, b) => isDeepStrictEqual(sorted(a), sorted(b)),
};

const sorted = (value: unknown): unknown => (Array.isArray(value) ? [...new Set(value)].sort() : value);

/** A length of time: "30s", "1h30m", "1d", or whole seconds as a number or as text. */
export type Duration = string | number;

const unitSeconds: Record<string, number> = { d: 86_400, h: 3_600, m: 60, s: 1, ms: 0.001 };

/** Seconds of "30s", "1h30m", "1.5h", "3600" or 3600; undefined when it is none of these or no whole number of seconds. @internal */
export function seconds(value: unknown): number | undefined {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  if (/^\d+$/.test(text)) return whole(Number(text));
  if (!/^(\d+(\.\d+)?(d|h|ms|m|s))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/([\d.]+)(d|h|ms|m|s)/g)].map(([, amount, unit]) => Number(amount) * (unitSeconds[unit ?? ""] ?? 0));
  const sum = parts.reduce((total, part) => total + part, 0);
  // 0.1h is 360 s, not 360.00000000000006.
  return Math.abs(sum - Math.round(sum)) < 1e-6 ? whole(Math.round(sum)) : undefined;
}

/** Beyond 2^53 a number is no longer the one that was written. */
const whole = (sum: number): number | undefined => (Number.isSafeInteger(sum) ? sum : undefined);

/** A length of time; "1h", "60m", "3600" and 3600 are the same. @internal */
export const duration: Comparison = {
  normalize: (value) => seconds(value) ?? value,
  equal: (a, b) => seconds(a) === seconds(b),
};

/** PEM text; line endings and blanks at either end mean nothing. @internal */
export const pem: Comparison = {
  normalize: (value) => (typeof value === "string" ? `${value.replaceAll("\r\n", "\n").trim()}\n` : value),
  equal: (a, b) => a === b || (typeof a === "string" && typeof b === "string" && a.replace(/\s+/g, "") === b.replace(/\s+/g, "")),
};

/** JSON text; blanks and the order of keys mean nothing. @internal */
export const json: Comparison = {
  equal: (a, b) => a === b || (typeof a === "string" && typeof b === "string" && isDeepStrictEqual(parsed(a), parsed(b))),
};

/** What is no JSON stands for itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}
