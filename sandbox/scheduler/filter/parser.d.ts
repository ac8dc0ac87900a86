import type { Expression } from "./expression";

// `npm run build` generates parser.js from grammar.peggy.

export interface Options {
  isDocumented: boolean;
  note(rule: string, offset: number, message: string): void;
}

/** Throws if the string is not a valid expression. */
export function parse(text: string, options: Options): Expression;
