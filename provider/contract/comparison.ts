import { isDeepStrictEqual } from "node:util";
import { parsed, withSortedKeys } from "../text/json";

/** The normalization and comparison of a field. A field without one uses `exact`. */
export interface Comparison {
  /** The form in which `check` returns a value, so that previews and outputs show the same one. */
  normalize?(value: unknown): unknown;
  equal(a: unknown, b: unknown): boolean;
  /** The form in which equal strings are the same. If omitted, the string itself. */
  key?(text: string): string;
}

export const exact: Comparison = { equal: isDeepStrictEqual };

/** For inputs that the server does not store. */
export const neverDiffers: Comparison = { equal: () => true };

/** Sets of names: order and duplicates are ignored. */
export const unordered: Comparison = {
  normalize: (value) => (Array.isArray(value) ? [...new Set(value)] : value),
  equal: (a, b) => isDeepStrictEqual(sorted(a), sorted(b)),
};

const sorted = (value: unknown): unknown => (Array.isArray(value) ? [...new Set(value)].sort() : value);

/** A duration, such as "30s", "1h30m" or "1d", or whole seconds as a number or a string. */
export type Duration = string | number;

const unitSeconds: Record<string, number> = { d: 86_400, h: 3_600, m: 60, s: 1, ms: 0.001 };

/** The seconds of "30s", "1h30m", "1.5h", "3600" or 3600. Undefined for any other value, and for fractions of a second. */
export function seconds(value: unknown): number | undefined {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  if (/^\d+$/.test(text)) return whole(Number(text));
  if (!/^(\d+(\.\d+)?(d|h|ms|m|s))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/([\d.]+)(d|h|ms|m|s)/g)].map(([, amount, unit]) => Number(amount) * (unitSeconds[unit ?? ""] ?? 0));
  const sum = parts.reduce((total, part) => total + part, 0);
  // 0.1h is 360 s, not 360.00000000000006.
  return Math.abs(sum - Math.round(sum)) < 1e-6 ? whole(Math.round(sum)) : undefined;
}

/** Undefined beyond 2^53, where numbers are inexact. */
const whole = (sum: number): number | undefined => (Number.isSafeInteger(sum) ? sum : undefined);

/** Durations: "1h", "60m", "3600" and 3600 are equal. */
export const duration: Comparison = {
  normalize: (value) => seconds(value) ?? value,
  equal: (a, b) => isDeepStrictEqual(seconds(a) ?? a, seconds(b) ?? b),
};

/** True for a time in RFC 3339 format that has passed. */
export const isPast = (time: unknown): boolean => typeof time === "string" && Date.parse(time) <= Date.now();

/** Compares strings by a key. */
const byKey = (key: (text: string) => string): Comparison => ({
  key,
  equal: (a, b) => a === b || (typeof a === "string" && typeof b === "string" && key(a) === key(b)),
});

/** PEM: whitespace is ignored. */
export const pem: Comparison = {
  ...byKey((text) => text.replace(/\s+/g, "")),
  normalize: (value) => (typeof value === "string" ? `${value.replaceAll("\r\n", "\n").trim()}\n` : value),
};

/** A token, which a copied line break may follow. */
export const trimmed: Comparison = {
  ...byKey((text) => text.trim()),
  normalize: (value) => (typeof value === "string" ? value.trim() : value),
};

/** JSON: whitespace and the order of keys are ignored. */
export const json: Comparison = byKey((text) => JSON.stringify(parsed(text) ?? { text }, withSortedKeys));

/** Times in RFC 3339 format: two texts of one instant are equal. */
export const instant: Comparison = byKey((text) => String(Date.parse(text) || text));
