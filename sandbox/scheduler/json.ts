import { randomUUID } from "node:crypto";

/** Marks the strings that stand for a bigint. No data contains it. */
const mark = randomUUID();
const marked = new RegExp(`"${mark}(-?\\d+)"`, "g");

/** `JSON.stringify` that writes a bigint as a number, since JavaScript numbers cannot represent times in nanoseconds. */
export function stringify(value: unknown, indent?: string): string {
  return JSON.stringify(value, (_, each) => (typeof each === "bigint" ? `${mark}${each}` : each), indent).replace(marked, "$1");
}
