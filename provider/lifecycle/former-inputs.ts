import { isDeepStrictEqual } from "node:util";
import { Operation } from "../connection";
import { AnyFields } from "../definition";
import { namesWith } from "../fields";
import { valueAt } from "../inputs";
import { isObject } from "../text/json";
import { defined, fieldAt, Properties, setField } from "./properties";

// Pulumi encrypts an output only if an input of the same name is secret now, or if the output is listed as secret. A former secret that was removed from
// the program would be stored in plaintext as long as the server may hold it. The provider does not know which inputs are secret, so it moves every
// former value to one output that is always encrypted.

/** The output that holds former values. */
export const formerInputs = "formerInputs";

/** The outputs that are always encrypted. */
export const encryptedOutputs = (fields: AnyFields): string[] => [...namesWith(fields, "secretOutput"), formerInputs];

/** Splits a value, key by key, into a shown and a hidden part. A value that the program never declared is shown. */
function split(value: unknown, former: unknown, given: unknown): { shown: unknown; hidden: unknown } {
  if (isObject(value) && isObject(former)) {
    const shown: Properties = {};
    const hidden: Properties = {};
    for (const key of Object.keys(value)) {
      const part = split(value[key], valueAt(former, [key]), valueAt(given, [key]));
      if (part.shown !== undefined) shown[key] = part.shown;
      if (part.hidden !== undefined) hidden[key] = part.hidden;
    }
    const isEmpty = Object.keys(shown).length === 0 && Object.keys(value).length > 0 && given === undefined;
    return { shown: isEmpty ? undefined : shown, hidden: Object.keys(hidden).length > 0 ? hidden : undefined };
  }
  const isFromProgram = value !== undefined && former !== undefined && !isDeepStrictEqual(value, given);
  return isFromProgram ? { shown: given, hidden: value } : { shown: value, hidden: undefined };
}

/**
 * The properties with the declared values of these fields. Previously declared values that differ move to the output of former values. After two failed
 * updates in a row, the server may hold any of them.
 */
export function hideFormer(
  properties: Properties,
  fields: readonly string[],
  { former, given }: { former: Properties; given: Properties },
  equal: (field: string, a: unknown, b: unknown) => boolean,
): Properties {
  const { [formerInputs]: _, ...result } = properties;
  const hidden: Properties = {};
  for (const field of new Set(fields)) {
    if (equal(field, properties[field], given[field])) continue;
    const part = split(properties[field], former[field], given[field]);
    if (part.shown === undefined) delete result[field];
    else result[field] = part.shown;
    if (part.hidden !== undefined) hidden[field] = part.hidden;
  }
  return Object.keys(hidden).length > 0 ? { ...result, [formerInputs]: hidden } : result;
}

/** The properties with these fields moved to the output of former values. */
export function hideFields(properties: Properties, fields: readonly string[]): Properties {
  if (fields.length === 0) return properties;
  const shown: Properties = { ...properties };
  const hidden: Properties = {};
  for (const field of fields) {
    setField(hidden, field, fieldAt(properties, field));
    setField(shown, field, undefined);
  }
  return defined({ ...shown, [formerInputs]: hidden });
}

/** The state with the former values under their own names, as the server may hold them. */
export function withFormer(state: Properties): Properties {
  const { [formerInputs]: hidden, ...rest } = state;
  return isObject(hidden) ? (merged(rest, hidden) as Properties) : rest;
}

function merged(value: unknown, hidden: unknown): unknown {
  if (!isObject(value) || !isObject(hidden)) return hidden;
  return Object.fromEntries([...Object.entries(value), ...Object.entries(hidden).map(([key, inner]) => [key, merged(value[key], inner)])]);
}

const keyOf = (server: string, objects: readonly string[]): string => JSON.stringify(["former state", server, objects]);

/** Stores the state of a deleted resource: a later create of the same objects may be its replacement, which the engine does not tell. */
export function keepFormer({ server: { id: server }, run: { cache } }: Operation, objects: readonly string[], state: Properties): void {
  if (objects.length > 0) cache.set(keyOf(server, objects), state);
}

/** The state of these objects, if this run has deleted them. */
export const formerOf = ({ server: { id: server }, run: { cache } }: Operation, objects: readonly string[]): Properties =>
  (cache.get(keyOf(server, objects)) as Properties | undefined) ?? {};
