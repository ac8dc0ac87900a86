import type { Parser } from "peggy";
import { grammar } from "./grammar";

export interface Selector {
  path: string[];
  /** As a value, and in a message. */
  text: string;
}

export type Expression =
  | { kind: "or" | "and"; left: Expression; right: Expression }
  | { kind: "not"; operand: Expression }
  | { kind: "match"; operator: "equal" | "in" | "empty" | "matches"; negated: boolean; selector: Selector; value: string }
  | { kind: "collection"; operator: "any" | "all"; selector: Selector; names: Names; inner: Expression };

/** What the members of a collection are called: the key or index, the value, or whichever of them identifies the member. */
export interface Names {
  index?: string;
  value?: string;
  both?: string;
}

/** What stands at the end of every text. */
const end = "\uFFFF";

let parser: Promise<Parser> | undefined;

/** The expression as a tree. Throws an Error with the service's own sentence. */
export async function parse(text: string, { optionalBlanks }: { optionalBlanks: boolean }): Promise<Expression> {
  // Made when somebody first filters: making it takes longer than everything else at the sandbox's start.
  parser ??= import("peggy").then(({ default: peggy }) => peggy.generate(initializer + grammar));
  const { parse: run } = await parser;
  const notes = new Set<string>();
  const options = {
    optionalBlanks,
    note: (rule: string, offset: number, message: string) => notes.add(`${place(text, offset)}: rule "${rule}": ${message}`),
  };
  try {
    const expression: Expression = run(text + end, options);
    if (notes.size === 0) return expression;
  } catch (error) {
    if (notes.size === 0) throw new Error(`${place(text, failedAt(error))}: no match found, expected: ${expected(error)}`);
  }
  throw new Error([...notes].join("\n"));
}

const initializer = `{
  const note = (rule, message) => { options.note(rule, offset(), message); return false; };
  const needsNoBlank = () => options.optionalBlanks && /[()[\\]"\`]/.test(input.slice(Math.max(0, offset() - 1), offset() + 1));
  const unescape = (segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~");
  const simple = { a: "\\x07", b: "\\b", f: "\\f", n: "\\n", r: "\\r", t: "\\t", v: "\\v", "\\\\": "\\\\", '"': '"' };
  function unquoted(quoted) {
    const inside = quoted.slice(1, -1);
    if (quoted[0] !== '"') return inside.replaceAll("\\r", "");
    const escape = /\\\\(?:([abfnrtv\\\\"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))/g;
    const hex = (digits) => parseInt(digits, 16);
    if (inside.includes("\\n") || inside.replace(escape, "").includes("\\\\")) {
      options.note("string", offset(), "invalid syntax");
      return "";
    }
    return inside.replace(escape, (_, letter, x, u, U, octal) =>
      letter ? simple[letter] : String.fromCodePoint(octal ? parseInt(octal, 8) : hex(x ?? u ?? U)));
  }
}
`;

/** Line, column and offset, as the real product counts them: characters in the column, bytes in the offset. */
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

/** What could have come instead, sorted, the end last. */
function expected(error: unknown): string {
  const texts = new Set((error as Mismatch).expected.map(describe));
  const ends = texts.delete("EOF");
  const sorted = [...texts].sort();
  if (ends) sorted.push("EOF");
  return sorted.length > 1 ? `${sorted.slice(0, -1).join(", ")} or ${sorted.at(-1)}` : (sorted[0] ?? "");
}

function describe(expectation: Expectation): string {
  if (expectation.text === end) return "EOF";
  if (expectation.type === "literal") return JSON.stringify(expectation.text);
  const parts = expectation.parts ?? [];
  const shown = parts.map((part) => (Array.isArray(part) ? part.join("-") : part)).join("");
  return `[${shown.replaceAll("\t", "\\t").replaceAll("\r", "\\r").replaceAll("\n", "\\n")}]`;
}
