import type { Route } from "./answer";
import { json } from "./answer";
import type { Listing } from "./paging";
import { byBytes, page } from "./paging";
import type { Access } from "./policy";
import type { Query } from "./query";
import { read } from "./reading";
import type { Noun, Row, Table } from "./records";
import { keyOf, structureOf } from "./records";

/** The response to a list: the matching rows, sorted, filtered and paginated. */
export async function listed(c: Route, noun: Noun, stub: (row: Row) => Row, edges: Pick<Listing, "token" | "compare">): Promise<Response> {
  const { body, headers } = await read(c, noun, mayList(noun), async (state, query, access) => {
    const visible = ({ Namespace }: Row): boolean => noun === "nodes" || access.namespace(String(Namespace), "read");
    const listing = { rows: ordered(noun, state[noun], query), structure: structureOf(noun), visible, ...edges };
    const { rows, nextToken } = page(listing, query, c.var.dialect);
    return { body: rows.map(stub), nextToken };
  });
  return json(c, body, headers);
}

/** The response with one full record. */
export async function shown(c: Route, noun: Noun, missing: string): Promise<Response> {
  const id = c.req.param("id") ?? "";
  const { body, headers } = await read(c, noun, mayList(noun), async (state, query) => {
    const row = state[noun].rows.get(keyOf(noun, id, query.namespace));
    return row ? { body: row } : missing;
  });
  return json(c, body, headers);
}

function mayList(noun: Noun): (access: Access, query: Query) => boolean {
  return (access, { namespace }) => (noun === "nodes" ? access.nodes : access.namespace(namespace, "read"));
}

function ordered(noun: Noun, table: Table, { namespace, prefix, reverse }: Query): Row[] {
  const rows = sorted(table)
    .filter((row) => noun === "nodes" || namespace === "*" || row.Namespace === namespace)
    .filter(({ ID }) => String(ID).startsWith(prefix));
  if (noun === "deployments" && prefix !== "") rows.sort((a, b) => byBytes(String(a.ID), String(b.ID)));
  else if (noun === "deployments")
    rows.sort((a, b) => Number(a.CreateIndex) - Number(b.CreateIndex) || byBytes(String(a.ID), String(b.ID)));
  // The list of nodes does not support `reverse`.
  return reverse && noun !== "nodes" ? rows.reverse() : rows;
}

const known = new WeakMap<Table, Row[]>();

/** The rows in the order of their keys, sorted once per state. */
function sorted(table: Table): Row[] {
  const rows = known.get(table) ?? [...table.rows].sort(([a], [b]) => byBytes(a, b)).map(([, row]) => row);
  known.set(table, rows);
  return rows;
}
