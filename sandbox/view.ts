import type { Fault } from "./faults";

/** What the page shows of one service, or of the requests. It is sent as it is: no secret is ever part of it. */
export interface Section {
  /** Beside its heading: an address, a number. */
  note: string;
  blocks: Block[];
}

/** One table. */
export interface Block {
  /** No two of a section have the same. */
  title: string;
  /** The headings. Without any, the rows are names and their values. */
  columns: string[];
  rows: TableRow[];
  /** How many more rows there are, which are not sent. */
  more: number;
  /** What is said in place of the rows where there are none. */
  empty: string;
}

export interface TableRow {
  /** Tells the row from the others of its block, now and after a change. */
  id: string;
  cells: Cell[];
  /** Nobody has set it: it stands back. */
  untouched?: boolean;
}

/** A colour: of a state, or of a service. */
export type Tone = "good" | "warn" | "bad" | Fault["system"];

/** A text, one with a colour, a secret in the place of which nothing is sent, or a number of dots of which some are filled. */
export type Cell = string | { text: string; tone: Tone } | { secret: true } | { given: number; of: number };

/** As many rows of one block as can be looked at. */
const most = 200;
const longest = 200;
/** Shorter ones are words that stand anywhere. They are no less hidden in their own places. */
const shortestSecret = 8;

/** A block of rows with headings. */
export function table(title: string, columns: string[], rows: TableRow[], empty = "None.", total: number = rows.length): Block {
  const shown = rows.slice(0, most);
  return { title, columns, rows: shown, more: total - shown.length, empty };
}

/** A block of names and their values. */
export function fields(title: string, values: Record<string, Cell> | undefined, empty = "Not configured."): Block {
  return table(
    title,
    [],
    Object.entries(values ?? {}).map(([name, value]) => row(name, name, value)),
    empty,
  );
}

export function row(id: string, ...cells: Cell[]): TableRow {
  return { id, cells };
}

/** The place of a secret: that there is one is all that is shown. */
export function secret(value: unknown): Cell {
  return value === undefined || value === null || value === "" ? "" : { secret: true };
}

export function time(date: Date): string {
  return date.toISOString().replace("T", " ").replace(/\.\d+/, "");
}

/** The section as it is sent. A secret that somebody put where none belongs, such as a token in a path, does not leave here either. */
export function encode(section: Section, secrets: string[]): string {
  const hidden = secrets
    .filter((text) => text.length >= shortestSecret)
    .flatMap((text) => [text, encodeURIComponent(Buffer.from(text).toString())]);
  return JSON.stringify(section, (_, value: unknown) => {
    if (typeof value !== "string") return value;
    let text = value;
    for (const one of hidden) text = text.replaceAll(one, "••••••");
    text = text.replace(/\/\/[^/@\s]+@/g, "//••••••@");
    return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
  });
}
