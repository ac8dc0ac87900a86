import { dropHeader } from "../server";
import { Dialect } from "./dialect";
import { Crash, matches } from "./filter/evaluate";
import { Expression } from "./filter/expression";
import { parse } from "./filter/parse";
import { HttpError } from "./http-error";
import { Query } from "./query";
import { Row } from "./records";

export interface Listing {
  /** The sorted rows. */
  rows: Row[];
  /** The type of the full record, which the filter uses. */
  structure: string;
  /** The page token that starts with this row. */
  token(row: Row): string;
  /** The position of a row relative to the row of the token. */
  compare(row: Row, token: string): number;
  /** True for a row that the token may read. Applied after the filter. */
  visible(row: Row): boolean;
}

/**
 * One page, as in Nomad. It skips the rows before the token and filters the full records. The first row beyond the page size becomes the next
 * token.
 */
export function page(listing: Listing, query: Query, { filters }: Dialect): { rows: Row[]; nextToken: string } {
  const expression = query.filter === "" ? undefined : readFilter(query.filter, filters);
  const rows: Row[] = [];
  let hasStarted = query.nextToken === "";
  for (const row of listing.rows) {
    const side = listing.compare(row, query.nextToken);
    if (!hasStarted && (query.reverse ? side > 0 : side < 0)) continue;
    if (expression && !passes(() => matches(expression, { type: listing.structure, value: row }), filters)) continue;
    if (!listing.visible(row)) continue;
    hasStarted = true;
    if (query.pageSize !== 0 && rows.length >= query.pageSize) return { rows, nextToken: listing.token(row) };
    rows.push(row);
  }
  return { rows, nextToken: "" };
}

function readFilter(filter: string, filters: Dialect["filters"]): Expression {
  try {
    return parse(filter, filters);
  } catch (error) {
    throw new HttpError(400, `failed to create result paginator: failed to read filter expression: ${(error as Error).message}`);
  }
}

function passes(match: () => boolean, { dropConnection }: Dialect["filters"]): boolean {
  try {
    return match();
  } catch (error) {
    if (error instanceof Crash && dropConnection) throw new HttpError(500, "", { [dropHeader]: "true" });
    throw new HttpError(400, `failed to read result page: ${(error as Error).message}`);
  }
}

/** Compares strings by their bytes, as Go does. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
