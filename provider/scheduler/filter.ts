import { StewardError } from "../errors";
import { isObject } from "../json";

/**
 * An expression that the scheduler evaluates before it answers. It sees the full record, not the stub that a list shows: the `Address` of a node's
 * stub is `HTTPAddr` there.
 */
export interface Filter {
  /** Both hold. */
  and(other: Filter): Filter;
  /** At least one of the two holds. */
  or(other: Filter): Filter;
  /** It does not hold. */
  not(): Filter;
  /** The text that is sent. */
  toString(): string;
}

/** A field of the record, to be compared. Values are quoted as they have to be, whatever they hold. */
export interface Selector {
  /** `Status == "running"`. */
  equals(value: string | number | boolean): Filter;
  /** `Status != "running"`. */
  notEquals(value: string | number | boolean): Filter;
  /** `ParentID is empty`: for texts, lists and maps. */
  isEmpty(): Filter;
  /** `ParentID is not empty`: for texts, lists and maps. */
  isNotEmpty(): Filter;
  /** `Datacenters contains "dc1"`: the list has the item, the map the key, or the text the part. */
  contains(value: string): Filter;
  /** `Datacenters not contains "dc1"`. */
  notContains(value: string): Filter;
  /** `"dc1" in Datacenters`. */
  includes(value: string): Filter;
  /** `"dc1" not in Datacenters`. */
  notIncludes(value: string): Filter;
  /** `Name matches "^web"`: a regular expression of Go's, found anywhere in the text. */
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
    // Without the blank the real product takes `not(` for the name of a field.
    return new Expression(`not (${this.text})`);
  }

  toString(): string {
    return this.text;
  }

  /** `and` holds tighter than `or`. */
  private withinAnd(): string {
    return this.isOr ? `(${this.text})` : this.text;
  }
}

/** What says of itself how it is sent; an array or a plain object would be sent as something else. @internal */
export const isFilter = (given: unknown): given is Filter =>
  isObject(given) && typeof given.toString === "function" && given.toString !== Object.prototype.toString;

/** A filter of somebody else's making may hold anything, and so goes into parentheses. */
function expressionOf(filter: Filter): Expression {
  if (filter instanceof Expression) return filter;
  if (isFilter(filter)) return new Expression(`(${filter})`);
  throw invalid("filter", "and() and or() take another filter", 'Make it with scheduler.filter("Status").equals("running").');
}

const invalid = (rule: string, reason: string, hint: string): StewardError =>
  new StewardError({ code: "ERR_INVALID_INPUT", operation: "Cannot make a filter", rule, reason, hint });

const name = /^[A-Za-z][A-Za-z0-9_]*$/;
/** What the grammar could take for an operator where it stands for a name. */
const words = ["and", "or", "not", "in", "is", "empty", "contains", "matches"];

/**
 * A field, by its path: `filter("Status")`, `filter("Meta", "team.name")`, which is `Meta["team.name"]`.
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
  if (typeof first !== "string" || !name.test(first) || words.includes(first.toLowerCase()))
    throw invalid(
      "path",
      "its path does not begin with the name of a field",
      'Give each part of the path for itself: scheduler.filter("Meta", "team.name").',
    );
  return first + rest.map((part) => (name.test(part) && !words.includes(part.toLowerCase()) ? `.${part}` : `[${quote(part)}]`)).join("");
}

/**
 * A value as the scheduler reads it back. The real product knows no `\"`, drops carriage returns between backticks, and takes a quoted text that
 * begins with a slash for the path of another field.
 */
function quote(value: string | number | boolean): string {
  const fits = typeof value === "string" || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
  if (!fits) throw invalid("value", "a value is a text, a number, true or false", "Use an output's value within its apply().");
  const text = String(value);
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
