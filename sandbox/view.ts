import { Fault } from "./faults";

/** A section of the page: one service, or the requests. It never contains a secret. */
export interface Section {
  /** The note next to the heading, such as an address. */
  note: string;
  blocks: Block[];
}

/** One table. */
export interface Block {
  /** The title, unique in its section. */
  title: string;
  /** The headings. Without any, each row is a name and its value. */
  columns: string[];
  rows: TableRow[];
  /** The number of further rows, which are not sent. */
  more: number;
  /** The message to show if there are no rows. */
  empty: string;
}

export interface TableRow {
  /** The id, unique in its block. It stays the same after a change. */
  id: string;
  cells: Cell[];
  /** A default value, which the page folds away. */
  isDefault?: boolean;
}

/** The color of a state or of a service. */
export type Tone = "good" | "warn" | "bad" | Fault["system"];

/** A string, a colored string, a hidden secret, or a number of dots of which some are filled. */
export type Cell = string | { text: string; tone: Tone } | { secret: true } | { filled: number; of: number };

const maxRows = 200;
const maxLength = 200;
/** Shorter secrets may be ordinary words. Only `secret()` hides them. */
const shortestSecret = 8;

/** A block of rows with headings. */
export function table(title: string, columns: string[], rows: TableRow[], empty = "None.", total: number = rows.length): Block {
  const visible = rows.slice(0, maxRows);
  return { title, columns, rows: visible, more: total - visible.length, empty };
}

/** A block of names and their values. */
export function fields(title: string, values: Record<string, Cell> | undefined, empty = "Not configured."): Block {
  const rows = Object.entries(values ?? {}).map(([name, value]) => row(name, name, value));
  return table(title, [], rows, empty);
}

export function row(id: string, ...cells: Cell[]): TableRow {
  return { id, cells };
}

/** A cell that only shows that there is a secret. */
export function secret(value: unknown): Cell {
  return value === undefined || value === null || value === "" ? "" : { secret: true };
}

export function time(date: Date): string {
  return date.toISOString().replace("T", " ").replace(/\.\d+/, "");
}

/** The section as JSON. It also hides a secret in an unexpected place, such as a token in a path. */
export function encode(section: Section, secrets: string[]): string {
  const hidden = secrets
    .filter((text) => text.length >= shortestSecret)
    .flatMap((text) => [text, encodeURIComponent(Buffer.from(text).toString())]);
  return JSON.stringify(section, (_, value: unknown) => {
    if (typeof value !== "string") return value;
    let text = value;
    for (const one of hidden) text = text.replaceAll(one, "••••••");
    text = text.replace(/\/\/[^/@\s]+@/g, "//••••••@");
    return text.length > maxLength ? `${text.slice(0, maxLength)}… (${text.length} characters)` : text;
  });
}
