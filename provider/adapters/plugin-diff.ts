import { isDeepStrictEqual } from "node:util";
import { AnyFields } from "../definition";
import { comparisonOf } from "../fields";
import { isObject } from "../json";
import { fieldAt, Properties } from "../lifecycle/properties";

/** The kind of change of a property. @internal */
export type Change = "ADD" | "DELETE" | "UPDATE";

/** The smallest parts that differ, by Pulumi's property path: `roles.web.policies[0]`. @internal */
export function propertyChanges(
  fields: AnyFields,
  changing: readonly string[],
  { state, inputs }: { state: Properties; inputs: Properties },
): [path: string, field: string, change: Change][] {
  return changing.flatMap((field) => {
    const normalize = comparisonOf(fields, field.split(".")[0] as string).normalize ?? ((value) => value);
    const [before, after] = [fieldAt(state, field), fieldAt(inputs, field)].map((value) =>
      value === undefined ? value : normalize(value),
    );
    const path = field.split(".").reduce(joined, "");
    const found = differences(path, before, after);
    // Equal values change if the program begins or ceases to declare the field.
    const whole: [string, Change][] = [[path, after === undefined ? "DELETE" : before === undefined ? "ADD" : "UPDATE"]];
    return (found.length > 0 ? found : whole).map(([at, change]): [string, string, Change] => [at, field, change]);
  });
}

function differences(path: string, before: unknown, after: unknown): [string, Change][] {
  if (isDeepStrictEqual(before, after)) return [];
  if (before === undefined) return [[path, "ADD"]];
  if (after === undefined) return [[path, "DELETE"]];
  if (Array.isArray(before) && Array.isArray(after))
    return Array.from({ length: Math.max(before.length, after.length) }, (_, index) =>
      differences(`${path}[${index}]`, before[index], after[index]),
    ).flat();
  if (isObject(before) && isObject(after))
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
      differences(joined(path, key), before[key], after[key]),
    );
  return [[path, "UPDATE"]];
}

const joined = (path: string, key: string): string =>
  /^[A-Za-z_]\w*$/.test(key) ? `${path}${path && "."}${key}` : `${path}[${JSON.stringify(key)}]`;
