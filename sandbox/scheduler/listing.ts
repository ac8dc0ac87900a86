import { json, Route } from "./answer";
import { byBytes, Listing, page } from "./paging";
import { Access } from "./policy";
import { Query } from "./query";
import { read } from "./reading";
import { Collection, keyOf, Row, structureOf, Table } from "./records";

/** The response to a list: the matching rows, sorted, filtered and paginated. */
export async function listed(
  c: Route,
  collection: Collection,
  stub: (row: Row) => Row,
  edges: Pick<Listing, "token" | "compare">,
): Promise<Response> {
  const { body, headers } = await read(c, collection, mayList(collection), async (state, query, access) => {
    const visible = ({ Namespace }: Row): boolean => collection === "nodes" || access.namespace(String(Namespace), "read");
    const listing = { rows: ordered(collection, state[collection], query), structure: structureOf(collection), visible, ...edges };
    const { rows, nextToken } = page(listing, query, c.var.dialect);
    return { body: rows.map(stub), nextToken };
  });
  return json(c, body, headers);
}

/** The response with one full record. */
export async function oneRecord(c: Route, collection: Collection, missing: string): Promise<Response> {
  const id = c.req.param("id") ?? "";
  const { body, headers } = await read(c, collection, mayList(collection), async (state, query) => {
    const row = state[collection].rows.get(keyOf(collection, id, query.namespace));
    return row ? { body: row } : missing;
  });
  return json(c, body, headers);
}

function mayList(collection: Collection): (access: Access, query: Query) => boolean {
  return (access, { namespace }) => (collection === "nodes" ? access.nodes : access.namespace(namespace, "read"));
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
