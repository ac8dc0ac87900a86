import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { AnyFields } from "../contract/definition";
import { comparisonOf, namesWith } from "../contract/fields";
import { SecretReference, unknown } from "../contract/inputs";
import {
  areEqual,
  fingerprintOf,
  isReference,
  isSameSecret,
  Reading,
  readReference,
  referenceName,
  Secret,
  StoredReference,
  secretOf,
  unreadable,
} from "../contract/secret";
import { isObject } from "../text/json";
import { Log, warnOnce } from "../text/log";
import { hasUnknown, Properties } from "./properties";

// Secrets by reference. Only the provider reads them. In the inputs and in the state, a reference has a fingerprint of its value, so that a changed value is
// a change. The class marks the whole input as a secret, so the engine encrypts the fingerprint with it.

/** Reads the secret of a field in the form in which it is sent. */
function readField(fields: AnyFields, name: string, reference: SecretReference): Reading {
  const { value, problem } = readReference(reference);
  return value === undefined ? { problem } : { value: (comparisonOf(fields, name).normalize?.(value) ?? value) as string };
}

/** The names of the secret fields whose values are references. */
const referencesIn = (fields: AnyFields, properties: Properties): string[] =>
  namesWith(fields, "secret").filter((name) => isReference(properties[name]));

/** The inputs with the values of their references. One that cannot be read, or whose name is unknown in a preview, is unknown. */
export function resolved(fields: AnyFields, inputs: Properties): Properties {
  const values = { ...inputs };
  for (const name of namesWith(fields, "secret")) {
    const value = inputs[name];
    if (isReference(value)) values[name] = readField(fields, name, value).value ?? unknown;
    else if (isObject(value) && hasUnknown(value)) values[name] = unknown;
  }
  return values;
}

/**
 * The inputs with a fingerprint in each reference. One that cannot be read keeps its last fingerprint, so that it is no change, and causes a warning. One
 * that already has a fingerprint comes from the state, because of `ignoreChanges`. `values`: the inputs with the values that were checked. `object`: what
 * the first salt is made from, so that the run of an update plan has the fingerprint of its preview.
 */
export function fingerprinted(
  log: Log,
  fields: AnyFields,
  inputs: Properties,
  last: Properties,
  values: Properties,
  object: string,
): Properties {
  const result = { ...inputs };
  const effect =
    Object.keys(last).length === 0
      ? "`pulumi up` fails to create the resource"
      : "a change of its value is not detected. `pulumi up` fails if it has to send the value";
  for (const name of referencesIn(fields, inputs)) {
    const [reference, compare] = [inputs[name] as StoredReference, comparisonOf(fields, name)];
    if (reference.fingerprint) continue;
    const before = last[name];
    const earlier = isReference(before) ? before : undefined;
    const checked = values[name];
    const { value, problem } = typeof checked === "string" && checked !== unknown ? { value: checked } : readField(fields, name, reference);
    if (problem) warnOnce(log, `${referenceName(reference)} ${problem}, so ${effect}.`);
    const isSame = earlier && isDeepStrictEqual({ ...earlier, fingerprint: undefined }, { ...reference, fingerprint: undefined });
    const first = `scrypt:${createHash("sha256").update(`${object} ${name}`).digest("base64")}:`;
    const fingerprint =
      value === undefined ? (isSame ? earlier.fingerprint : undefined) : fingerprintOf(compare, value, earlier?.fingerprint ?? first);
    result[name] = { ...reference, ...(fingerprint ? { fingerprint } : {}) };
  }
  return result;
}

/** Properties from the state or the program, as a definition receives them. */
export const received = (fields: AnyFields, properties: Properties): Properties =>
  eachSecret(fields, properties, (name, form) => {
    if (isReference(form)) return new Secret(form, () => readUnchanged(fields, name, form), name);
    return typeof form === "string" && form !== unknown ? secretOf(form) : form;
  });

/** Reads a reference, as long as it has the value that the state records. After an import, the state records none. */
function readUnchanged(fields: AnyFields, name: string, reference: StoredReference): Reading {
  const reading = readField(fields, name, reference);
  const isUnchanged = reading.problem || isSameSecret(comparisonOf(fields, name), reference, reading.value);
  return isUnchanged ? reading : { problem: "differs from the value on the server" };
}

/**
 * The properties that a definition returns, as the state has them. A secret that the program declares by reference is stored as one, also in the outputs
 * that are encrypted as a whole. `declared`: the inputs, as the state has them.
 */
export const recorded = (fields: AnyFields, properties: Properties, declared: Properties = {}): Properties =>
  eachSecret(fields, properties, (name, secret, isOutput) => {
    if (!(secret instanceof Secret)) return secret;
    const [form, reference, compare] = [secret.form(), declared[name], comparisonOf(fields, name)];
    if (!isReference(reference)) return form;
    if (isOutput) return areEqual(compare, reference, secret) ? reference : form;
    return isReference(form) ? form : { ...reference, fingerprint: fingerprintOf(compare, form, reference.fingerprint) };
  });

type Convert = (name: string, value: unknown, isOutput: boolean) => unknown;

/** The properties with another form of each secret, also of those in the outputs that are encrypted as a whole. */
function eachSecret(fields: AnyFields, properties: Properties, convert: Convert): Properties {
  const names = namesWith(fields, "secret");
  const mapped = (values: Properties, each: (name: string, value: unknown) => unknown): Properties =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, names.includes(name) ? each(name, value) : value]));
  const inOutput = (name: string, entry: unknown): unknown =>
    isObject(entry) && Object.hasOwn(entry, "value") ? { value: convert(name, entry.value, true) } : convert(name, entry, true);
  const result = mapped(properties, (name, value) => convert(name, value, false));
  for (const output of namesWith(fields, "secretOutput")) if (isObject(result[output])) result[output] = mapped(result[output], inOutput);
  return result;
}

/** The inputs of a write: as the state has them, with the fingerprints of the values that are sent, and as the definition receives them. */
export type Resolved = Record<"stored" | "inputs", Properties>;

/** Reads the references for a write. Throws if one that changed cannot be read. An unchanged one that cannot be read fails only if it is sent. */
export function resolveForWrite(fields: AnyFields, stored: Properties, state: Properties = {}): Resolved {
  const resolved: Resolved = { stored: { ...stored }, inputs: received(fields, stored) };
  const missing: (readonly [string, SecretReference, string])[] = [];
  for (const name of referencesIn(fields, stored)) {
    const [reference, compare] = [stored[name] as StoredReference, comparisonOf(fields, name)];
    if (isSameSecret(compare, state[name], reference)) continue;
    const reading = readField(fields, name, reference);
    if (reading.problem) missing.push([name, reference, reading.problem]);
    if (reading.value === undefined) continue;
    // The value may have changed since the check.
    const form = { ...reference, fingerprint: fingerprintOf(compare, reading.value, reference.fingerprint) };
    resolved.stored[name] = form;
    resolved.inputs[name] = new Secret(form, () => reading);
  }
  if (missing.length > 0) throw unreadable(missing);
  return resolved;
}
