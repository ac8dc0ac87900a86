import { Comparison } from "../../comparison";
import { Operation } from "../../connection";
import { AnyFields, Fields, Rule } from "../../definition";
import { CheckFailure } from "../../errors";
import { comparisonOf, fieldPath, namesWith } from "../../fields";
import { Retry } from "../../http";
import { ConnectionArgs, pathOf } from "../../inputs";
import { isReference } from "../../lifecycle/properties";
import { isSameSecret } from "../../lifecycle/references";
import type { Args } from "../../program/resource";
import { closest } from "../../text/spelling";
import { dialectOf, wireName } from "../client";

/** The effect of destroying a settings resource on its attributes: restore their original values, or retain the current ones. */
export type OnDelete = "restore" | "retain";
// `pulumi import` writes `platform.OnDelete.Restore` into a program, not the string.
export const OnDelete = { Restore: "restore", Retain: "retain" } as const;

/** Inputs of every settings resource besides its attributes. An attribute that was never declared keeps its value. */
export interface SettingsInputs extends ConnectionArgs {
  /**
   * The effect of destroying the resource on its attributes. "restore" writes back their original values, "retain" leaves the current ones.
   * An attribute that is removed from the program is always restored. An original value that the platform did not return, such as a
   * password, cannot be restored. If the settings would stay enabled without it, the provider disables them, unless the program declares
   * `enabled`.
   * @change updates only the state
   * @default "restore"
   */
  onDelete?: OnDelete;
  /**
   * Attributes that only Terraform Enterprise has, by their API names. Only in the hashicorp dialect. They are managed and restored like all
   * other attributes. The provider warns if the platform stores a value other than the declared one. It rejects an attribute that the
   * platform does not return, unless the attribute is write-only.
   * @example { "apply-timeout": "24h" }
   */
  extra?: Record<string, unknown>;
  /**
   * Names of write-only attributes in `extra` that this package does not know. Only in the hashicorp dialect. Mark their values with
   * `pulumi.secret`. They show no drift and cannot be restored.
   * @change updates only the state
   * @example ["signing-secret"]
   */
  extraWriteOnly?: string[];
}

/** Arguments of every settings resource. */
export interface SettingsArgs extends Args<SettingsInputs> {}

/** Outputs of every settings resource besides its attributes. */
export interface SettingsState {
  /** The sorted names of the attributes that the provider manages; `extra.<name>` for one in `extra`. Only these show drift and are restored. */
  managed: string[];
  /** In the hashicorp dialect, every attribute that the API specification does not have, by its API name. */
  extra: Record<string, unknown> | undefined;
}

/** Attributes by name, those in `extra` as `extra.<name>`. Null equals undefined. */
export type Values = Record<string, unknown>;

type Shared = keyof SettingsInputs | keyof SettingsState;

/** The fields of one kind of settings. */
export type Attributes<Inputs, Outputs> = Omit<Fields<Inputs, Outputs, Outputs>, Shared>;

export interface SettingsKind {
  /** `GeneralSettings`. */
  type: string;
  displayName: string;
  /** The id of the resource and of its document: `general` of `general-settings`. */
  id: string;
  /** The last segment of the path, if it is not `<id>-settings`. */
  document?(operation: Operation): string;
  attributes: AnyFields;
  /** The missing attributes without which the server rejects these values. */
  requiredWhenEnabled?(values: Values): string[];
  /** A warning about values that remain on the server after a restore. */
  residueWarning?(values: Values): string | undefined;
  retry?: Retry;
  /** The meaning of each HTTP status with which the platform reports a failure of the mail server. */
  mailErrors?: Readonly<Record<number, string>>;
}

export interface SettingsKindOf<Inputs, Outputs> extends Omit<SettingsKind, "attributes"> {
  attributes: Attributes<Inputs, Outputs>;
  rules?: readonly Rule<Inputs>[];
}

const isPath = (name: string): boolean => fieldPath(name).length > 1;

const inputsOf = ({ attributes }: SettingsKind): string[] => Object.keys(attributes).filter((name) => attributes[name]?.input);

/** The attributes that the server returns. */
export const readable = ({ attributes }: SettingsKind): string[] => namesWith(attributes, "output");

