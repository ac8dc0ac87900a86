import { pem } from "../../provider/contract/comparison";
import { AnyFields, Field } from "../../provider/contract/definition";
import { namesWith } from "../../provider/contract/fields";
import { Context, Properties, ResourceCase, referenceTo } from "../cases/case";
import type { SettingsCase } from "../cases/settings";
import { Secret } from "../support/deployment";

/** The value of a part of a resource: one of three plain values, or a new secret, which may be a reference. */
export interface Value {
  level: number;
  canary?: number;
  isReference?: boolean;
}

/** A kind of resource: the way in which programs declare it, and what the servers then hold. */
export interface Kind {
  /** Each has a value of its own: roles, attributes or, for most kinds, the resource itself. */
  parts: readonly string[];
  /** True if one resource declares any number of the parts. Otherwise each part is a resource. */
  hasManyParts?: true;
  /** True if all parts belong to one object, which a program declares once. */
  isOneObject?: true;
  /** True if no value can be a secret. */
  isNeverSecret?: true;
  /** The dialects in which programs declare it. If omitted, all that have it. */
  dialects?: readonly Context["dialect"][];
  inputs(parts: Map<string, Value>, context: Context): Properties;
  /** The part on the server, below its mount; undefined if it cannot be read. */
  held(part: string, value: Value): readonly [key: string, text: string] | undefined;
  /** The keys of the objects that the deletion of a resource with these outputs removes. If omitted, none. */
  keys?(outputs: Properties): string[];
}

export const canaryText = (canary: number): string => `canary-${canary}-yranac`;
/** A number that never occurs by chance. */
const canaryNumber = (canary: number): number => 471_100_000 + canary;
export const canariesOf = (canary: number): string[] => [canaryText(canary), String(canaryNumber(canary))];

export const text = ({ level, canary }: Value): string => (canary === undefined ? `value-${level}` : canaryText(canary));
export const number = ({ level, canary }: Value): number => (canary === undefined ? 600 + level : canaryNumber(canary));
export const marked = (value: Value, plain: unknown): unknown => (value.canary === undefined ? plain : new Secret(plain));
export const only = (parts: Map<string, Value>): [string, Value] => [...parts][0] as [string, Value];

/** The inputs of a case, with its secrets marked as the class marks them. */
const markedInputs = (fields: AnyFields, inputs: Properties): Properties =>
  Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, fields[name]?.secret ? new Secret(value) : value]));

/** The default: the whole resource, which is created with the case's `inputs` and then `changed`. */
export const wholeKind = ({ token, inputs, changed, paths }: ResourceCase, fields: AnyFields): Kind => {
  const isChanged = ({ level }: Value): boolean => changed !== undefined && level % 2 === 1;
  return {
    parts: [token],
    isNeverSecret: true,
    inputs: (parts, context) => markedInputs(fields, isChanged(only(parts)[1]) && changed ? changed(context) : inputs(context)),
    held: (part, value) => (paths ? [part, isChanged(value) ? "changed" : "created"] : undefined),
    ...(paths ? { keys: () => [token] } : {}),
  };
};

const flag = ({ level }: Value): boolean => level % 2 === 0;

/** The value of an attribute, by what its input accepts: any text, any number, or a flag. Undefined for another input. */
const formOf = (fields: AnyFields, name: string): ((value: Value) => unknown) | undefined =>
  [text, number, flag].find((form) =>
    [{ level: 0 }, { level: 0, canary: 1 }].every((value) => fields[name]?.input?.safeParse(form(value)).success),
  );

/** The first attributes that the server returns as they were declared. To be enabled, settings may need others. */
function partsOf(fields: AnyFields): string[] {
  const plain = namesWith(fields, "input").filter((name) => {
    const { output, compare, dialects } = fields[name] as Field;
    return output && !compare && !dialects && formOf(fields, name);
  });
  const others = plain.filter((name) => name !== "enabled");
  return (others.length > 0 ? others : plain).slice(0, 3);
}

/** Settings, by their attributes. */
export function settingsKind({ settings, parts }: SettingsCase, fields: AnyFields): Kind {
  const names = parts ?? partsOf(fields);
  if (names.length === 0) throw new Error(`The case of ${settings} needs \`parts\`: no attribute takes any text, number or flag.`);
  const given = (name: string, value: Value): unknown => formOf(fields, name)?.(value);
  return {
    parts: names,
    hasManyParts: true,
    isOneObject: true,
    ...(names.some((name) => fields[name]?.dialects) ? { dialects: ["hashicorp"] } : {}),
    inputs: (declared) =>
      Object.fromEntries(
        [...declared].map(([name, value]) => {
          const plain = given(name, value);
          return [name, marked(value, value.isReference ? referenceTo(String(plain)) : plain)];
        }),
      ),
    // The provider writes a certificate with one newline at its end.
    held: (name, value) =>
      fields[name]?.writeOnly ? undefined : [`${settings}/${name}`, `${given(name, value)}${fields[name]?.compare === pem ? "\n" : ""}`],
  };
}
