import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { AnyFields } from "../contract/definition";
import { comparisonOf, namesWith } from "../contract/fields";
import { SecretReference, unknown, valueAt } from "../contract/inputs";
import {
  fingerprintOf,
  HiddenSecret,
  isReference,
  isSameSecret,
  Reading,
  readReference,
  referenceName,
  StoredReference,
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
    const reference = inputs[name] as StoredReference;
    if (reference.fingerprint) continue;
    const before = last[name];
    const earlier = isReference(before) ? before : undefined;
    const checked = values[name];
    const { value, problem } = typeof checked === "string" && checked !== unknown ? { value: checked } : readField(fields, name, reference);
    if (problem) warnOnce(log, `${referenceName(reference)} ${problem}, so ${effect}.`);
    const isSame = earlier && isDeepStrictEqual({ ...earlier, fingerprint: undefined }, { ...reference, fingerprint: undefined });
    const first = `scrypt:${createHash("sha256").update(`${object} ${name}`).digest("base64")}:`;
    const fingerprint =
      value === undefined ? (isSame ? earlier.fingerprint : undefined) : fingerprintOf(fields, name, value, earlier?.fingerprint ?? first);
    result[name] = { ...reference, ...(fingerprint ? { fingerprint } : {}) };
  }
  return result;
}

/** The inputs of a write with the values of their references, and the way back to references. */
export type Resolved = ReturnType<typeof resolveForWrite>;

/**
 * Reads the references for a write. Throws if one that changed cannot be read. An unchanged one that cannot be read fails only if it is sent.
 */
export function resolveForWrite(fields: AnyFields, inputs: Properties, state: Properties = {}) {
  const names = referencesIn(fields, inputs);
  const references = new Map(names.map((name) => [name, inputs[name] as StoredReference]));
  const [values, stored] = [{ ...inputs }, { ...inputs }];
  const missing: (readonly [string, SecretReference])[] = [];
  for (const [name, reference] of references) {
    const { value } = readField(fields, name, reference);
    const isUnchanged = isSameSecret(fields, name, state[name], reference);
    if (value === undefined && !isUnchanged) missing.push([name, reference]);
    // The value may have changed since the check, and with `ignoreChanges` the check did not take a new one.
    const isOther = value !== undefined && isUnchanged && !isSameSecret(fields, name, reference, value);
    values[name] = value === undefined || isOther ? new HiddenSecret(name, reference) : value;
    if (value !== undefined && !isUnchanged)
      stored[name] = { ...reference, fingerprint: fingerprintOf(fields, name, value, reference.fingerprint) };
  }
  if (missing.length > 0) throw unreadable(missing);
  return {
    inputs: values,
    /** The inputs to store, with the fingerprints of the values that are sent. */
    stored,
    /** The state with each reference that the program declares in place of the secret. */
    conceal: (result: Properties) => conceal(fields, result, names, values, stored),
  };
}

/** Replaces each secret that the program declares by reference, also in the outputs that are encrypted as a whole. */
function conceal(fields: AnyFields, state: Properties, names: string[], values: Properties, stored: Properties): Properties {
  const result = withoutHidden(state) as Properties;
  for (const name of names) {
    const reference = stored[name] as StoredReference;
    const current = state[name];
    if (current !== undefined) result[name] = concealed(fields, name, reference, result[name]);
    for (const output of namesWith(fields, "secretOutput")) {
      const entry = valueAt(state[output], [name]);
      const value = isObject(entry) && "value" in entry ? entry.value : entry;
      if (value !== values[name] && !isSameSecret(fields, name, reference, value)) continue;
      result[output] = { ...(result[output] as Properties), [name]: value === entry ? reference : { value: reference } };
    }
  }
  return result;
}

const withoutHidden = (value: unknown): unknown => {
  if (value instanceof HiddenSecret) return value.reference;
  if (Array.isArray(value)) return value.map(withoutHidden);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutHidden(inner)])) : value;
};

const concealed = (fields: AnyFields, name: string, reference: StoredReference, value: unknown): unknown =>
  typeof value === "string" ? { ...reference, fingerprint: fingerprintOf(fields, name, value, reference.fingerprint) } : value;

/** The state after a read, with the references of the last state in place of the values that the server returns. */
export function concealRead(fields: AnyFields, state: Properties, last: Properties): Properties {
  const result = { ...state };
  for (const name of referencesIn(fields, last)) {
    const current = state[name];
    if (current !== undefined) result[name] = concealed(fields, name, last[name] as StoredReference, current);
  }
  return result;
}

/** The last state for a write: an unchanged secret has the value of the inputs, and any other differs from each value. */
export function exposed(fields: AnyFields, state: Properties, inputs: Properties, values: Properties): Properties {
  const result = { ...state };
  for (const name of referencesIn(fields, { ...inputs, ...state })) {
    const reference = state[name];
    const isUnchanged = isSameSecret(fields, name, reference, inputs[name]);
    if (isReference(reference)) result[name] = isUnchanged ? values[name] : new HiddenSecret(name, reference);
  }
  return result;
}
