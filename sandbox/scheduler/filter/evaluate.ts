import { RE2JS, RE2JSSyntaxException } from "re2js";
import { elementOf, fieldsOf, kindName, kindOf } from "../types";
import { Expression, Selector } from "./expression";
import { equal } from "./values";

/** A value of a record with its type. */
interface Typed {
  type: string;
  value: unknown;
}

/** A placeholder in `any` or `all`: a path in the record, or a key. */
type Local = { name: string } & ({ path: string[] } | { key: string });

/** Stands for a panic in Nomad, which closes the connection. The standard dialect responds with 400 and the message. */
export class Crash extends Error {}

/** True if the record matches. Throws an Error with the message of the service if the expression is invalid for the record. */
export function matches(expression: Expression, record: Typed, locals: Local[] = []): boolean {
  switch (expression.kind) {
    case "or":
      return matches(expression.left, record, locals) || matches(expression.right, record, locals);
    case "and":
      return matches(expression.left, record, locals) && matches(expression.right, record, locals);
    case "not":
      return !matches(expression.operand, record, locals);
    case "collection":
      return matchesMembers(expression, record, locals);
    case "match":
      return compares(expression, record, locals);
  }
}

function compares(match: Extract<Expression, { kind: "match" }>, record: Typed, locals: Local[]): boolean {
  const selected = find(record, match.selector, locals);
  // A missing value is empty, and no other operator matches it.
  if (!selected) return (match.operator === "empty") !== match.negated;
  const target =
    kindOf(selected.type) === "pointer" && selected.value !== null ? { ...selected, type: elementOf(selected.type) } : selected;
  return holds(match, target) !== match.negated;
}

function holds(match: Extract<Expression, { kind: "match" }>, target: Typed): boolean {
  const { operator, value, selector } = match;
  const kind = kindOf(target.type);
  switch (operator) {
    case "equal":
      return equal(target.type, target.value, value, "unable to find suitable primitive comparison function for matching");
    case "empty":
      if (kind === "string") return target.value === "";
      if (kind === "list") return ((target.value as unknown[] | null) ?? []).length === 0;
      if (kind === "map") return Object.keys((target.value as object | null) ?? {}).length === 0;
      throw new Error(unfit("is-empty", target.type, selector));
    case "matches":
      if (kind === "pointer") throw new Crash(unfit("matches", target.type, selector));
      if (kind === "string") return regularExpression(match).test(String(target.value));
      if (target.type === "[]uint8") return regularExpression(match).test("");
      throw new Error(`value of type ${target.type} is not convertible to []byte`);
    case "in":
      return contains(target, value, selector);
  }
}

function unfit(operation: string, type: string, { text }: Selector): string {
  const typeName = kindOf(type) === "pointer" ? "invalid" : kindName(type);
  return `cannot perform ${operation} operations on type ${typeName} for selector: ${JSON.stringify(text)}`;
}

const compiled = new WeakMap<object, RE2JS>();

/** The regular expression of a match, compiled once for all records. */
function regularExpression(match: Extract<Expression, { kind: "match" }>): RE2JS {
  try {
    const expression = compiled.get(match) ?? RE2JS.compile(match.value);
    compiled.set(match, expression);
    return expression;
  } catch (caught) {
    const { error, input } = caught as RE2JSSyntaxException;
    throw new Error(
      `failed to compile regular expression ${JSON.stringify(match.value)}: error parsing regexp: ${error}: \`${input ?? ""}\``,
    );
  }
}

function contains({ type, value }: Typed, expected: string, selector: Selector): boolean {
  const kind = kindOf(type);
  if (kind === "string") return String(value).includes(expected);
  if (kind === "map") return Object.hasOwn((value as object | null) ?? {}, expected);
  if (kind === "list") {
    const message = 'unable to find suitable primitive comparison function for "in" comparison';
    const element = elementOf(type);
    const bare = kindOf(element) === "pointer" ? elementOf(element) : element;
    // Throws for a value of the wrong type, even if the list is empty.
    equal(bare, undefined, expected, message);
    return ((value as unknown[] | null) ?? []).some((item) => equal(bare, item, expected, message));
  }
  // Throws for a value of the wrong type.
  if (kind !== "struct" && kind !== "pointer") equal(type, undefined, expected, "");
  throw new Error(unfit("in/contains", type, selector));
}

/** The value at the selector; undefined if its last step is a missing key of a map. */
function find(record: Typed, { path }: Selector, locals: Local[]): Typed | undefined {
  let steps = path;
  for (const local of [...locals].reverse()) {
    if (local.name !== steps[0]) continue;
    if ("key" in local) {
      if (steps.length === 1) return { type: "string", value: local.key };
      throw new Error(`${pointer([local.name])} references a string so ${pointer(steps)} is invalid`);
    }
    steps = [...local.path, ...steps.slice(1)];
  }
  let current = record;
  for (const [index, step] of steps.entries()) {
    const at = `error finding value in datum: ${pointer(steps)}`;
    if (kindOf(current.type) === "pointer" && current.value !== null) current = { ...current, type: elementOf(current.type) };
    const { type, value } = current;
    switch (kindOf(type)) {
      case "struct": {
        const field = fieldsOf(type).get(step);
        if (!field) throw new Error(`${at} at part ${index}: couldn't find key: struct field with name ${JSON.stringify(step)}`);
        current = { type: field, value: (value as Record<string, unknown>)[step] };
        break;
      }
      case "map": {
        const entries = (value ?? {}) as Record<string, unknown>;
        if (!Object.hasOwn(entries, step)) {
          if (index === steps.length - 1 && index > 0) return undefined;
          throw new Error(`${at} at part ${index}: couldn't find key ${JSON.stringify(step)}`);
        }
        current = { type: elementOf(type), value: entries[step] };
        break;
      }
      case "list": {
        const items = (value ?? []) as unknown[];
        if (!/^-?\d+$/.test(step)) throw new Error(`${at} at part ${index}: couldn't convert value ${JSON.stringify(step)} to type int`);
        const number = Number(step);
        if (number < 0 || number >= items.length)
          throw new Error(`${at} at part ${index}: index ${number} is out of range (length = ${items.length})`);
        current = { type: elementOf(type), value: items[number] };
        break;
      }
      default:
        throw new Error(`${at}: at part ${index}, invalid value kind: ${kindOf(type) === "pointer" ? "invalid" : kindName(type)}`);
    }
  }
  return current;
}

function matchesMembers(expression: Extract<Expression, { kind: "collection" }>, record: Typed, locals: Local[]): boolean {
  const { operator, selector, names, inner } = expression;
  const all = operator === "all";
  const selected = find(record, selector, locals);
  if (!selected) return all;
  const kind = kindOf(selected.type);
  if (kind !== "list" && kind !== "map") throw new Error(`${selector.text} is not a list or a map`);
  for (const key of Object.keys((selected.value as object | null) ?? {})) {
    if (names.index !== undefined && names.index === names.value)
      throw new Error(`${JSON.stringify(names.index)} cannot be used as a placeholder for both the index and the value`);
    const path = [...selector.path, key];
    const members: Local[] = [];
    if (names.both !== undefined) members.push(kind === "map" ? { name: names.both, key } : { name: names.both, path });
    if (names.index !== undefined) members.push({ name: names.index, key });
    if (names.value !== undefined) members.push({ name: names.value, path });
    if (matches(inner, record, [...locals, ...members]) !== all) return !all;
  }
  return all;
}

function pointer(path: string[]): string {
  return `/${path.map((step) => step.replaceAll("~", "~0").replaceAll("/", "~1")).join("/")}`;
}
