import { AnyFields } from "../contract/definition";
import { comparisonOf } from "../contract/fields";
import { pathOf } from "../contract/inputs";
import { differingParts } from "../lifecycle/changes";
import { Properties } from "../lifecycle/properties";

/** The kind of change of a property. */
export type Change = "ADD" | "DELETE" | "UPDATE";

type PropertyChange = [path: string, field: string, change: Change];

/** The smallest parts that differ, by Pulumi's property path: `roles.web.policies[0]`. */
export function propertyChanges(fields: AnyFields, changing: readonly string[], state: Properties, inputs: Properties): PropertyChange[] {
  return changing.flatMap((field) => {
    const { normalize = (value: unknown): unknown => value } = comparisonOf(fields, field);
    const [before, after] = [state[field], inputs[field]].map((value) => (value === undefined ? value : normalize(value)));
    const inner = differences([field], before, after);
    // Equal values change if the program starts or stops declaring the field.
    const whole: [string, Change][] = [[field, changeOf(before, after)]];
    return (inner.length > 0 ? inner : whole).map(([at, change]): PropertyChange => [at, field, change]);
  });
}

const differences = (parts: readonly PropertyKey[], before: unknown, after: unknown): [path: string, change: Change][] =>
  differingParts(parts, before, after).flatMap(({ path, from, to }): [string, Change][] =>
    Array.isArray(from) && Array.isArray(to)
      ? Array.from({ length: Math.max(from.length, to.length) }, (_, index) => differences([...path, index], from[index], to[index])).flat()
      : [[pathOf(path), changeOf(from, to)]],
  );

const changeOf = (before: unknown, after: unknown): Change => (after === undefined ? "DELETE" : before === undefined ? "ADD" : "UPDATE");
