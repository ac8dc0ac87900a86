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
