import type { Dialect } from "./dialect";

/** One path as its route file describes it, below its mount. */
export interface Described {
  path: string;
  description: string;
  /** The real product carries this description and the summaries of the operations, or one of them; others are seen in the specification's dialect only. */
  described?: boolean | "operations" | "path";
  create?: boolean;
  unauthenticated?: boolean;
  /** Must a policy allow "sudo", too? For a path without parameters. */
  sudo?: boolean;
  operations: Partial<Record<"get" | "post" | "put" | "delete", Operation>>;
}

export interface Operation {
  summary: string;
  /** The real product's `operationId`, without its prefix. */
  id: string;
  list?: boolean;
  /** The status in the document, described as "OK". Without it a delete has 204 "empty body", and all else 200. */
  status?: "200" | "204";
}

/** Everything that is mounted somewhere: the engines' paths appear once for each engine. */
export interface Group {
  mount: string;
  tag: string;
  prefix: string;
  paths: Described[];
}

/** The verb that a document of this dialect shows for writing to the rekey. */
export function writing(dialect: Dialect): "post" | "put" {
  return dialect.rekey.writes.includes("POST") ? "post" : "put";
}
