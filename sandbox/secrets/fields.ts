import { parseBool, parseDuration } from "../go-values";

/** An invalid field. The message is the error in the response. */
export class FieldError extends Error {}

/**
 * Reads a string. Like all readers below, it converts values as Vault does: 5 is "5", "true" is true, null is the zero value.
 * It throws if it cannot. An absent field is undefined: the route decides what that means.
 */
export function text(fields: Record<string, unknown>, name: string): string | undefined {
  return converted(fields, name, "string");
}

export function flag(fields: Record<string, unknown>, name: string): boolean | undefined {
  const word = converted(fields, name, "bool");
  if (word === undefined) return undefined;
  if (word === "") return false;
  return parseBool(word) ?? refuse(name, `cannot parse '' as bool: strconv.ParseBool: parsing "${word}": invalid syntax`);
}

export function whole(fields: Record<string, unknown>, name: string): number | undefined {
  const word = converted(fields, name, "int");
  if (word === undefined) return undefined;
  if (word === "" || /^[+-]?\d+$/.test(word)) return Number(word);
  return refuse(name, `cannot parse '' as int: strconv.ParseInt: parsing "${word}": invalid syntax`);
}

function converted(fields: Record<string, unknown>, name: string, type: "string" | "bool" | "int"): string | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  return scalar(value) ?? refuse(name, `'' expected type '${type}', got unconvertible type '${goType(value)}'`);
}

/** Reads a comma-separated string, or a list. Trims each item. Keeps the order, duplicates and empty items. */
export function words(fields: Record<string, unknown>, name: string): string[] | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  const items =
    typeof value === "string" ? (value === "" ? [] : value.split(",")) : Array.isArray(value) ? value : value === null ? [] : [value];
  return items.map((item, at) => {
    const word =
      scalar(item) ?? refuse(name, `1 error(s) decoding:\n\n* '[${at}]' expected type 'string', got unconvertible type '${goType(item)}'`);
    return word.trim();
  });
}

/** Reads a duration in whole seconds: a number, "90", "1h30m", "1.5h", or whole days such as "1d". */
export function duration(fields: Record<string, unknown>, name: string): number | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  const fail = (reason: string): never => refuse(name, reason, "Field validation failed: ");
  if (value === null || value === "") return 0;
  if (typeof value !== "number" && typeof value !== "string") return fail("could not parse duration from input");
  const seconds = secondsOf(String(value)) ?? fail(`time: invalid duration "${value}"`);
  if (seconds < 0) return fail(`cannot provide negative value '${seconds}'`);
  // Go stores a duration as nanoseconds in 64 bits.
  if (seconds > 9_223_372_036) return fail("multiplication of durations resulted in overflow, one operand may be too large");
  return seconds;
}

/** Returns the whole seconds, or undefined if the string is not a duration. */
export function secondsOf(value: string): number | undefined {
  if (/^[+-]?\d+$/.test(value)) return Number(value);
  if (/^[+-]?\d+d$/.test(value)) return Number(value.slice(0, -1)) * 86_400;
  const seconds = parseDuration(value);
  // 0.1h is 360.00000000000006 in floating point: round to nanoseconds before truncating.
  return seconds === undefined ? undefined : Math.trunc(Number(seconds.toFixed(9))) || 0;
}

function scalar(value: unknown): string | undefined {
  if (value === null) return "";
  if (typeof value === "boolean") return value ? "1" : "0";
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

function goType(value: unknown): string {
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
}

function refuse(name: string, reason: string, before = ""): never {
  throw new FieldError(`${before}error converting input for field "${name}": ${reason}`);
}
