import { randomBytes, scryptSync } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { isObject } from "../text/json";
import { AnyFields } from "./definition";
import { CheckFailure, invalidInput } from "./errors";
import { comparisonOf } from "./fields";
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
export function fingerprintOf(fields: AnyFields, name: string, secret: string, earlier?: string): string {
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

export const unreadable = (references: readonly (readonly [name: string, reference: SecretReference])[]): Error =>
  invalidInput(
    references.map(([name, reference]): CheckFailure => {
      const { problem = "differs from the value on the server" } = readReference(reference);
      return { path: name, rule: "reference", reason: `${referenceName(reference)} ${problem}` };
    }),
    { hint: "Set it in the environment of `pulumi up`. Nothing was sent." },
  );
