import { Operation } from "../../connection";
import { CheckFailure } from "../../errors";
import { fieldPath } from "../../fields";
import { pathOf } from "../../inputs";
import { isReference } from "../../lifecycle/properties";
import { closest } from "../../text/spelling";
import { dialectOf, wireName } from "../client";
import { readable, requestOnly, writeOnly } from "./attributes";
import { SettingsPage, Values } from "./page";

// The attributes in `extra`, which only Terraform Enterprise has.

/** The API name of an attribute in `extra`. */
export const extraName = (name: string): string | undefined => (name.startsWith("extra.") ? name.slice("extra.".length) : undefined);

/** Inputs or a state that may list write-only attributes in `extra`. */
export interface NamesWriteOnly {
  extraWriteOnly?: readonly string[];
}

/** True for a write-only attribute in `extra`. */
export const isExtraWriteOnly = ({ attributes }: SettingsPage, name: string, { extraWriteOnly = [] }: NamesWriteOnly): boolean =>
  (fieldPath(name).length > 1 && attributes[name]?.writeOnly === true) || extraWriteOnly.some((key) => name === `extra.${key}`);

/** The declared attributes in `extra` that the server should return and does not. */
export const missingExtras = (page: SettingsPage, declared: Values, returned: Values, names: NamesWriteOnly): string[] =>
  Object.keys(declared).filter((name) => extraName(name) && !(name in returned) && !isExtraWriteOnly(page, name, names));

/** Check failures for the names in `extra` and `extraWriteOnly`. */
export function extraFindings(page: SettingsPage, operation: Operation, inputs: { extra?: Values } & NamesWriteOnly): CheckFailure[] {
  const { extra = {}, extraWriteOnly = [] } = inputs;
  const paths = [
    ...Object.keys(extra).map((name) => ({ name, path: pathOf(["extra", name]) })),
    ...extraWriteOnly.map((name, index) => ({ name, path: `extraWriteOnly[${index}]` })),
  ];
  if (!dialectOf(operation).hasExtra)
    return [...new Set(paths.map(({ path }) => path.split(/[.[]/)[0] as string))].map((path) => ({
      path,
      rule: "dialect",
      reason: 'requires the dialect "hashicorp"',
    }));
  const inputNames = wireNames(page, operation);
  return paths.flatMap(({ name, path }) => {
    if (inputNames.has(name)) return [{ path, rule: "own-input", reason: `must be set with the input ${inputNames.get(name)}` }];
    if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
      return [{ path, rule: "attribute-name", reason: "must be an attribute name of the API, such as apply-timeout" }];
    if (/^extra\W/.test(path) && isReference(extra[name]))
      return [{ path, rule: "reference", reason: "must be a value: list the attribute in extraWriteOnly to declare it by reference" }];
    return /^extra\W/.test(path) && extra[name] === null ? [{ path, rule: "null", reason: "must have a value" }] : [];
  });
}

/** Check failures for attributes in `extra` that the server does not return. */
export function missingExtraFailures(page: SettingsPage, operation: Operation, names: readonly string[], returned: Values): CheckFailure[] {
  const extras = Object.keys(returned).flatMap((name) => extraName(name) ?? []);
  const candidates = new Map([...extras.map((name) => [name, name] as const), ...wireNames(page, operation)]);
  return names.map((path) => {
    const name = extraName(path) as string;
    const meant = candidates.get(closest(name, [...candidates.keys()]) ?? "");
    return {
      path: pathOf(["extra", name]),
      rule: "unknown-attribute",
      reason: `${operation.server.words.service} returns no such attribute${meant ? ` (did you mean "${meant}"?)` : ""}`,
    };
  });
}

/** The attributes by their API names. */
const wireNames = (page: SettingsPage, operation: Operation): Map<string, string> =>
  new Map([...readable(page), ...writeOnly(page), ...requestOnly(page)].map((name) => [wireName(operation, name), name]));
