import { isDeepStrictEqual } from "node:util";
import { Operation } from "../connection";
import { AnyDefinition, AnyFields } from "../definition";
import { namesWith } from "../fields";
import { valueAt } from "../inputs";
import { isObject } from "../text/json";
import { declaredIn, isEqual, namesIn } from "./changes";
import { defined, fieldAt, isReference, Properties, setField } from "./properties";

// The properties that the engine stores.
//
// Pulumi encrypts an output only if an input of the same name is secret now, or if the output is listed as secret. A former secret that was removed from
// the program would be stored in plaintext as long as the server may have it. A dynamic provider cannot know which inputs were secret, since a transform
// of the stack can make any of them secret. So every former value moves to one output that is always encrypted.

/** The output with the former values. */
export const formerInputs = "formerInputs";

/** The outputs that are always encrypted. */
export const encryptedOutputs = (fields: AnyFields): string[] => [...namesWith(fields, "secretOutput"), formerInputs];

type Typed = Pick<AnyDefinition, "fields">;

/** The properties to store: inputs and state, with the server, the declared fields and the instance. */
export const stored = ({ fields }: Typed, { server, instance }: Operation, inputs: Properties, state: Properties): Properties =>
  defined({ ...inputs, ...state, server: server.id, declared: namesIn(fields, inputs), instance });

/** If the outcome is unknown, fills in declared values missing from the properties, because a refresh encrypts only values that were encrypted before. */
export function fillUnknown({ fields }: Typed, properties: Properties, inputs: Properties): Properties {
  if (properties.outcomeUnknown)
    for (const field of namesIn(fields, inputs))
      if (fieldAt(properties, field) === undefined) setField(properties, field, fieldAt(inputs, field));
  return properties;
}

/** The state with the former values under their own names, as the server may have them. */
export function withFormer(state: Properties): Properties {
  const { [formerInputs]: hidden, ...rest } = state;
  return isObject(hidden) ? (merged(rest, hidden) as Properties) : rest;
}

function merged(value: unknown, hidden: unknown): unknown {
  if (!isObject(value) || !isObject(hidden) || isReference(value) || isReference(hidden)) return hidden;
  return Object.fromEntries([...Object.entries(value), ...Object.entries(hidden).map(([key, inner]) => [key, merged(value[key], inner)])]);
}

/** The last declared values, including those in the output of former values. */
export function formerValues({ fields }: Typed, state: Properties): Properties {
  const all = withFormer(state);
  const former: Properties = {};
  for (const field of [...declaredIn(state), ...namesIn(fields, (state[formerInputs] as Properties | undefined) ?? {})])
    setField(former, field, fieldAt(all, field));
  return former;
}

/** Hides each value that was removed from the program, but that the server still has. `declared`: the fields that the program declares now. */
export function hideRetained({ fields }: Typed, properties: Properties, state: Properties, declared: readonly string[]): Properties {
  const former = formerValues({ fields }, state);
  const secrets = namesWith(fields, "secret");
  const isRetained = (field: string): boolean => {
    const value = fieldAt(properties, field);
    return value !== undefined && isEqual(fields, field, value, fieldAt(former, field));
  };
  const retained = namesIn(fields, former).filter((field) => !declared.includes(field) && !secrets.includes(field) && isRetained(field));
  if (retained.length === 0) return properties;
  const visible: Properties = { ...properties };
  const hidden: Properties = {};
  for (const field of retained) {
    setField(hidden, field, fieldAt(properties, field));
    setField(visible, field, undefined);
  }
  return defined({ ...visible, [formerInputs]: hidden });
}

/**
 * After a partial update, hides each value that the program declared earlier but not now. After two failed updates in a row, the server may have any of
 * them.
 */
export function hidePrevious({ fields }: Typed, properties: Properties, state: Properties, inputs: Properties): Properties {
  const former = formerValues({ fields }, state);
  const { [formerInputs]: _, ...result } = properties;
  const hidden: Properties = {};
  for (const field of Object.keys(former)) {
    if (isEqual(fields, field, properties[field], inputs[field])) continue;
    const part = split(properties[field], former[field], inputs[field]);
    if (part.visible === undefined) delete result[field];
    else result[field] = part.visible;
    if (part.hidden !== undefined) hidden[field] = part.hidden;
  }
  return Object.keys(hidden).length > 0 ? { ...result, [formerInputs]: hidden } : result;
}

/** Splits a value, key by key, into a visible and a hidden part. A value that the program never declared is visible. */
function split(value: unknown, former: unknown, input: unknown): { visible: unknown; hidden: unknown } {
  if (isObject(value) && isObject(former) && !isReference(value) && !isReference(former)) {
    const visible: Properties = {};
    const hidden: Properties = {};
    for (const key of Object.keys(value)) {
      const part = split(value[key], valueAt(former, [key]), valueAt(input, [key]));
      if (part.visible !== undefined) visible[key] = part.visible;
      if (part.hidden !== undefined) hidden[key] = part.hidden;
    }
    const isEmpty = Object.keys(visible).length === 0 && Object.keys(value).length > 0 && input === undefined;
    return { visible: isEmpty ? undefined : visible, hidden: Object.keys(hidden).length > 0 ? hidden : undefined };
  }
  const isFromProgram = value !== undefined && former !== undefined && !isDeepStrictEqual(value, input);
  return isFromProgram ? { visible: input, hidden: value } : { visible: value, hidden: undefined };
}

const keyOf = (server: string, objects: readonly string[]): string => JSON.stringify(["deleted state", server, objects]);

/** Keeps the state of a deleted resource: a later create of the same objects may be its replacement, which the engine does not tell. */
export function keepDeleted({ server: { id: server }, run: { cache } }: Operation, objects: readonly string[], state: Properties): void {
  if (objects.length > 0) cache.set(keyOf(server, objects), state);
}

/** The state of these objects, if this run has deleted them. */
export const deletedState = ({ server: { id: server }, run: { cache } }: Operation, objects: readonly string[]): Properties =>
  (cache.get(keyOf(server, objects)) as Properties | undefined) ?? {};
