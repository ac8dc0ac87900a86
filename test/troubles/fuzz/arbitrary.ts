import * as fc from "fast-check";
import { AnyDefinition } from "../../../provider/contract/definition";
import { namesWith } from "../../../provider/contract/fields";
import { unknown } from "../../../provider/contract/inputs";
import { resolved } from "../../../provider/lifecycle/references";
import { isObject } from "../../../provider/text/json";
import { caseOf, cases } from "../../cases";
import { isIn, withReferences } from "../../cases/case";
import { holdingOutputs, secretFields } from "../../support/definitions";
import { anything, name, stringsIn } from "./values";

export type Properties = Record<string, unknown>;

/** Marks every string inside as a secret that no message contains by chance. */
function secretly(value: unknown): unknown {
  if (typeof value === "string") return value === unknown ? value : `canary-of-a-secret-${value}`;
  if (Array.isArray(value)) return value.map(secretly);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, secretly(inner)])) : value;
}

/** The strings in secret fields, and in JSON inside them, that are too long to be found by chance. */
export function secretsIn(definition: AnyDefinition, inputs: Properties): string[] {
  const texts = (value: unknown): string[] =>
    typeof value === "string"
      ? [value, ...stringsIn(value)]
      : typeof value === "object" && value !== null
        ? Object.values(value).flatMap(texts)
        : [];
  const given = resolved(definition.fields, inputs);
  const values = [...secretFields(definition), ...holdingOutputs(definition)].flatMap((path) => {
    const [field = "", key] = path.split(".");
    const value = Object.hasOwn(given, field) ? given[field] : undefined;
    return texts(key === undefined ? value : isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined);
  });
  return values.filter((value) => value.length >= 16 && value !== unknown);
}

/** A valid value for each input, by its name. A name has the same meaning in all definitions. */
export const fitting: Record<string, fc.Arbitrary<unknown>> = Object.assign(
  {
    mount: fc.constantFrom("scheduler", "/team/scheduler/", "a b"),
    adopt: fc.boolean(),
    connection: fc.constantFrom("default", "real", "real"),
  },
  ...cases.map(({ arbitraries }) => arbitraries),
);

export const fieldsOf = ({ fields }: AnyDefinition): string[] => namesWith(fields, "input");

/** Inputs that one resource of the rekey passes to the next. A program never writes them. */
const handed = ["attempt", "submission", "shareReferences", "shareFindings"];
const isHanded = ({ token }: AnyDefinition, field: string): boolean => token.startsWith("secrets:Rekey") && handed.includes(field);
/** Inputs that are always required. */
const isNeeded = ({ token, fields }: AnyDefinition, field: string): boolean =>
  field === "connection" || fields[field]?.required === true || (caseOf(token).needed ?? []).includes(field);

/** Inputs in which each field is valid or absent, and each secret a value or a reference. */
export function fittingInputs(definition: AnyDefinition): fc.Arbitrary<Properties> {
  // An attribute of Terraform Enterprise is invalid in the dialect of "default".
  const fields = fieldsOf(definition).filter((field) => !definition.fields[field]?.dialects);
  const requiredKeys = fields.filter((field) => isNeeded(definition, field) || isHanded(definition, field));
  const values = fields.map((field) => [field, fitting[field] as fc.Arbitrary<unknown>]);
  // The dialect of "default" is standard.
  const connection = isIn("standard")(definition) ? {} : { connection: fc.constant("real") };
  const inputs: fc.Arbitrary<Properties> = fc.record({ ...Object.fromEntries(values), ...connection }, { requiredKeys });
  // The shares of a rekey have their own references.
  if (definition.token.startsWith("secrets:Rekey")) return inputs;
  return fc
    .tuple(inputs, fc.subarray<string>(secretFields(definition)))
    .map(([given, names]) => withReferences(definition.fields, given, names));
}

/** Any inputs: valid fields, invalid ones, and unknown ones. */
export function anyInputs(definition: AnyDefinition): fc.Arbitrary<Properties> {
  const fields = fieldsOf(definition).filter((field) => !isHanded(definition, field));
  const wrong = (field: string): fc.Arbitrary<unknown> => (secretFields(definition).includes(field) ? anything.map(secretly) : anything);
  const someWrong = fc
    .subarray(fields, { maxLength: Math.min(fields.length, 2) })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((field) => [field, wrong(field)]))));
  const others = fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, fc.dictionary(name, anything, { maxKeys: 3 }));
  return fc.tuple(fittingInputs(definition), someWrong, others).map(([fit, misfits, more]) => ({ ...more, ...fit, ...misfits }));
}
