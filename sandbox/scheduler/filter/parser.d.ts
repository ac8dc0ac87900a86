import type { Expression } from "./expression";

// parser.js is made of grammar.peggy by `npm run build`.

export interface Options {
  optionalBlanks: boolean;
  note(rule: string, offset: number, message: string): void;
}

/** Throws where the text does not follow the grammar. */
export function parse(text: string, options: Options): Expression;
