import { isDeepStrictEqual } from "node:util";
import { Properties } from "./properties";

// Pulumi encrypts an output only if an input of the same name is secret now, or if the output is listed as secret. A value that was secret and has left the
// program would be stored in clear text while a write of it is in doubt. Nobody tells the provider what is secret, so every former value moves to one output
// that is always encrypted.

/** The output that holds former values. @internal */
export const formerInputs = "formerInputs";

const isRecord = (value: unknown): value is Properties => typeof value === "object" && value !== null && !Array.isArray(value);

const leavesOf = (value: unknown): unknown[] =>
  typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [value];

/** Whether a value shows something of a former one that the program does not give any more. */
function reveals(value: unknown, former: unknown, given: unknown): boolean {
  if (value === undefined || former === undefined || isDeepStrictEqual(value, given)) return false;
  if (isDeepStrictEqual(value, former)) return true;
  const now = new Set(leavesOf(given));
  const gone = leavesOf(former).filter((leaf): leaf is string => typeof leaf === "string" && leaf !== "" && !now.has(leaf));
  const shown = leavesOf(value).filter((leaf) => typeof leaf === "string" && !now.has(leaf)) as string[];
  // A server adds blanks and words of its own; a short text may stand inside any other by chance.
  return gone.some((leaf) => shown.some((text) => text === leaf || (leaf.trim().length >= 4 && text.includes(leaf.trim()))));
}

/** What of a value may stand under its own name, and what has to be hidden. Records are judged key by key. */
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
  return reveals(value, former, given) ? { shown: given, hidden: value } : { shown: value, hidden: undefined };
}

/** The properties with what the program gives in the place of every former value, which move to an output of their own. @internal */
export function hideFormer(
  properties: Properties,
  former: Properties,
  given: Properties,
  equal: (field: string, a: unknown, b: unknown) => boolean,
): Properties {
  const { [formerInputs]: _, ...result } = properties;
  const hidden: Properties = {};
  for (const field of Object.keys(former)) {
    const [value, before, now] = [properties[field], former[field], given[field]];
    const isFormer = before !== undefined && equal(field, value, before) && !equal(field, value, now);
    const part = isFormer && !isRecord(value) ? { shown: now, hidden: value } : split(value, before, now);
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
