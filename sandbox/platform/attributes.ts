export type Value = string | number | boolean | null;
export type Values = Record<string, Value>;

/** One attribute, as the API documents describe it. */
export interface Attribute {
  type: "boolean" | "integer" | "string";
  /** What it is when it was never set. null is the documents' "none". */
  default: Value;
  oneOf?: string[];
  /** "writes": it is accepted and never shown. "reads": it is shown, and a client's value is ignored. */
  only?: "writes" | "reads";
  /** A secret that the API shows. */
  secret?: boolean;
}
