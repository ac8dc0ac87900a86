import { z } from "zod";
import { Comparison, exact } from "./comparison";
import { AnyFields, Difference, Field } from "./definition";
import { issuesOf, Schema, strictObject, valueAt } from "./inputs";
import { Operation } from "./operation";
import { areEqual } from "./secret";

export type Values = Record<string, unknown>;

type Trait = "input" | { [Name in keyof Field]-?: true extends Field[Name] ? Name : never }[keyof Field];

/** The names of the fields with a trait, such as `secret`, or with an input. */
export const namesWith = (fields: AnyFields, trait: Trait): string[] =>
  Object.entries(fields).flatMap(([name, field]) => (field?.[trait] ? [name] : []));

export const comparisonOf = (fields: AnyFields, name: string): Comparison => fields[name]?.compare ?? exact;

/** The fields with these names that differ. */
export const differencesOf = (fields: AnyFields, names: readonly string[], from: object, to: object): Difference[] =>
  names.flatMap((path) => {
    const compare = comparisonOf(fields, path);
    const [before, after] = [valueAt(from, [path]), valueAt(to, [path])];
    return areEqual(compare, before, after) ? [] : [{ path, from: before, to: compare.normalize?.(after) ?? after }];
  });

const schemas = new WeakMap<AnyFields, Schema>();

/** The schema of all inputs, cached since zod compiles each schema on first use. */
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

export const defaultsOf = (fields: AnyFields, operation: Operation): Values =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, field]) => (field?.default ? [[name, field.default(operation)]] : [])));

/** The paths of the secrets: `["password"]`, and `["submission", "candidate"]` for a part of a field. */
export const secretsOf = (fields: AnyFields): (readonly string[])[] =>
  Object.entries(fields).flatMap(([name, field]) => [
    ...(field?.secret ? [[name]] : []),
    ...(field?.secretParts ?? []).map((part) => [name, part]),
  ]);

const placeholder = /<(\w+)>/g;
/** The fields of a template. */
export const placeholdersIn = (template: string): string[] => [...template.matchAll(placeholder)].map(([, name]) => name as string);

/** The fields that everybody sees, since they are part of the id or of messages. */
export const publicNames = ({ id, name = "" }: { id: string; name?: string }): string[] => placeholdersIn(`${id} ${name}`);

/** The fields without which an operation would act on the wrong object, or on none. */
export const essentialNames = ({ id, fields }: { id: string; fields: AnyFields }): string[] => [
  ...placeholdersIn(id),
  ...namesWith(fields, "essential"),
  "declared",
];

/** An environment variable for a secret that a search cannot read: `SMTP_PASSWORD`. */
export const variableFor = (object: string, secret: string): string =>
  `${object}_${secret.replace(/[A-Z]/g, "_$&")}`.replace(/\W+/g, "_").toUpperCase();

/** Fills in the fields of a template. Returns an empty string if one is missing. */
export function format(template: string, ...values: object[]): string {
  const all: Values = Object.assign({}, ...values);
  return placeholdersIn(template).some((name) => all[name] === undefined)
    ? ""
    : template.replace(placeholder, (_, name) => String(all[name]));
}

/** Parses an id. Returns undefined if it does not match the template or a part is invalid. */
export function parseId({ id: template, fields }: { id: string; fields: AnyFields }, id: string): Values | undefined {
  const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = template.split(placeholder).map((part, index) => (index % 2 === 0 ? literal(part) : index === 1 ? "(.+)" : "([^/]+)"));
  const parts = new RegExp(`^${pattern.join("")}$`, "s").exec(id)?.slice(1);
  if (!parts) return undefined;
  const values = Object.fromEntries(placeholdersIn(template).map((name, index) => [name, parts[index] as string]));
  const isValid = ([name, value]: [string, string]): boolean => {
    const { input, compare } = fields[name] ?? {};
    return (!input || issuesOf(input, value).length === 0) && (compare?.normalize?.(value) ?? value) === value;
  };
  return Object.entries(values).every(isValid) ? values : undefined;
}
