import { isDeepStrictEqual } from "node:util";
import { isObject, Properties, Secret, unknown } from "./values";

// The command line's output for a change: `~ policies: [`, and below it `~ [0]: "one" => "two"`. Columns are not padded.

/** The lines for the differences between two versions of a resource's properties. Names that begin with two underscores are hidden at any depth. */
export function changedLines(before: Properties, after: Properties): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.filter((name) => !name.startsWith("__")).flatMap((name) => changed(name, before[name], after[name]));
}

function changed(name: string, before: unknown, after: unknown): string[] {
  // The engine does not show a change from one secret to another.
  if (isDeepStrictEqual(before, after) || (before instanceof Secret && after instanceof Secret)) return [];
  if (before === undefined) return whole("+", name, after);
  if (after === undefined) return whole("-", name, before);
  if (isObject(before) && isObject(after)) return [`~ ${name}: {`, ...changedLines(before, after)];
  if (!Array.isArray(before) || !Array.isArray(after)) {
    if (isNested(before) || isNested(after)) return [...whole("-", name, before), ...whole("+", name, after)];
    return [`~ ${name}: ${shown(before)} => ${shown(after)}`];
  }
  const longer = before.length > after.length ? before : after;
  return [`~ ${name}: [`, ...longer.flatMap((_, index) => changed(`[${index}]`, before[index], after[index]))];
}

function whole(sign: "+" | "-", name: string, value: unknown): string[] {
  if (Array.isArray(value) && value.length > 0)
    return [`${sign} ${name}: [`, ...value.flatMap((item, index) => whole(sign, `[${index}]`, item))];
  if (!isObject(value) || Object.keys(value).length === 0) return [`${sign} ${name}: ${shown(value)}`];
  return [
    `${sign} ${name}: {`,
    ...Object.entries(value)
      .sort()
      .flatMap(([inner, each]) => whole(sign, inner, each)),
  ];
}

const isNested = (value: unknown): boolean => isObject(value) || Array.isArray(value);

const shown = (value: unknown): string => (value instanceof Secret ? "[secret]" : value === unknown ? "[unknown]" : JSON.stringify(value));

/** The outputs of a stack below its changes: with padded names and without a sign. */
export function shownOutputs(outputs: Properties): string[] {
  const longest = Math.max(0, ...Object.keys(outputs).map((name) => name.length));
  return Object.entries(outputs).flatMap(([name, value]) =>
    whole("+", name.padEnd(longest + 1), value).map((line) => line.replace(/^[+] /, "")),
  );
}
