import { Expression } from "./expression";
import { parse as run } from "./parser";

/** The character that marks the end of the input. */
const end = "\uFFFF";

/** Parses an expression. Throws an Error with the message of the service. */
export function parse(text: string, { isDocumented }: { isDocumented: boolean }): Expression {
  const notes = new Set<string>();
  const options = {
    isDocumented,
    note: (rule: string, offset: number, message: string) => notes.add(`${place(text, offset)}: rule "${rule}": ${message}`),
  };
  try {
    const expression = run(text + end, options);
    if (notes.size === 0) return expression;
  } catch (error) {
    if (notes.size === 0) throw new Error(`${place(text, failedAt(error))}: no match found, expected: ${expected(error)}`);
  }
  throw new Error([...notes].join("\n"));
}

/** Line, column and offset. As in Nomad, the column counts characters and the offset counts bytes. */
function place(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const lines = before.split("\n");
  return `${lines.length}:${[...lines.at(-1)!].length + 1} (${Buffer.byteLength(before)})`;
}

interface Expectation {
  type: string;
  text?: string;
  parts?: (string | string[])[];
}

interface Mismatch {
  location: { start: { offset: number } };
  expected: Expectation[];
}

function failedAt(error: unknown): number {
  return (error as Mismatch).location.start.offset;
}

/** The expected tokens, sorted, with the end last. */
function expected(error: unknown): string {
  const tokens = new Set((error as Mismatch).expected.map(describe));
  const ends = tokens.delete("EOF");
  const sorted = [...tokens].sort();
  if (ends) sorted.push("EOF");
  return sorted.length > 1 ? `${sorted.slice(0, -1).join(", ")} or ${sorted.at(-1)}` : (sorted[0] ?? "");
}

function describe(expectation: Expectation): string {
  if (expectation.text === end) return "EOF";
  if (expectation.type === "literal") return JSON.stringify(expectation.text);
  const parts = expectation.parts ?? [];
  const range = parts.map((part) => (Array.isArray(part) ? part.join("-") : part)).join("");
  return `[${range.replaceAll("\t", "\\t").replaceAll("\r", "\\r").replaceAll("\n", "\\n")}]`;
}
