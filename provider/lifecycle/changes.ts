import { Comparison, neverDiffers } from "../comparison";
import { AnyDefinition } from "../definition";
import { comparisonOf, namesWith } from "../fields";
import { fieldAt, hasUnknown, Properties, secretInputs } from "./properties";

// Compares the declared inputs with the state.

/** @internal */
export interface Changes {
  comparison(field: string): Comparison;
  equal(field: string, a: unknown, b: unknown): boolean;
  /** The names of the given fields. A per-key field is replaced by one `field.key` for each of its keys. */
  fieldsOf(inputs: Properties): string[];
  /** The fields whose values differ or are unknown, those that the program begins or ceases to declare, and those that list pending work. */
  changed(state: Properties, inputs: Properties): string[];
}

/** The fields that the program declared at the last `up`. Empty after a `get`. @internal */
export const declaredIn = (state: Properties): string[] => (state.declared as string[] | undefined) ?? [];

/** @internal */
export function changesOf({ fields }: Pick<AnyDefinition, "fields">): Changes {
  const perKey = namesWith(fields, "perKey");
  const pending = namesWith(fields, "pending");
  const comparison = (field: string): Comparison => (field === secretInputs ? neverDiffers : comparisonOf(fields, field));
  const equal = (field: string, a: unknown, b: unknown): boolean => comparison(field).equal(a, b);
  const fieldsOf = (inputs: Properties): string[] =>
    Object.entries(inputs).flatMap(([field, value]) =>
      perKey.includes(field) && typeof value === "object" && value !== null ? Object.keys(value).map((key) => `${field}.${key}`) : [field],
    );
  const changed = (state: Properties, inputs: Properties): string[] => {
    const [given, declared] = [fieldsOf(inputs), declaredIn(state)];
    return [...new Set([...given, ...declared, ...pending])].filter((field) => {
      if (pending.includes(field)) return state[field] !== undefined;
      if (field === "connection") return (state.connection ?? "default") !== (inputs.connection ?? "default");
      if (comparison(field).equal === neverDiffers.equal) return false;
      const value = fieldAt(inputs, field);
      return given.includes(field) !== declared.includes(field) || hasUnknown(value) || !equal(field, fieldAt(state, field), value);
    });
  };
  return { comparison, equal, fieldsOf, changed };
}
