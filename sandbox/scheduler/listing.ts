import { byBytes, Listing, page } from "./paging";
import { Query } from "./query";
import { read } from "./reading";
import { Collection, keyOf, Row, structures, Table } from "./records";
import { Route } from "./response";

/** The response to a list: the matching rows, sorted, filtered and paginated. */
export function listed(
  c: Route,
  collection: Collection,
  stub: (row: Row) => Row,
  edges: Pick<Listing, "token" | "compare">,
): Promise<Response> {
  return read(c, collection, (state, query, access) => {
    const visible = ({ Namespace }: Row): boolean => collection === "nodes" || access.namespace(String(Namespace), "read");
    const listing = { rows: ordered(collection, state[collection], query), structure: structures[collection], visible, ...edges };
    const { rows, nextToken } = page(listing, query, c.var.dialect);
    return { body: rows.map(stub), nextToken };
  });
}

/** The response with one full record. */
export function oneRecord(c: Route, collection: Collection, missing: string): Promise<Response> {
  const id = c.req.param("id") ?? "";
  return read(c, collection, (state, query) => {
    const row = state[collection].rows.get(keyOf(collection, id, query.namespace));
    return row ? { body: row } : missing;
  });
}

function ordered(collection: Collection, table: Table, { namespace, prefix, reverse }: Query): Row[] {
  const rows = sorted(table)
    .filter((row) => collection === "nodes" || namespace === "*" || row.Namespace === namespace)
    .filter(({ ID }) => String(ID).startsWith(prefix));
  if (collection === "deployments" && prefix !== "") rows.sort((a, b) => byBytes(String(a.ID), String(b.ID)));
  else if (collection === "deployments")
    rows.sort((a, b) => Number(a.CreateIndex) - Number(b.CreateIndex) || byBytes(String(a.ID), String(b.ID)));
  // The list of nodes does not support `reverse`.
  return reverse && collection !== "nodes" ? rows.reverse() : rows;
}

const sortedRows = new WeakMap<Table, Row[]>();

/** The rows in the order of their keys, sorted once per state. */
function sorted(table: Table): Row[] {
  const rows = sortedRows.get(table) ?? [...table.rows].sort(([a], [b]) => byBytes(a, b)).map(([, row]) => row);
  sortedRows.set(table, rows);
  return rows;
}
