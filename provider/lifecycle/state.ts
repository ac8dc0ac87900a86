import { AnyFields } from "../contract/definition";
import { namesWith } from "../contract/fields";
import { Operation } from "../contract/operation";
import { isObject } from "../text/json";
import { declaredIn, isEqual } from "./changes";
import { defined, Properties } from "./properties";

// The properties that the engine stores.
//
// Pulumi encrypts an output only if an input of the same name is secret now, or if the output is listed as secret. A former secret that was removed from
// the program would be stored in plaintext as long as the server may have it. A dynamic provider cannot know which inputs were secret, since a transform
// of the stack can make any of them secret. So every former value moves to one output that is always encrypted.

/** The output with the former values. */
export const formerInputs = "formerInputs";

/** The outputs that are always encrypted. */
export const encryptedOutputs = (fields: AnyFields): string[] => [...namesWith(fields, "secretOutput"), formerInputs];

/** The properties to store: inputs and state, with the server, the declared fields and the instance. */
export const stored = ({ server, instance }: Operation, inputs: Properties, state: Properties): Properties =>
  defined({ ...inputs, ...state, server: server.id, declared: Object.keys(inputs), instance });

/** If the outcome is unknown, fills in declared values missing from the properties, because a refresh encrypts only values that were encrypted before. */
export const fillUnknown = (properties: Properties, inputs: Properties): Properties =>
  properties.outcomeUnknown ? { ...inputs, ...properties } : properties;

/** The state with the former values under their own names, as the server may have them. */
export function withFormer(state: Properties): Properties {
  const { [formerInputs]: hidden, ...rest } = state;
  return isObject(hidden) ? { ...rest, ...hidden } : rest;
}

/** The last declared values, including those in the output of former values. */
export function formerValues(state: Properties): Properties {
  const all = withFormer(state);
  const hidden = Object.keys(state[formerInputs] ?? {});
  return Object.fromEntries([...declaredIn(state), ...hidden].map((field) => [field, all[field]]));
}

/** Hides each value that was removed from the program, but that the server still has. `declared`: the fields that the program declares now. */
export function hideRetained(fields: AnyFields, properties: Properties, state: Properties, declared: readonly string[]): Properties {
  const former = formerValues(state);
  const visible = [...declared, ...namesWith(fields, "secret")];
  const isRetained = (field: string): boolean => !visible.includes(field) && isEqual(fields, field, properties[field], former[field]);
  return hide(properties, Object.keys(former).filter(isRetained));
}

/** Moves the values of these fields to the output of former values, and replaces them with those in `visible`. */
function hide(properties: Properties, names: readonly string[], visible: Properties = {}): Properties {
  const hidden = defined(Object.fromEntries(names.map((field) => [field, properties[field]])));
  const shown = Object.fromEntries(Object.keys(hidden).map((field) => [field, visible[field]]));
  return defined({ ...properties, ...shown, [formerInputs]: Object.keys(hidden).length > 0 ? hidden : undefined });
}

/**
 * After a partial update, hides each value that the program declared earlier but not now. After two failed updates in a row, the server may have any of
 * them.
 */
export function hidePrevious(fields: AnyFields, properties: Properties, state: Properties, inputs: Properties): Properties {
  const isOther = (field: string): boolean => !isEqual(fields, field, properties[field], inputs[field]);
  return hide(properties, Object.keys(formerValues(state)).filter(isOther), inputs);
}

/** The first object stays the same if only others change, such as the certificate of the SAML settings. */
const keyOf = (server: string, [object]: readonly string[]): string => JSON.stringify(["deleted state", server, object]);

/** Keeps the state of a deleted resource: a later create of the same objects may be its replacement, which the engine does not tell. */
export function keepDeleted({ server: { id: server }, run: { cache } }: Operation, objects: readonly string[], state: Properties): void {
  if (objects.length > 0) cache.set(keyOf(server, objects), state);
}

/** The state of these objects, if this run has deleted them. */
export const deletedState = ({ server: { id: server }, run: { cache } }: Operation, objects: readonly string[]): Properties =>
  (cache.get(keyOf(server, objects)) as Properties | undefined) ?? {};
