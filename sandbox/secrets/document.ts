/** A path below its mount, as its route file describes it. */
export interface Described {
  path: string;
  description?: string;
  /** Vault's document lacks the description or, if true, also the summaries. That of the standard dialect has both. */
  undescribed?: boolean | "path";
  create?: boolean;
  unauthenticated?: boolean;
  /** Requires the capability "sudo" as well. Only for paths without parameters. */
  sudo?: boolean;
  operations: Partial<Record<"get" | "post" | "put" | "delete", Operation>>;
}

export interface Operation {
  /** The summary, unless Vault's document has none. */
  summary?: string;
  /** Vault's `operationId`, without its prefix. */
  id: string;
  list?: boolean;
  /** The documented status, described as "OK". Default: 204 "empty body" for a delete, otherwise 200. */
  status?: "200" | "204";
}

/** The paths of one mount. Those of the engine appear once for each mounted engine. */
export interface Group {
  mount: string;
  tag: string;
  prefix: string;
  paths: Described[];
}
