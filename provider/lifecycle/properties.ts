import { unknown } from "../contract/inputs";
import { isReference } from "../contract/secret";
import { withoutNulls } from "../text/json";

/** Inputs and outputs as the engine passes them. */
export type Properties = Record<string, unknown>;

/** The input that lists the secret inputs, whose values must not appear in a message. Pulumi hides it, because of its underscores. */
export const secretInputs = "__secretInputs";

export function hasUnknown(value: unknown): boolean {
  return value === unknown || (typeof value === "object" && value !== null && Object.values(value).some(hasUnknown));
}

/** The strings in a secret value, except the names of variables and files that contain a secret. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (isReference(value)) return [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** The properties without undefined and null at any depth: the engine treats both as missing, and cannot serialize undefined. */
export function defined(properties: Properties): Properties {
  const clean = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(clean);
    return typeof value === "object" && value !== null ? defined(value as Properties) : value;
  };
  return Object.fromEntries(Object.entries(withoutNulls(properties)).map(([field, value]) => [field, clean(value)]));
}
