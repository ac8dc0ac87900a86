import { Output } from "@pulumi/pulumi/output";
import { Resource } from "@pulumi/pulumi/resource";
import { CheckFailure } from "../contract/errors";
import { pathOf } from "../contract/inputs";

// Values that JavaScript has, and that Pulumi's SDK cannot pass to a provider.

/** The SDK loses the first, and fails without a cause for an object with the second. */
const unusableKeys: readonly string[] = ["__proto__", "toString"];

/** Check failures for the parts of an input that Pulumi's SDK would lose, such as the content of a Map. */
export function lostParts(value: unknown, path: readonly PropertyKey[]): CheckFailure[] {
  if (typeof value !== "object" || value === null) return [];
  if (Output.isInstance(value) || value instanceof Promise || Resource.isInstance(value)) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => lostParts(item, [...path, index]));
  if (Symbol.iterator in value) {
    const reason = `must be a plain object, a list or a string: Pulumi loses the content of a ${value.constructor.name}`;
    return [{ path: pathOf(path), rule: "not-plain", reason }];
  }
  return Object.entries(value).flatMap(([key, inner]) =>
    unusableKeys.includes(key)
      ? [{ path: pathOf([...path, key]), rule: "unstorable", reason: "is a name that Pulumi cannot store" }]
      : lostParts(inner, [...path, key]),
  );
}
