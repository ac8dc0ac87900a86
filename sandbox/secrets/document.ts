import { Dialect } from "./dialect";

/** A path below its mount, as its route file describes it. */
export interface Described {
  path: string;
  description: string;
  /** The part that Vault's document has: the description, the summaries of the operations, or both. The standard dialect shows both. */
  described?: boolean | "operations" | "path";
  create?: boolean;
  unauthenticated?: boolean;
  /** Requires the capability "sudo" as well. Only for paths without parameters. */
  sudo?: boolean;
  operations: Partial<Record<"get" | "post" | "put" | "delete", Operation>>;
}

export interface Operation {
  summary: string;
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

/** The documented method of writes to the rekey. */
export function writing(dialect: Dialect): "post" | "put" {
  return dialect.rekeys[0].writes.includes("POST") ? "post" : "put";
}

/** The path with this end of each rekey that the API document lists. */
export function rekeyPaths(
  dialect: Dialect,
  end: string,
  described: Omit<Described, "path" | "described" | "unauthenticated">,
): Described[] {
  const { operations, ...rest } = described;
  return dialect.rekeys
    .filter(({ documented }) => documented)
    .map(({ kind, path }) => ({
      ...rest,
      path: `${path}/${end}`,
      described: "operations",
      unauthenticated: dialect.raw.includes(`sys/${path}/${end}`),
      operations: Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => [
          method,
          { ...operation, id: kind === "recovery" ? `${operation.id}-recovery` : operation.id },
        ]),
      ),
    }));
}
