import { z } from "zod";
import { Comparison, exact } from "./comparison";
import { Connection } from "./connection";
import { AnyFields, Field } from "./definition";
import { Schema, strictObject, strList } from "./inputs";

// The table of fields of a definition, and its templates, as the life cycle and the program's side read them.

/** @internal */
export type Values = Record<string, unknown>;

type Trait = { [Name in keyof Field]-?: true extends Field[Name] ? Name : never }[keyof Field];

/** The names of the fields with a trait, in the order of the table; paths such as `extra.private-key` as well. @internal */
export const namesWith = (fields: AnyFields, trait: Trait): string[] =>
  Object.entries(fields).flatMap(([name, field]) => (field?.[trait] ? [name] : []));

/** The names of the inputs. @internal */
export const inputNames = (fields: AnyFields): string[] => Object.entries(fields).flatMap(([name, field]) => (field?.input ? [name] : []));

/** @internal */
export const comparisonOf = (fields: AnyFields, name: string): Comparison => fields[name]?.compare ?? exact;

const schemas = new WeakMap<AnyFields, Schema>();

/** The schema of all inputs. Made once for a definition: zod compiles each schema when it is first used. @internal */
export function inputSchema(fields: AnyFields): Schema {
  const schema = schemas.get(fields) ?? schemaOf(fields);
  schemas.set(fields, schema);
  return schema;
}

function schemaOf(fields: AnyFields): Schema {
  const rows = Object.entries(fields).flatMap(([name, field]) => {
    const input = field?.input as z.ZodType | undefined;
    return input ? [[name, field?.required ? input : input.optional()] as const] : [];
  });
  return strictObject(Object.fromEntries(rows));
}

/** The inputs that a program does not give. @internal */
export const defaultsOf = (fields: AnyFields, connection: Connection): Values =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, field]) => (field?.default ? [[name, field.default(connection)]] : [])));

/** The secret fields and paths; with those that an input lists. @internal */
export const secretsOf = (fields: AnyFields, values: Values = {}): string[] => [
  ...namesWith(fields, "secret"),
  ...Object.entries(fields).flatMap(([name, field]) =>
    field?.secretKeysOf ? (strList.safeParse(values[name]).data ?? []).map((key) => `${field.secretKeysOf}.${key}`) : [],
  ),
];

const placeholder = /<(\w+)>/g;

/** A template with the values of its fields; empty where one is missing. @internal */
export function format(template: string, ...values: object[]): string {
  const all: Values = Object.assign({}, ...values);
  const names = [...template.matchAll(placeholder)].map(([, name]) => name as string);
  return names.some((name) => all[name] === undefined) ? "" : template.replace(placeholder, (_, name) => String(all[name]));
}

/** The fields that an id names; undefined where it is no id of this type. @internal */
export function parseId({ id: template, fields }: { id: string; fields: AnyFields }, id: string): Values | undefined {
  const names = [...template.matchAll(placeholder)].map(([, name]) => name as string);
  const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = template.split(placeholder).map((part, index) => (index % 2 === 0 ? literal(part) : index === 1 ? "(.+)" : "([^/]+)"));
  const parts = new RegExp(`^${pattern.join("")}$`, "s").exec(id)?.slice(1);
  if (!parts) return undefined;
  const values = Object.fromEntries(names.map((name, index) => [name, parts[index] as string]));
  const isValid = ([name, value]: [string, string]): boolean => {
    const { input, compare } = fields[name] ?? {};
    return input?.safeParse(value).success === true && (compare?.normalize?.(value) ?? value) === value;
  };
  return Object.entries(values).every(isValid) ? values : undefined;
}
