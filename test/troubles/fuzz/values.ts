import * as fc from "fast-check";
import { unknown } from "../../../provider/contract/inputs";
import { isObject } from "../../../provider/text/json";
import { seed } from "../../support/scope";

// Any value that a program may contain, and that a server may return.

/** A value with half of a surrogate pair at the end of one of its strings, for each of them. */
export function withHalfPairs(value: unknown): unknown[] {
  if (typeof value === "string") return value === unknown ? [] : [`${value}\ud83d`];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    withHalfPairs(inner).map((broken) =>
      Array.isArray(value) ? Object.assign([...value], { [key]: broken }) : { ...value, [key]: broken },
    ),
  );
}

fc.configureGlobal({ seed });

/** Names with a meaning in JavaScript, in Pulumi or in the adapter. */
const strangeNames = [
  ...["__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty", "toJSON", "then", "length", ""],
  ...["id", "urn", "declared", "server", "outcomeUnknown", "managed", "originalValues", "__declared"],
];
const strangeTexts = [
  ...strangeNames,
  ...[unknown, " ", "\0", "\u202e", "\ufeff", "a\r\nb", "..", "a/../b", "%2e%2e"],
  ...["{}", "[]", "null", "-1", "1e999", "0x10", "9".repeat(40)],
  ...["é".repeat(3_000), "x".repeat(100_000)],
];
/** Any character. The library's own takes 2.5 s to build, in each suite. */
const character = fc.integer({ min: 0, max: 0x10ffff - 0x800 }).map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));
/** Strings from a word to unprintable characters. */
export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: character }) },
  fc.string(),
  fc.constantFrom(...strangeTexts),
);
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 0, 0.5, 1, -1, 2 ** 31, 2 ** 53 + 2, 1e21, Number.MAX_VALUE),
);
export const name: fc.Arbitrary<string> = fc.oneof(fc.string(), fc.constantFrom(...strangeNames));

/** Any value that JSON can express and Pulumi can pass. */
export const anything: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("any"), { maxLength: 4 }),
    fc.dictionary(name, tie("any"), { maxKeys: 4 }),
  ),
})).any;

/** A replacement of one part of a response. Undefined removes the part. */
export interface Damage {
  place: number;
  part: unknown;
}

export const damages: fc.Arbitrary<Damage[]> = fc.array(
  fc.record({ place: fc.nat(10_000), part: fc.oneof(fc.constant(undefined), fc.constant(null), anything) }),
  { maxLength: 3 },
);

/** A value with some parts replaced. */
export function damaged(value: unknown, wrong: readonly Damage[]): unknown {
  let count = 0;
  const places = (inner: unknown): number =>
    1 + (typeof inner === "object" && inner !== null ? Object.values(inner).reduce((sum: number, part) => sum + places(part), 0) : 0);
  const total = places(value);
  const copy = (inner: unknown): unknown => {
    const here = count++;
    const damage = wrong.find(({ place }) => place % total === here);
    if (damage) {
      count += places(inner) - 1;
      return damage.part;
    }
    if (Array.isArray(inner)) return inner.map(copy);
    return isObject(inner) ? Object.fromEntries(Object.entries(inner).map(([key, part]) => [key, copy(part)])) : inner;
  };
  return copy(value);
}

/** The strings in a JSON document, and those in JSON inside them. */
export function stringsIn(text: string): string[] {
  const found: string[] = [];
  try {
    JSON.parse(text, (_, value) => void (typeof value === "string" && found.push(value, ...stringsIn(value))));
  } catch {
    // Most strings are not JSON.
  }
  return found;
}

/** A name that every API accepts. */
export const word: fc.Arbitrary<string> = fc.constantFrom("web", "ops-team", "a.b", "1.0.0", "x_y");
export const url: fc.Arbitrary<string> = fc.constantFrom("https://example.com", "https://127.0.0.1:4646/sso");
