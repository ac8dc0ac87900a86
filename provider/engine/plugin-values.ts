import { secretSignature, signatureKey, unknown } from "../contract/inputs";
import { Properties } from "../lifecycle/properties";
import { isObject } from "../text/json";

// The engine's encoding of values: a secret has a mark, and an unknown value is a fixed string for its type.

/** A path in a value, without list indexes: a list that contains a secret is a secret. */
export type Path = readonly string[];

const unknowns: readonly unknown[] = [
  // A string.
  unknown,
  // A boolean.
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  // A number.
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  // A list.
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  // An object.
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
];

/** The values without marks, and the paths of the secrets. */
export function unwrapSecrets(marked: Properties): { properties: Properties; secrets: Path[] } {
  const secrets: Path[] = [];
  const clean = (value: unknown, path: Path, isInList = false): unknown => {
    if (unknowns.includes(value)) return unknown;
    if (Array.isArray(value)) return value.map((item) => clean(item, path, true));
    if (!isObject(value)) return value;
    if (value[signatureKey] === secretSignature) {
      secrets.push(path);
      return clean(value.value, path, isInList);
    }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, clean(inner, isInList ? path : [...path, key], isInList)]));
  };
  return { properties: clean(marked, []) as Properties, secrets };
}

/** The values with a mark at each of these paths. */
export function wrapSecrets(properties: Properties, secrets: readonly Path[]): Properties {
  const mark = (value: unknown, path: Path): unknown => {
    if (value === undefined) return value;
    const below = secrets.filter((secret) => path.every((key, depth) => secret[depth] === key));
    if (below.some((secret) => secret.length === path.length)) return { [signatureKey]: secretSignature, value };
    if (below.length === 0 || !isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mark(inner, [...path, key])]));
  };
  return mark(properties, []) as Properties;
}
