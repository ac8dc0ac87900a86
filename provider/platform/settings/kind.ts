import { Comparison } from "../../comparison";
import { Connection } from "../../connection";
import { AnyFields, Fields, Rule } from "../../definition";
import { CheckFailure } from "../../errors";
import { comparisonOf, namesWith } from "../../fields";
import { Retry } from "../../http";
import { ConnectionArgs } from "../../inputs";
import type { Args } from "../../resource";
import { closest } from "../../spelling";
import { dialectOf, wireName } from "../client";

// A kind of settings, and its attributes.

/** What becomes of the attributes when the resource is destroyed: they get back what they held before, or stay as they are. */
export type OnDelete = "restore" | "retain";
// `pulumi import` writes `platform.OnDelete.Restore` into a program, not the string.
export const OnDelete = { Restore: "restore", Retain: "retain" } as const;

/** What every settings resource takes beside its attributes. An attribute that is not given has no default: it stays as it is. */
export interface SettingsInputs extends ConnectionArgs {
  /**
   * "restore" puts back, when the resource is destroyed, what the declared attributes held before; "retain" leaves them. An attribute that
   * leaves the program is put back either way. Changing this sends nothing.
   * @default "restore"
   */
  onDelete?: OnDelete;
  /**
   * Attributes that only Terraform Enterprise has, under its own names: `{ "apply-timeout": "24h" }`. In the hashicorp dialect alone; each is
   * managed as the others are, and put back when it leaves. Of one that no client can set, a warning says that the server kept another value.
   * One that the platform does not show is refused before anything is sent, unless it is known to be write-only. Changing this updates.
   */
  extra?: Record<string, unknown>;
  /**
   * Names in `extra` that the platform accepts and never shows, where this package does not know them yet: `["signing-secret"]`. In the
   * hashicorp dialect alone. Mark the value of each with `pulumi.secret`. Their drift cannot be seen, and they cannot be put back. Changing this sends nothing.
   */
  extraWriteOnly?: string[];
}

/** Arguments of every settings resource. */
export interface SettingsArgs extends Args<SettingsInputs> {}

/** What every settings resource shows beside its attributes. */
export interface SettingsState {
  /** The attributes that the program declares, and only these, are compared, repaired and put back. Sorted; `extra.<name>` for one in `extra`. */
  managed: string[];
  /** In the hashicorp dialect, every attribute that the API document does not know, under the product's name. */
  extra: Record<string, unknown> | undefined;
}

/** Attributes by name, those in `extra` as `extra.<name>`; null and undefined are the same. @internal */
export type Values = Record<string, unknown>;

type Shared = keyof SettingsInputs | keyof SettingsState;

/** The attributes of one kind of settings, as fields. @internal */
export type Attributes<Inputs, Outputs> = Omit<Fields<Inputs, Outputs, Outputs>, Shared>;

/** One kind of settings, as its own file states it. @internal */
export interface Kind {
  /** `GeneralSettings`. */
  type: string;
  displayName: string;
  /** Of the resource, and of its document: `general` of `general-settings`. */
  id: string;
  /** The last part of the path, where it is not `<id>-settings`. */
  document?(connection: Connection): string;
  attributes: AnyFields;
  /** The attributes without which the server would refuse what it would hold after a write. */
  requiredWhenEnabled?(held: Values): string[];
  /** Tells what remains on the server after attributes have been put back. */
  residueWarning?(shown: Values): string | undefined;
  retry?: Retry;
  /** The HTTP statuses with which the platform reports a failure of the mail server, and the meaning of each. */
  mailErrors?: Readonly<Record<number, string>>;
}

/** @internal */
export interface KindOf<Inputs, Outputs> extends Omit<Kind, "attributes"> {
  attributes: Attributes<Inputs, Outputs>;
  rules?: readonly Rule<Inputs>[];
}

const isPath = (name: string): boolean => name.includes(".");

const inputsOf = ({ attributes }: Kind): string[] => Object.keys(attributes).filter((name) => attributes[name]?.input);

/** The attributes that the server shows. @internal */
export const readable = ({ attributes }: Kind): string[] => namesWith(attributes, "output");

/** The attributes that the server keeps and never shows. @internal */
export const writeOnly = ({ attributes }: Kind): string[] => namesWith(attributes, "writeOnly").filter((name) => !isPath(name));

/** What a write sends, and the server does not keep. @internal */
export const requestOnly = ({ attributes }: Kind): string[] => namesWith(attributes, "requestOnly");

/** @internal */
export const secrets = ({ attributes }: Kind): string[] => namesWith(attributes, "secret");

