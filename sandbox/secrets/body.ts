import { flag, text, whole, words } from "./fields";
import { HttpError } from "./http-error";
import { Route } from "./response";

interface Kinds {
  string: string;
  int: number;
  bool: boolean;
  "[]string": string[];
}

/** A value of its kind for each field. */
type Values<T extends Record<string, keyof Kinds>> = { [field in keyof T]: Kinds[T[field]] };

const zero: Kinds = { string: "", int: 0, bool: false, "[]string": [] };

/**
 * Reads a body as Vault's handlers outside of engines do. It is JSON with any media type. Names match in any case.
 * Types must match exactly: "5" is not a number. An absent field or null is the zero value. An empty body is an error.
 * `name` is the name of the body's type in Vault's errors.
 */
export async function structure<T extends Record<string, keyof Kinds>>(c: Route, name: string, types: T): Promise<Values<T>> {
  const values = Object.fromEntries(Object.entries(parse(await c.req.text(), name)).map(([key, value]) => [key.toLowerCase(), value]));
  const fields = Object.entries(types).map(([field, kind]) => {
    const value = values[field] ?? zero[kind];
    const wrong = mismatch(value, kind);
    if (wrong) throw refusal(`json: cannot unmarshal ${wrong.actual} into Go struct field ${name}.${field} of type ${wrong.expected}`);
    return [field, Array.isArray(value) ? value.map((item) => item ?? "") : value];
  });
  return Object.fromEntries(fields);
}

const readers = { string: text, int: whole, bool: flag, "[]string": words };

/** Reads the body of a rekey request: with `structure` or, if an engine serves the rekey, from its fields. An absent field is the zero value. */
export async function rekeyBody<T extends Record<string, keyof Kinds>>(c: Route, name: string, types: T): Promise<Values<T>> {
  if (!c.var.dialect.rekeys[0].behindEngine) return structure(c, name, types);
  const fields = Object.entries(types).map(([field, kind]) => [field, readers[kind](c.var.fields, field) ?? zero[kind]]);
  return Object.fromEntries(fields);
}

function parse(text: string, name: string): object {
  const body = text.trim();
  if (body === "") throw new HttpError(400, "EOF");
  let value: unknown;
  try {
    value = JSON.parse(body) ?? {};
  } catch {
    if (/^[[{]/.test(body)) throw new HttpError(500, "malformed JSON, unclosed containers");
    throw refusal(`invalid character '${body[0]}' looking for beginning of value`);
  }
  if (typeof value === "object" && !Array.isArray(value)) return value as object;
  throw refusal(`json: cannot unmarshal ${kindIn(value, "object")} into Go value of type http.${name}`);
}

function mismatch(value: unknown, kind: keyof Kinds): { actual: string; expected: string } | undefined {
  if (kind !== "[]string") return kindOf(value) === kind ? undefined : { actual: kindIn(value, kind), expected: kind };
  if (!Array.isArray(value)) return { actual: kindOf(value), expected: kind };
  const wrong = value.find((item) => item !== null && typeof item !== "string");
  return wrong === undefined ? undefined : { actual: kindIn(wrong, "string"), expected: "string" };
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "int" : "number";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** The found type in Go's words. The number itself is shown only if another number would be valid. */
function kindIn(value: unknown, expected: string): string {
  if (typeof value === "number") return expected === "int" ? `number ${value}` : "number";
  return kindOf(value);
}

function refusal(reason: string): HttpError {
  return new HttpError(400, `failed to parse JSON input: ${reason}`);
}