/** The attributes that the server stores and never returns. */
export const writeOnly = ({ attributes }: SettingsKind): string[] => namesWith(attributes, "writeOnly").filter((name) => !isPath(name));

/** The attributes that the server accepts and does not store. */
export const requestOnly = ({ attributes }: SettingsKind): string[] => namesWith(attributes, "requestOnly");

export const secrets = ({ attributes }: SettingsKind): string[] => namesWith(attributes, "secret");

/** The API name of an attribute in `extra`. */
export const extraName = (name: string): string | undefined => (name.startsWith("extra.") ? name.slice("extra.".length) : undefined);

/** Inputs or a state that may list write-only attributes in `extra`. */
export interface NamesWriteOnly {
  extraWriteOnly?: readonly string[];
}

/** True for a write-only attribute in `extra`. */
export const isExtraWriteOnly = ({ attributes }: SettingsKind, name: string, { extraWriteOnly = [] }: NamesWriteOnly): boolean =>
  (isPath(name) && attributes[name]?.writeOnly === true) || extraWriteOnly.some((key) => name === `extra.${key}`);

/** The declared attributes in `extra` that the server should return and does not. */
export const missingExtras = (kind: SettingsKind, declared: Values, returned: Values, names: NamesWriteOnly): string[] =>
  Object.keys(declared).filter((name) => extraName(name) && !(name in returned) && !isExtraWriteOnly(kind, name, names));

/** True for equivalent values of an attribute. */
export function same({ attributes }: SettingsKind, name: string, a: unknown, b: unknown): boolean {
  const comparison: Comparison = comparisonOf(attributes, name);
  return comparison.equal(a ?? undefined, b ?? undefined) || isSameSecret(attributes, name, a, b);
}

/** The desired values that differ from the current ones. */
export const differing = (kind: SettingsKind, desired: Values, current: Values): Values =>
  Object.fromEntries(Object.entries(desired).filter(([name, value]) => !same(kind, name, current[name], value)));

export const declaredIn = (kind: SettingsKind, inputs: object): Values =>
  flat(
    inputs,
    inputsOf(kind).filter((name) => !requestOnly(kind).includes(name)),
  );

/** The attributes in a state. */
export const storedValues = (kind: SettingsKind, state: object): Values => flat(state, [...readable(kind), ...inputsOf(kind)]);

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

/** Check failures for the names in `extra` and `extraWriteOnly`. */
export function extraFindings(kind: SettingsKind, operation: Operation, inputs: { extra?: Values } & NamesWriteOnly): CheckFailure[] {
  const { extra = {}, extraWriteOnly = [] } = inputs;
  const paths = [
    ...Object.keys(extra).map((name) => ({ name, path: pathOf(["extra", name]) })),
    ...extraWriteOnly.map((name, index) => ({ name, path: `extraWriteOnly[${index}]` })),
  ];
  if (!dialectOf(operation).hasExtra)
    return [...new Set(paths.map(({ path }) => path.split(/[.[]/)[0] as string))].map((path) => ({
      path,
      rule: "dialect",
      reason: 'needs the dialect "hashicorp": the API specification has no further attributes',
    }));
  const inputNames = wireNames(kind, operation);
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
export function missingExtraFailures(kind: SettingsKind, operation: Operation, names: readonly string[], returned: Values): CheckFailure[] {
  const extras = Object.keys(returned).flatMap((name) => extraName(name) ?? []);
  const candidates = new Map([...extras.map((name) => [name, name] as const), ...wireNames(kind, operation)]);
  return names.map((path) => {
    const name = extraName(path) as string;
    const meant = candidates.get(closest(name, [...candidates.keys()]) ?? "");
    return {
      path: pathOf(["extra", name]),
      rule: "unknown-attribute",
      reason: `the platform returns no such attribute${meant ? ` (did you mean "${meant}"?)` : ""}`,
    };
  });
}

/** The attributes by their API names. */
const wireNames = (kind: SettingsKind, operation: Operation): Map<string, string> =>
  new Map([...readable(kind), ...writeOnly(kind), ...requestOnly(kind)].map((name) => [wireName(operation, name), name]));
