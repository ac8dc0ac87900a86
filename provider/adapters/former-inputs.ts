import { isDeepStrictEqual } from "node:util";
import { Properties } from "./properties";

// Pulumi encrypts an output only if an input of the same name is secret now, or if the output is listed as secret. A value that was secret and has left the
// program would be stored in clear text while a write of it is in doubt. Nobody tells the provider what is secret, so every former value moves to one output
// that is always encrypted.

/** The output that holds former values. @internal */
export const formerInputs = "formerInputs";

const isRecord = (value: unknown): value is Properties => typeof value === "object" && value !== null && !Array.isArray(value);

/** What of a value may stand under its own name, and what has to be hidden. Records are judged key by key; what was never ours is shown. */
function split(value: unknown, former: unknown, given: unknown): { shown: unknown; hidden: unknown } {
  if (isRecord(value) && isRecord(former)) {
    const shown: Properties = {};
    const hidden: Properties = {};
    for (const key of Object.keys(value)) {
      const part = split(value[key], former[key], isRecord(given) ? given[key] : undefined);
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

/** The state as the server may hold it: with the former values under their own names. @internal */
export function withFormer(state: Properties): Properties {
  const { [formerInputs]: hidden, ...rest } = state;
  return isRecord(hidden) ? (merged(rest, hidden) as Properties) : rest;
}

function merged(value: unknown, hidden: unknown): unknown {
  if (!isRecord(value) || !isRecord(hidden)) return hidden;
  return Object.fromEntries([...Object.entries(value), ...Object.entries(hidden).map(([key, inner]) => [key, merged(value[key], inner)])]);
}
