import { randomBytes, scryptSync } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { inspect } from "node:util";
import { isObject } from "../text/json";
import { Comparison } from "./comparison";
import { CheckFailure, invalidInput } from "./errors";
import { hasHalfPair, SecretReference, unknown } from "./inputs";

// Secrets by reference. Only the provider reads them. In the inputs and in the state, a reference has a fingerprint of its value.

/** A secret by reference, as checked inputs and the state have it. */
export type StoredReference = SecretReference & { fingerprint?: string };

export const isReference = (value: unknown): value is StoredReference =>
  isObject(value) &&
  /^(env|file)$/.test(
    Object.keys(value)
      .filter((key) => key !== "fingerprint")
      .join(),
  ) &&
  Object.values(value).every((part) => typeof part === "string" && part !== "" && part !== unknown && !hasHalfPair(part));

/** True for the conventional form of variable names, which tokens rarely have. */
export const isVariableName = (name: string): boolean => /^[A-Z]+\d{0,2}(_[A-Z]+\d{0,2}|_\d{1,2})*$/.test(name);

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

const withoutNewline = (text: string): string => text.replace(/\r?\n$/, "");
const notText = "is not UTF-8 text without a byte order mark";

/** Each fingerprint takes about 50 ms of CPU time, so a value gets a new one only once in a process. */
const fingerprints = new Map<string, string>();

/** A fingerprint, with the salt of an earlier one if there is one. */
export function fingerprintOf({ key = String }: Comparison, secret: string, earlier?: string): string {
  const value = key(secret);
  const salt = /^scrypt:([^:]+):/.exec(earlier ?? "")?.[1] ?? randomBytes(16).toString("base64");
  const cacheKey = `${salt} ${value}`;
  const fingerprint = fingerprints.get(cacheKey) ?? `scrypt:${salt}:${scryptSync(value, salt, 32).toString("base64")}`;
  fingerprints.set(cacheKey, fingerprint);
  return fingerprint;
}

/** True if two forms of a secret, of which one is a reference, have the same value. */
export function isSameSecret(compare: Comparison, a: unknown, b: unknown): boolean {
  if (isReference(a) && isReference(b)) return a.fingerprint !== undefined && a.fingerprint === b.fingerprint;
  if (isReference(b)) return isSameSecret(compare, b, a);
  return isReference(a) && typeof b === "string" && a.fingerprint === fingerprintOf(compare, b, a.fingerprint);
}

/** True for equivalent values of a field, which may be secrets. */
export function areEqual(compare: Comparison, a: unknown, b: unknown): boolean {
  const [x, y] = [a, b].map((each) => (each instanceof Secret ? (each.reading().value ?? each.form()) : each));
  return compare.equal(x, y) || isSameSecret(compare, x, y);
}

export const unreadable = (problems: readonly (readonly [name: string, reference: SecretReference, problem: string])[]): Error =>
  invalidInput(
    problems.map(
      ([path, reference, problem]): CheckFailure => ({ path, rule: "reference", reason: `${referenceName(reference)} ${problem}` }),
    ),
    { hint: "Set it in the environment of `pulumi up`. Nothing was sent." },
  );

/**
 * A secret, as a definition receives it. Call `value` where the body of a request is made, and nowhere else. Any text of it is `[secret]`, and no other
 * object is deeply equal to it: see {@link areEqual}.
 */
export class Secret {
  /** Its form in the state. */
  readonly form: () => string | StoredReference;
  /** The value, or why its reference cannot be read. Reads it once. */
  readonly reading: () => Reading;

  /** `name`: the field in the error of a reference. */
  constructor(
    form: string | StoredReference,
    read: () => Reading,
    private readonly name = "",
  ) {
    let reading: Reading | undefined;
    this.form = () => form;
    this.reading = () => {
      reading ??= read();
      return reading;
    };
  }

  /** Throws if the reference cannot be read. */
  value(): string {
    const { value, problem } = this.reading();
    if (value === undefined) throw unreadable([[this.name, this.form() as StoredReference, problem]]);
    return value;
  }

  toString(): string {
    return "[secret]";
  }
  readonly toJSON: () => string = this.toString;
  readonly [inspect.custom]: () => string = this.toString;
}

/** A secret that is known, such as one in a response. */
export const secretOf = (value: string): Secret => new Secret(value, () => ({ value }));

/** Properties as a definition receives them: each of these is a secret. */
export type WithSecrets<Properties, Names extends keyof Properties> = {
  [Name in keyof Properties]: Name extends Names ? Secret | Exclude<Properties[Name], string> : Properties[Name];
};
