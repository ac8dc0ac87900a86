import { createHash, randomBytes, scryptSync } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { isVariableName } from "../connection/credentials";
import { AnyFields } from "../contract/definition";
import { CheckFailure, invalidInput } from "../contract/errors";
import { comparisonOf, namesWith } from "../contract/fields";
import { SecretReference, unknown, valueAt } from "../contract/inputs";
import { isObject } from "../text/json";
import { Log, warnOnce } from "../text/log";
import { hasUnknown, isReference, Properties, StoredReference } from "./properties";

// Secrets by reference. Only the provider reads them. In the inputs and in the state, a reference has a fingerprint of its value, so that a changed value is
// a change. The class marks the whole input as a secret, so the engine encrypts the fingerprint with it.

/** In bytes. */
const longestFile = 64 * 1024;

/** `the variable SMTP_PASSWORD`. Omits a name that may itself be a misplaced secret. */
export function referenceName(reference: SecretReference): string {
  if ("env" in reference) return isVariableName(reference.env) ? `the variable ${reference.env}` : "the variable of a reference";
  return /[/.]/.test(reference.file) ? `the file ${reference.file}` : "the file of a reference";
}

/** The value of a secret, or why it cannot be read. */
export type Reading = { value: string; problem?: undefined } | { value?: undefined; problem: string };

/** Reads a secret. Follows symbolic links, and drops one newline at the end. */
export function readReference(reference: SecretReference): Reading {
  if ("env" in reference) {
    const value = Object.hasOwn(process.env, reference.env) ? process.env[reference.env] : undefined;
    return value ? { value: withoutNewline(value) } : { problem: "is not set" };
  }
  try {
    const file = statSync(reference.file);
    // Reading a named pipe would block.
    if (!file.isFile()) return { problem: "is not a regular file" };
    if (file.size > longestFile) return { problem: "is larger than 64 KB" };
    const value = withoutNewline(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(reference.file)));
    // PowerShell writes UTF-16, or a byte order mark, which would be a part of the secret.
    if (/^\uFEFF|\0/.test(value)) return { problem: notText };
    return value ? { value } : { problem: "is empty" };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return { problem: notText };
    return { problem: code === "ENOENT" ? "does not exist" : `cannot be read (${code})` };
  }
}

/** Reads the secret of a field in the form in which it is sent. */
function readField(fields: AnyFields, name: string, reference: SecretReference): Reading {
  const { value, problem } = readReference(reference);
  return value === undefined ? { problem } : { value: (comparisonOf(fields, name).normalize?.(value) ?? value) as string };
}

const withoutNewline = (text: string): string => text.replace(/\r?\n$/, "");
const notText = "is not UTF-8 text without a byte order mark";

/** Each fingerprint takes about 50 ms of CPU time, so a value gets a new one only once in a process. */
const fingerprints = new Map<string, string>();

/** A fingerprint, with the salt of an earlier one if there is one. */
function fingerprintOf(fields: AnyFields, name: string, secret: string, earlier?: string): string {
  const { key = String } = comparisonOf(fields, name);
  const value = key(secret);
  const salt = /^scrypt:([^:]+):/.exec(earlier ?? "")?.[1] ?? randomBytes(16).toString("base64");
  const cacheKey = `${salt} ${value}`;
  const fingerprint = fingerprints.get(cacheKey) ?? `scrypt:${salt}:${scryptSync(value, salt, 32).toString("base64")}`;
  fingerprints.set(cacheKey, fingerprint);
  return fingerprint;
}

/** True if two forms of a secret, values or references, have the same value. */
export function isSameSecret(fields: AnyFields, name: string, a: unknown, b: unknown): boolean {
  if (a instanceof HiddenSecret) return isSameSecret(fields, name, a.reference, b);
  if (b instanceof HiddenSecret) return isSameSecret(fields, name, a, b.reference);
  if (isReference(a) && isReference(b)) return a.fingerprint !== undefined && a.fingerprint === b.fingerprint;
  if (isReference(b)) return isSameSecret(fields, name, b, a);
  return isReference(a) && typeof b === "string" && a.fingerprint === fingerprintOf(fields, name, b, a.fingerprint);
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

/** The value of a reference that cannot be read, or that the server has and the program does not. It fails when it is sent. */
export class HiddenSecret {
  constructor(
    readonly name: string,
    readonly reference: SecretReference,
  ) {}

  toJSON(): never {
    throw unreadable([[this.name, this.reference]]);
  }
}

const unreadable = (references: readonly (readonly [name: string, reference: SecretReference])[]): Error =>
  invalidInput(
    references.map(([name, reference]): CheckFailure => {
      const { problem = "differs from the value on the server" } = readReference(reference);
      return { path: name, rule: "reference", reason: `${referenceName(reference)} ${problem}` };
    }),
    { hint: "Set it in the environment of `pulumi up`. Nothing was sent." },
  );

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