/** The name under which the product shows an attribute in `extra`. @internal */
export const extraName = (name: string): string | undefined => (name.startsWith("extra.") ? name.slice("extra.".length) : undefined);

/** Inputs, or a state, that may name further attributes in `extra` which the server never shows. @internal */
export interface NamesWriteOnly {
  extraWriteOnly?: readonly string[];
}

/** Tells if an attribute in `extra` is one that the server never shows. @internal */
export const isExtraWriteOnly = ({ attributes }: Kind, name: string, { extraWriteOnly = [] }: NamesWriteOnly): boolean =>
  (isPath(name) && attributes[name]?.writeOnly === true) || extraWriteOnly.some((key) => name === `extra.${key}`);

/** The attributes in `extra` that the server should show, and does not. @internal */
export const unseen = (kind: Kind, declared: Values, shown: Values, names: NamesWriteOnly): string[] =>
  Object.keys(declared).filter((name) => extraName(name) && !(name in shown) && !isExtraWriteOnly(kind, name, names));

/** Tells if two values of an attribute mean the same. @internal */
export function same({ attributes }: Kind, name: string, a: unknown, b: unknown): boolean {
  const comparison: Comparison = comparisonOf(attributes, name);
  return comparison.equal(a ?? undefined, b ?? undefined);
}

/** The wanted values that are not known to be on the server. @internal */
export const differing = (kind: Kind, wanted: Values, known: Values): Values =>
  Object.fromEntries(Object.entries(wanted).filter(([name, value]) => !same(kind, name, known[name], value)));

/** The attributes that a program declares. @internal */
export const declaredIn = (kind: Kind, inputs: object): Values =>
  flat(
    inputs,
    inputsOf(kind).filter((name) => !requestOnly(kind).includes(name)),
  );

/** The attributes that a state knows. @internal */
export const knownIn = (kind: Kind, state: object): Values => flat(state, [...readable(kind), ...inputsOf(kind)]);

/** The given ones of these attributes, and all that `extra` holds. @internal */
export function flat(properties: object, names: readonly string[]): Values {
  const { extra = {}, ...rest } = properties as Values & { extra?: Values };
  const given = Object.entries(rest).filter(([name, value]) => names.includes(name) && value !== undefined);
  return Object.fromEntries([...given, ...Object.entries(extra).map(([name, value]) => [`extra.${name}`, value])]);
}

/** @internal */
export const pick = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));

/** A value to be remembered: a state loses null and undefined, which are the same. @internal */
export const held = (value: unknown): { value?: unknown } => (value === null || value === undefined ? {} : { value });

/** The problems of the names in `extra` and `extraWriteOnly`. @internal */
export function extraFindings(kind: Kind, connection: Connection, inputs: { extra?: Values } & NamesWriteOnly): CheckFailure[] {
  const { extra = {}, extraWriteOnly = [] } = inputs;
  const paths = [
    ...Object.keys(extra).map((name) => ({ name, path: `extra.${name}` })),
    ...extraWriteOnly.map((name, index) => ({ name, path: `extraWriteOnly[${index}]` })),
  ];
  if (!dialectOf(connection).hasExtra)
    return [...new Set(paths.map(({ path }) => path.split(/[.[]/)[0] as string))].map((path) => ({
      path,
      rule: "dialect",
      reason: 'is for the connection\'s dialect "hashicorp": the API document knows no further attributes',
    }));
  const own = wireNames(kind, connection);
  return paths.flatMap(({ name, path }) => {
    if (own.has(name)) return [{ path, rule: "own-input", reason: `has its own place: ${own.get(name)}` }];
    if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
      return [{ path, rule: "attribute-name", reason: "must be the product's own name, such as apply-timeout" }];
    return path.startsWith("extra.") && extra[name] === null ? [{ path, rule: "null", reason: "must have a value" }] : [];
  });
}

/** The problems of attributes in `extra` that the server does not show. @internal */
export function unseenFindings(kind: Kind, connection: Connection, names: readonly string[], shown: Values): CheckFailure[] {
  const extras = Object.keys(shown).flatMap((name) => extraName(name) ?? []);
  const known = new Map([...extras.map((name) => [name, name] as const), ...wireNames(kind, connection)]);
  return names.map((path) => {
    const meant = known.get(closest(extraName(path) as string, [...known.keys()]) ?? "");
    return { path, rule: "unknown-attribute", reason: `the platform shows no such attribute${meant ? ` (did you mean "${meant}"?)` : ""}` };
  });
}

/** The attributes by the names that the server uses. */
const wireNames = (kind: Kind, connection: Connection): Map<string, string> =>
  new Map([...readable(kind), ...writeOnly(kind), ...requestOnly(kind)].map((name) => [wireName(connection, name), name]));
