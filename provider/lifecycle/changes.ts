import { isDeepStrictEqual } from "node:util";
import { Comparison, isPast, neverDiffers } from "../comparison";
import { AnyDefinition, Difference } from "../definition";
import { comparisonOf, namesWith } from "../fields";
import { pathOf, valueAt } from "../inputs";
import { isObject } from "../text/json";
import { fieldAt, hasUnknown, Properties, secretInputs } from "./properties";

// Compares the declared inputs with the state.

export interface Changes {
  comparison(field: string): Comparison;
  equal(field: string, a: unknown, b: unknown): boolean;
  /** The names of the given fields. A per-key field is replaced by one `field.key` for each of its keys. */
  fieldsOf(inputs: Properties): string[];
  /** The fields whose values differ or are unknown, those that the program begins or ceases to declare, and those that list pending or due work. */
  changed(state: Properties, inputs: Properties): string[];
  /** The parts that differ in a record, such as the roles of a set. None for other values, whose change Pulumi shows well. */
  recordDifferences(field: string, from: unknown, to: unknown): Difference[];
}

/** The smallest parts that differ. A list differs as a whole. */
export function differingParts(
  path: readonly PropertyKey[],
  from: unknown,
  to: unknown,
): { path: readonly PropertyKey[]; from: unknown; to: unknown }[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (!isObject(from) || !isObject(to)) return [{ path, from, to }];
  return keysOf(from, to).flatMap((key) => differingParts([...path, key], valueAt(from, [key]), valueAt(to, [key])));
}

const keysOf = (...objects: object[]): string[] => [...new Set(objects.flatMap(Object.keys))];

/** The fields that the program declared at the last `up`. Empty after a `get`. */
export const declaredIn = (state: Properties): string[] => (state.declared as string[] | undefined) ?? [];

export function changesOf({ fields }: Pick<AnyDefinition, "fields">): Changes {
  const perKey = namesWith(fields, "perKey");
  const pending = namesWith(fields, "pending");
  const due = namesWith(fields, "due");
  const comparison = (field: string): Comparison => (field === secretInputs ? neverDiffers : comparisonOf(fields, field));
  const equal = (field: string, a: unknown, b: unknown): boolean => comparison(field).equal(a, b);
  const fieldsOf = (inputs: Properties): string[] =>
    Object.entries(inputs).flatMap(([field, value]) =>
      perKey.includes(field) && typeof value === "object" && value !== null ? Object.keys(value).map((key) => `${field}.${key}`) : [field],
    );
  const changed = (state: Properties, inputs: Properties): string[] => {
    const [given, declared] = [fieldsOf(inputs), declaredIn(state)];
    return [...new Set([...given, ...declared, ...pending, ...due])].filter((field) => {
      if (pending.includes(field)) return state[field] !== undefined;
      if (due.includes(field)) return isPast(state[field]);
      if (field === "connection") return (state.connection ?? "default") !== (inputs.connection ?? "default");
      if (comparison(field).equal === neverDiffers.equal) return false;
      const value = fieldAt(inputs, field);
      return given.includes(field) !== declared.includes(field) || hasUnknown(value) || !equal(field, fieldAt(state, field), value);
    });
  };
  const recordDifferences = (field: string, from: unknown, to: unknown): Difference[] => {
    if (!isObject(from) || !isObject(to)) return [];
    const only = (record: object, key: string): object => (Object.hasOwn(record, key) ? { [key]: valueAt(record, [key]) } : {});
    return keysOf(from, to)
      .filter((key) => !equal(field, only(from, key), only(to, key)))
      .flatMap((key) => differingParts([field, key], valueAt(from, [key]), valueAt(to, [key])))
      .map(({ path, ...values }) => ({ path: pathOf(path), ...values }));
  };
  return { comparison, equal, fieldsOf, changed, recordDifferences };
}
