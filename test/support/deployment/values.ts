import { isDeepStrictEqual } from "node:util";
import { JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";

// Values in the engine: some are marked as secret, and some refer to other resources.

export type Properties = Record<string, unknown>;

/** Encodes values like the protocol of the engine. Throws if it cannot, such as for an undefined value in an object. */
export const wire = <T extends object>(value: T): T => Struct.fromJavaScript(value as Record<string, JavaScriptValue>).toJavaScript() as T;

/** A value that is stored encrypted. */
export class Secret {
  constructor(readonly value: unknown) {}
}

/** An output of another resource of the program. */
export class Reference {
  constructor(
    readonly resource: string,
    readonly output: string,
  ) {}
}

/** The engine's placeholder for a value that a preview cannot know. */
export const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export const isObject = (value: unknown): value is Properties =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Secret) && !(value instanceof Reference);

/** Copies a value. `change` may return a replacement for each part. */
export function transform(value: unknown, change: (part: unknown) => { value: unknown } | undefined): unknown {
  const changed = change(value);
  if (changed) return changed.value;
  if (Array.isArray(value)) return value.map((item) => transform(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, inner]) => [name, transform(inner, change)] as const)
      .filter(([, inner]) => inner !== undefined),
  );
}

/** The value without marks, as a provider that accepts no secrets receives it. */
export const plain = <T>(value: T): T =>
  transform(value, (part) => (part instanceof Secret ? { value: plain(part.value) } : undefined)) as T;

/** The value without unknown parts, if the engine may not send them. */
export const known = <T>(value: T): T => transform(value, (part) => (part === unknown ? { value: undefined } : undefined)) as T;

export function referencesIn(value: unknown): string[] {
  if (value instanceof Reference) return [value.resource];
  if (value instanceof Secret) return referencesIn(value.value);
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  return isObject(value) ? Object.values(value).flatMap(referencesIn) : [];
}

const hasSecret = (value: unknown): boolean =>
  value instanceof Secret || (Array.isArray(value) ? value.some(hasSecret) : isObject(value) && Object.values(value).some(hasSecret));

/** The engine's annotateSecrets: marks a value as secret if it was secret under the same name. */
export function annotated(values: Properties, marked: Properties): Properties {
  const result = { ...values };
  for (const [name, mark] of Object.entries(marked)) {
    const value = result[name];
    if (value === undefined) continue;
    if (isObject(value) && isObject(mark)) result[name] = annotated(value, mark);
    else if (hasSecret(mark)) result[name] = value instanceof Secret ? value : new Secret(value);
  }
  return result;
}

/** Marks the outputs of each step as the engine does: additional secret outputs, and those with the name of a secret input. */
export function marked(outputs: Properties, inputs: Properties, secretOutputs: readonly string[]): Properties {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => {
      const isSecret = secretOutputs.includes(name) || inputs[name] instanceof Secret;
      return [name, isSecret && !(value instanceof Secret) ? new Secret(value) : value];
    }),
  );
}

/** The value as the backend writes it, with secrets unreadable. */
export const sealed = (value: unknown): unknown => transform(value, (part) => (part instanceof Secret ? { value: "[secret]" } : undefined));

export const same = (one: unknown, other: unknown): boolean => isDeepStrictEqual(plain(one), plain(other));
