import { StewardError } from "../contract/errors";
import { isObject } from "../text/json";

/**
 * A filter expression that Nomad evaluates. It applies to the full record, not to the stub in a list, so the `Address` of a node's stub is
 * `HTTPAddr` in a filter.
 */
export interface Filter {
  /** Returns a filter that matches if both filters match. */
  and(other: Filter): Filter;
  /** Returns a filter that matches if at least one of the filters matches. */
  or(other: Filter): Filter;
  /** Returns a filter that matches if this filter does not. */
  not(): Filter;
  /** The expression in Nomad's grammar. */
  toString(): string;
}

/** A field of the record to compare with values, which are quoted and escaped. */
export interface Selector {
  /** `Status == "running"`. */
  equals(value: string | number | boolean): Filter;
  /** `Status != "running"`. */
  notEquals(value: string | number | boolean): Filter;
  /** `ParentID is empty`, for strings, lists and maps. */
  isEmpty(): Filter;
  /** `ParentID is not empty`, for strings, lists and maps. */
  isNotEmpty(): Filter;
  /** `Datacenters contains "dc1"`, where the list has the item, the map has the key, or the string has the substring. */
  contains(value: string): Filter;
  /** `Datacenters not contains "dc1"`. */
  notContains(value: string): Filter;
  /** `"dc1" in Datacenters`. */
  includes(value: string): Filter;
  /** `"dc1" not in Datacenters`. */
  notIncludes(value: string): Filter;
  /** `Name matches "^web"`, where a Go regular expression matches a part of the string. */
  matches(pattern: string): Filter;
  /** `Name not matches "^web"`. */
  notMatches(pattern: string): Filter;
}

class Expression implements Filter {
  constructor(
    readonly text: string,
    readonly isOr: boolean = false,
  ) {}

  and(other: Filter): Filter {
    return new Expression(`${this.withinAnd()} and ${expressionOf(other).withinAnd()}`);
  }

  or(other: Filter): Filter {
    return new Expression(`${this.text} or ${expressionOf(other).text}`, true);
  }

  not(): Filter {
    // Nomad rejects `not(` without a space.
    return new Expression(`not (${this.text})`);
  }

  toString(): string {
    return this.text;
  }

  /** `and` binds tighter than `or`. */
  private withinAnd(): string {
    return this.isOr ? `(${this.text})` : this.text;
  }
}

/** True for an object whose `toString` is not that of all objects. An array is not one. */
export const isFilter = (value: unknown): value is Filter =>
  isObject(value) && typeof value.toString === "function" && value.toString !== Object.prototype.toString;

/** A filter of another class may have any operator, so it is put in parentheses. */
function expressionOf(filter: Filter): Expression {
  if (filter instanceof Expression) return filter;
  if (isFilter(filter)) return new Expression(`(${filter})`);
  throw invalid(
    "filter",
    "the argument of and() and or() must be a filter",
    'Create it with scheduler.filter("Status").equals("running").',
  );
}

const invalid = (rule: string, reason: string, hint: string): StewardError =>
  new StewardError({ code: "ERR_INVALID_INPUT", operation: "Cannot create filter", rule, reason, hint });

const name = /^[A-Za-z][A-Za-z0-9_]*$/;
const operators = ["and", "or", "not", "in", "is", "empty", "contains", "matches"];

/**
 * Selects a field by its path, such as `filter("Status")`, or `filter("Meta", "team.name")` for `Meta["team.name"]`.
 *
 * ```ts
 * const { filter } = scheduler;
 * const mine = filter("Meta", "team.name").equals("web").and(filter("Status").equals("running").or(filter("Priority").equals(80)));
 * for await (const job of scheduler.listJobs({ filter: mine })) console.log(job.ID);
 * ```
 */
export function filter(...path: string[]): Selector {
  const selector = selectorOf(path);
  const match = (text: string): Filter => new Expression(text);
  return {
    equals: (value) => match(`${selector} == ${quote(value)}`),
    notEquals: (value) => match(`${selector} != ${quote(value)}`),
    isEmpty: () => match(`${selector} is empty`),
    isNotEmpty: () => match(`${selector} is not empty`),
    contains: (value) => match(`${selector} contains ${quote(value)}`),
    notContains: (value) => match(`${selector} not contains ${quote(value)}`),
    includes: (value) => match(`${quote(value)} in ${selector}`),
    notIncludes: (value) => match(`${quote(value)} not in ${selector}`),
    matches: (pattern) => match(`${selector} matches ${quote(pattern)}`),
    notMatches: (pattern) => match(`${selector} not matches ${quote(pattern)}`),
  };
}

function selectorOf([first, ...rest]: string[]): string {
  if (typeof first !== "string" || !name.test(first) || operators.includes(first.toLowerCase()))
    throw invalid(
      "path",
      "the path does not begin with a field name",
      'Pass each part of the path as an argument: scheduler.filter("Meta", "team.name").',
    );
  return (
    first + rest.map((part) => (name.test(part) && !operators.includes(part.toLowerCase()) ? `.${part}` : `[${quote(part)}]`)).join("")
  );
}

/**
 * A value as a literal. Nomad does not support `\"`, drops carriage returns between backticks, and parses a quoted string with a leading slash
 * as the path of a field.
 */
function quote(value: string | number | boolean): string {
  const fits = typeof value === "string" || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
  if (!fits) throw invalid("value", "the value must be a string, a number or a boolean", "Use the value of an output inside apply().");
  const text = String(value);
  // The encoding of the query would join it with the closing quote.
  if (/\p{Surrogate}/u.test(text))
    throw invalid("value", "the value contains an unpaired surrogate", "Cut strings by characters, such as [...name].slice(0, 8).");
  if (/^[^/"\\\p{Cc}][^"\\\p{Cc}]*$|^$/u.test(text)) return `"${text}"`;
  if (!/[`\r\0]/.test(text)) return `\`${text}\``;
  const escaped = text.replace(/["\\\p{Cc}]|^\//gu, (character) => escapes[character] ?? byCode(character));
  return `"${escaped}"`;
}

const escapes: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const byCode = (character: string): string => {
  const code = character.charCodeAt(0);
  return code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
};
