export interface Selector {
  path: string[];
  /** The selector in a message, or as a value. */
  text: string;
}

export type Expression =
  | { kind: "or" | "and"; left: Expression; right: Expression }
  | { kind: "not"; operand: Expression }
  | { kind: "match"; operator: "equal" | "in" | "empty" | "matches"; negated: boolean; selector: Selector; value: string }
  | { kind: "collection"; operator: "any" | "all"; selector: Selector; names: Names; inner: Expression };

/** The placeholders for a member of a collection. `both` is the key of a map, or the value in a list. */
export interface Names {
  index?: string;
  value?: string;
  both?: string;
}
