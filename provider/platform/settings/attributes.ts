import { Comparison } from "../../comparison";
import { Operation } from "../../connection";
import { CheckFailure } from "../../errors";
import { comparisonOf, fieldPath, namesWith } from "../../fields";
import { pathOf } from "../../inputs";
import { isReference } from "../../lifecycle/properties";
import { isSameSecret } from "../../lifecycle/references";
import { closest } from "../../text/spelling";
import { dialectOf, wireName } from "../client";
import { SettingsPage, Values } from "./page";

// The attributes of a page, and their values by name.

const isPath = (name: string): boolean => fieldPath(name).length > 1;

const inputsOf = ({ attributes }: SettingsPage): string[] => Object.keys(attributes).filter((name) => attributes[name]?.input);

/** The attributes that the server returns. */
export const readable = ({ attributes }: SettingsPage): string[] => namesWith(attributes, "output");

/** The attributes that the server stores and never returns. */
export const writeOnly = ({ attributes }: SettingsPage): string[] => namesWith(attributes, "writeOnly").filter((name) => !isPath(name));

/** The attributes that the server accepts and does not store. */
export const requestOnly = ({ attributes }: SettingsPage): string[] => namesWith(attributes, "requestOnly");

export const secrets = ({ attributes }: SettingsPage): string[] => namesWith(attributes, "secret");

/** True for equivalent values of an attribute. */
export function same({ attributes }: SettingsPage, name: string, a: unknown, b: unknown): boolean {
  const comparison: Comparison = comparisonOf(attributes, name);
  return comparison.equal(a ?? undefined, b ?? undefined) || isSameSecret(attributes, name, a, b);
}

/** The desired values that differ from the current ones. */
export const differing = (page: SettingsPage, desired: Values, current: Values): Values =>
  Object.fromEntries(Object.entries(desired).filter(([name, value]) => !same(page, name, current[name], value)));

export const declaredIn = (page: SettingsPage, inputs: object): Values =>
  flat(
    inputs,
    inputsOf(page).filter((name) => !requestOnly(page).includes(name)),
  );

/** The attributes in a state. */
export const storedValues = (page: SettingsPage, state: object): Values => flat(state, [...readable(page), ...inputsOf(page)]);

/** The properties with these names that have a value, and all of `extra`. */
export function flat(properties: object, names: readonly string[]): Values {
  const { extra = {}, ...rest } = properties as Values & { extra?: Values };
  const entries = Object.entries(rest).filter(([name, value]) => names.includes(name) && value !== undefined);
  return Object.fromEntries([...entries, ...Object.entries(extra).map(([name, value]) => [`extra.${name}`, value])]);
}

export const pick = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));

/** A wrapped value for the state, which loses null and undefined. */
export const wrap = (value: unknown): { value?: unknown } => (value === null || value === undefined ? {} : { value });

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
  const entries = [
    ...Object.entries(extra).map(([name, value]) => ({ input: "extra", name, path: pathOf(["extra", name]), value })),
    ...extraWriteOnly.map((name, index) => ({ input: "extraWriteOnly", name, path: `extraWriteOnly[${index}]`, value: name })),
  ];
  if (!dialectOf(operation).hasExtra) {
    const reason = 'requires the dialect "hashicorp"';
    return [...new Set(entries.map(({ input }) => input))].map((path) => ({ path, rule: "dialect", reason }));
  }
  const inputNames = wireNames(page, operation);
  return entries.flatMap(({ name, path, value }) => {
    if (inputNames.has(name)) return [{ path, rule: "own-input", reason: `must be set with the input ${inputNames.get(name)}` }];
    if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
      return [{ path, rule: "attribute-name", reason: "must be an attribute name of the API, such as apply-timeout" }];
    if (isReference(value))
      return [{ path, rule: "reference", reason: "must be a value: list the attribute in extraWriteOnly to declare it by reference" }];
    return value === null ? [{ path, rule: "null", reason: "must have a value" }] : [];
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
