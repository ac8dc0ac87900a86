import { isDeepStrictEqual } from "node:util";
import { Comparison, neverDiffers } from "../contract/comparison";
import { AnyFields, Difference, Work } from "../contract/definition";
import { comparisonOf } from "../contract/fields";
import { pathOf, valueAt } from "../contract/inputs";
import { isReference } from "../contract/secret";
import { isObject } from "../text/json";
import { hasUnknown, Properties, secretInputs } from "./properties";

// Compares the declared inputs with the state.

export const comparisonFor = (fields: AnyFields, field: string): Comparison =>
  field === secretInputs ? neverDiffers : comparisonOf(fields, field);

/** Equal references have the same source and the same fingerprint. */
export const isEqual = (fields: AnyFields, field: string, a: unknown, b: unknown): boolean =>
  isReference(a) || isReference(b) ? isDeepStrictEqual(a, b) : comparisonFor(fields, field).equal(a, b);

/** The fields that the program declared at the last `up`. Empty after a `get`. */
export const declaredIn = (state: Properties): string[] => (state.declared as string[] | undefined) ?? [];

/** True for work that an update does now. */
export const isDue = (work: Work): boolean => work === "now" || (work instanceof Date && work.getTime() <= Date.now());

/** The fields whose values differ or are unknown, and those that the program starts or stops declaring. */
export function changedFields(fields: AnyFields, state: Properties, inputs: Properties): string[] {
  const [names, declared] = [Object.keys(inputs), declaredIn(state)];
  return [...new Set([...names, ...declared])].filter((field) => {
    if (field === "connection") return (state.connection ?? "default") !== (inputs.connection ?? "default");
    if (comparisonFor(fields, field).equal === neverDiffers.equal) return false;
    const value = inputs[field];
    const isDeclaredAnew = names.includes(field) !== declared.includes(field);
    return isDeclaredAnew || hasUnknown(value) || !isEqual(fields, field, state[field], value);
  });
}

const keysOf = (...objects: object[]): string[] => [...new Set(objects.flatMap(Object.keys))];

type Part = Omit<Difference, "path"> & { path: readonly PropertyKey[] };

/** The smallest parts that differ. A list differs as a whole. */
export function differingParts(path: readonly PropertyKey[], from: unknown, to: unknown): Part[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (!isObject(from) || !isObject(to)) return [{ path, from, to }];
  return keysOf(from, to).flatMap((key) => differingParts([...path, key], valueAt(from, [key]), valueAt(to, [key])));
}

/** The parts that differ in a record, such as the roles of a set. None for other values, whose change Pulumi shows well. */
export function recordDifferences(fields: AnyFields, field: string, from: unknown, to: unknown): Difference[] {
  if (!isObject(from) || !isObject(to)) return [];
  const only = (record: object, key: string): object => (Object.hasOwn(record, key) ? { [key]: valueAt(record, [key]) } : {});
  return keysOf(from, to)
    .filter((key) => !isEqual(fields, field, only(from, key), only(to, key)))
    .flatMap((key) => differingParts([field, key], valueAt(from, [key]), valueAt(to, [key])))
    .map(({ path, ...values }) => ({ path: pathOf(path), ...values }));
}
