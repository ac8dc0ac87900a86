import { z } from "zod";
import { Comparison, exact } from "../comparison";
import { Connection } from "../connection";
import { Finding, Rule } from "../definition";
import { Retry } from "../http";
import { closest } from "../spelling";
import { dialectOf, wireName } from "./client";

// What settings consist of.

/** Attributes by name, those in `extra` as `extra.<name>`; nothing and null are the same. @internal */
export type Values = Record<string, unknown>;

/** One kind of settings: what its own file states. @internal */
export interface Settings<Inputs> {
  type: string;
  noun: string;
  /** Of the document, and of the resource. */
  id: string;
  /** The last part of the API's path. */
  document?(connection: Connection): string;
  /** What can be written and read. */
  attributes: Record<string, z.ZodType>;
  /** What the server keeps and never shows. */
  writeOnly?: Record<string, z.ZodType>;
  /** What a write is told besides, and the server does not keep. */
  sentAlong?: Record<string, z.ZodType>;
  /** The product's own attributes that it keeps and never shows, under its names. */
  extraWriteOnly?: readonly string[];
  readOnly?: readonly string[];
  /** Read-only attributes in which the platform shows what was declared before. */
  encrypted?: readonly string[];
  secrets?: readonly string[];
  compare?: Readonly<Record<string, Comparison>>;
  rules?: readonly Rule<Inputs>[];
  /** The attributes without which the server would refuse what it would hold after a write. */
  missing?(held: Values): string[];
  /** What is left behind when attributes have been put back, if anything. */
  leftBehind?(shown: Values): string | undefined;
  retry?: Retry;
  /** HTTP statuses with which the platform reports a failure of the mail server, and what each means. */
  verdicts?: Readonly<Record<number, string>>;
}

/** Inputs, or a state, that may name further attributes in `extra` which the server never shows. @internal */
export interface NamesWriteOnly {
  extraWriteOnly?: readonly string[];
}

/** The attributes of one kind of settings. @internal */
export interface Fields {
  /** What the server keeps and never shows. */
  writeOnly: readonly string[];
  /** What a write is told besides. */
  sentAlong: readonly string[];
  /** What the server shows. */
  readable: readonly string[];
  secrets: readonly string[];
  /** Whether an attribute in `extra` is one that the server never shows. */
  isExtraWriteOnly(field: string, names: NamesWriteOnly): boolean;
  /** The attributes in `extra` that the server should show, and does not. */
  unseen(declared: Values, shown: Values, names: NamesWriteOnly): string[];
  same(field: string, a: unknown, b: unknown): boolean;
  /** What of these values is not known to be there. */
  differing(wanted: Values, known: Values): Values;
  /** What the program declares. */
  declaredIn(inputs: object): Values;
  /** What the state knows. */
  knownIn(state: object): Values;
}

/** @internal */
export function fieldsOf<Inputs>(of: Settings<Inputs>): Fields {
  const writable = Object.keys(of.attributes);
  const writeOnly = Object.keys(of.writeOnly ?? {});
  const sentAlong = Object.keys(of.sentAlong ?? {});
  const readable = [...writable, ...(of.readOnly ?? [])];
  const isExtraWriteOnly: Fields["isExtraWriteOnly"] = (field, { extraWriteOnly = [] }) =>
    [...(of.extraWriteOnly ?? []), ...extraWriteOnly].some((name) => field === `extra.${name}`);
  const same: Fields["same"] = (field, a, b) => (of.compare?.[field] ?? exact).equal(a ?? undefined, b ?? undefined);
  return {
    writeOnly,
    sentAlong,
    readable,
    secrets: of.secrets ?? [],
    isExtraWriteOnly,
    unseen: (declared, shown, names) =>
      Object.keys(declared).filter((field) => extraName(field) && !(field in shown) && !isExtraWriteOnly(field, names)),
    same,
    differing: (wanted, known) => Object.fromEntries(Object.entries(wanted).filter(([field, value]) => !same(field, known[field], value))),
    declaredIn: (inputs) => flat(inputs, [...writable, ...writeOnly]),
    knownIn: (state) => flat(state, [...readable, ...writeOnly, ...sentAlong]),
  };
}

/** Of an attribute in `extra`, the product's own name. @internal */
export const extraName = (field: string): string | undefined => (field.startsWith("extra.") ? field.slice("extra.".length) : undefined);

/** The given ones of these fields, and all that `extra` holds. @internal */
export function flat(properties: object, fields: readonly string[]): Values {
  const { extra = {}, ...rest } = properties as Values & { extra?: Values };
  const given = Object.entries(rest).filter(([field, value]) => fields.includes(field) && value !== undefined);
  return Object.fromEntries([...given, ...Object.entries(extra).map(([name, value]) => [`extra.${name}`, value])]);
}

/** What is wrong with the names in `extra` and `extraWriteOnly`. @internal */
export function extraFindings(
  connection: Connection,
  { extra = {}, extraWriteOnly = [] }: { extra?: Values } & NamesWriteOnly,
  fields: readonly string[],
): Finding[] {
  const paths = [
    ...Object.keys(extra).map((name) => ({ name, path: `extra.${name}` })),
    ...extraWriteOnly.map((name, index) => ({ name, path: `extraWriteOnly[${index}]` })),
  ];
  if (!dialectOf(connection).hasExtra)
    return [...new Set(paths.map(({ path }) => path.split(/[.[]/)[0] as string))].map((path) => ({
      path,
      reason: 'is for the connection\'s dialect "hashicorp": the API document knows no further attributes',
    }));
  const own = new Map(fields.map((field) => [wireName(connection, field), field]));
  return paths.flatMap(({ name, path }) => {
    if (own.has(name)) return [{ path, reason: `has its own place: ${own.get(name)}` }];
    if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) return [{ path, reason: "must be the product's own name, such as apply-timeout" }];
    return path.startsWith("extra.") && extra[name] === null ? [{ path, reason: "must have a value" }] : [];
  });
}

/** What to say of attributes in `extra` that the server does not show. @internal */
export function unseenFindings(connection: Connection, unseen: readonly string[], shown: Values, fields: readonly string[]): Finding[] {
  const known = new Map([
    ...Object.keys(shown).flatMap((field) => (extraName(field) ? [[extraName(field) as string, extraName(field) as string] as const] : [])),
    ...fields.map((field) => [wireName(connection, field), field] as const),
  ]);
  return unseen.map((path) => {
    const meant = known.get(closest(extraName(path) as string, [...known.keys()]) ?? "");
    return { path, reason: `the platform shows no such attribute${meant ? ` (did you mean "${meant}"?)` : ""}` };
  });
}

/** A value to be remembered: in the state, null and nothing are the same, and would be lost. @internal */
export const held = (value: unknown): { value?: unknown } => (value === null || value === undefined ? {} : { value });

/** @internal */
export const pick = (values: Values, fields: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([field]) => fields.includes(field)));
