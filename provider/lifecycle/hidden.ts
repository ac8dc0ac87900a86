import { AnyFields } from "../contract/definition";
import { Properties } from "./properties";
import { encryptedOutputs, formerInputs } from "./state";

// The names in the state that Pulumi stores. Pulumi shows no output whose name begins with two underscores, so what only the provider uses has such a name
// there, and its plain name in this package.

const prefix = "__";

/** The outputs of the life cycle. */
const own: readonly string[] = ["declared", "instance", "server", "outcomeUnknown", "partiallyUpdated", formerInputs];

/** True for an output that only the provider uses. A stored input is no secret to the user, who declared it. */
const isHidden = (fields: AnyFields, name: string): boolean => {
  const { stored, input } = fields[name] ?? {};
  return own.includes(name) || Boolean(stored && !input);
};

export const storedName = (fields: AnyFields, name: string): string => (isHidden(fields, name) ? prefix + name : name);

const renamed = (properties: Properties, nameOf: (name: string) => string): Properties =>
  Object.fromEntries(Object.entries(properties).map(([name, value]) => [nameOf(name), value]));

/** A state, or a part of it, under the names in Pulumi's state. */
export const toStored = (fields: AnyFields, state: Properties): Properties => renamed(state, (name) => storedName(fields, name));

/** The reverse of {@link toStored}. */
export const fromStored = (fields: AnyFields, stored: Properties): Properties =>
  renamed(stored, (name) => (name.startsWith(prefix) && isHidden(fields, name.slice(prefix.length)) ? name.slice(prefix.length) : name));

/** The names in Pulumi's state of the outputs that are always encrypted. */
export const encryptedNames = (fields: AnyFields): string[] => encryptedOutputs(fields).map((name) => storedName(fields, name));
