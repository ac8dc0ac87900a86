import { isDeepStrictEqual } from "node:util";
import { Connection } from "../connection";
import { AnyFields } from "../definition";
import { namesWith } from "../fields";
import { isObject } from "../json";
import { defined, fieldAt, Properties, put } from "./properties";

// Pulumi encrypts an output only if an input of the same name is secret now, or if the output is listed as secret. A value that was secret and has left the
// program would be stored in clear text while a write of it is in doubt, or as long as the server goes on holding it. The provider does not know which
// inputs are secret, so every former value moves to one output that is always encrypted.

/** The output that holds former values. @internal */
export const formerInputs = "formerInputs";

/** The outputs that are encrypted whatever the inputs are. @internal */
export const encryptedOutputs = (fields: AnyFields): string[] => [...namesWith(fields, "secretOutput"), formerInputs];

/** Splits a value into the part that is shown under its own name and the part that is hidden, key by key. A value that the program never gave is shown. */
function split(value: unknown, former: unknown, given: unknown): { shown: unknown; hidden: unknown } {
  if (isObject(value) && isObject(former)) {
    const shown: Properties = {};
    const hidden: Properties = {};
    for (const key of Object.keys(value)) {
      const part = split(value[key], former[key], isObject(given) ? given[key] : undefined);
      if (part.shown !== undefined) shown[key] = part.shown;
      if (part.hidden !== undefined) hidden[key] = part.hidden;
    }
    const isEmpty = Object.keys(shown).length === 0 && Object.keys(value).length > 0 && given === undefined;
    return { shown: isEmpty ? undefined : shown, hidden: Object.keys(hidden).length > 0 ? hidden : undefined };
  }
  const isOurs = value !== undefined && former !== undefined && !isDeepStrictEqual(value, given);
  return isOurs ? { shown: given, hidden: value } : { shown: value, hidden: undefined };
}

/**
 * The properties with what the program gives in the place of every other value of these fields, which move to an output of their own. After two failed
 * updates in a row the server may hold the values of any of them.
 * @internal
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

/** The properties without these fields, which move to the output of former values. @internal */
export function hideFields(properties: Properties, fields: readonly string[]): Properties {
  if (fields.length === 0) return properties;
  const shown: Properties = { ...properties };
  const hidden: Properties = {};
  for (const field of fields) {
    put(hidden, field, fieldAt(properties, field));
    put(shown, field, undefined);
  }
  return defined({ ...shown, [formerInputs]: hidden });
}

/** The state as the server may hold it: with the former values under their own names. @internal */
export function withFormer(state: Properties): Properties {
  const { [formerInputs]: hidden, ...rest } = state;
  return isObject(hidden) ? (merged(rest, hidden) as Properties) : rest;
}

function merged(value: unknown, hidden: unknown): unknown {
  if (!isObject(value) || !isObject(hidden)) return hidden;
  return Object.fromEntries([...Object.entries(value), ...Object.entries(hidden).map(([key, inner]) => [key, merged(value[key], inner)])]);
}

const keyOf = (server: string, objects: readonly string[]): string => JSON.stringify(["former state", server, objects]);

/** Keeps the state of a deletion: a creation of the same objects in this run may be its replacement, of which the engine tells nothing else. @internal */
export function keepFormer({ cache, server }: Connection, objects: readonly string[], state: Properties): void {
  if (objects.length > 0) cache.set(keyOf(server, objects), state);
}

/** The state of what this run has deleted of these objects. @internal */
export const formerOf = ({ cache, server }: Connection, objects: readonly string[]): Properties =>
  (cache.get(keyOf(server, objects)) as Properties | undefined) ?? {};
