export type Value = string | number | boolean | null;
export type Values = Record<string, Value>;

export interface Attribute {
  type: "boolean" | "integer" | "string";
  /** The value before the first write. null stands for "none" in the specification. */
  default: Value;
  oneOf?: string[];
  /** "writes" for a write-only attribute, "reads" for a read-only one, whose value in a request is ignored. */
  only?: "writes" | "reads";
  /** A secret that the API returns. */
  secret?: boolean;
}
