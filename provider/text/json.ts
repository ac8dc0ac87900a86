import type * as LosslessJson from "lossless-json";

/** A value that JSON can express. A function or an object with methods, such as a `Secret`, is none. */
export type Json = string | number | boolean | null | undefined | readonly Json[] | { readonly [key: string]: Json };

/** True for an object, false for any other JSON value. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** For `JSON.stringify`, which then returns one string for equal objects. */
export const withSortedKeys = (_: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/** The properties without undefined and null. A nested null stays, for the schema to reject. */
export const withoutNulls = (properties: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined && value !== null));

export const isStringList = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === "string");

/** Parses JSON. Returns undefined for any other string. */
export function parsed(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Parses a JSON object. Returns undefined for any other string. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  const value = parsed(text);
  return isObject(value) ? value : undefined;
}

/** Parses JSON. An unsafe integer, such as a time in nanoseconds, becomes a string. */
export function parseLossless(text: string): unknown {
  // Most responses have no such integer, and JSON.parse is much faster.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const lossless: typeof LosslessJson = require("lossless-json");
  return lossless.parse(text, null, {
    parseNumber: (digits) => (/^-?\d+$/.test(digits) && !Number.isSafeInteger(Number(digits)) ? digits : Number(digits)),
    onDuplicateKey: ({ newValue }) => newValue,
  });
}
