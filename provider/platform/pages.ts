import { Connection } from "../connection";
import { isObject } from "../json";
import { call, completed, Resource, unexpectedAnswer } from "./client";

// Collections of JSON:API, which come page by page.

/** The pagination of a JSON:API response. @internal */
export interface Pagination {
  links?: { next?: unknown };
  meta?: { pagination?: { "next-page"?: number | string | null; "total-count"?: number } };
}

/** The number of the next page; undefined after the last one. @internal */
export function nextPage({ links, meta }: Pagination): number | undefined {
  const next = Number(meta?.pagination?.["next-page"] ?? pageIn(links?.next));
  return next > 0 ? next : undefined;
}

/** The number of the page that a link leads to. */
const pageIn = (link: unknown): string | null =>
  typeof link === "string" && URL.canParse(link, "http://platform")
    ? new URL(link, "http://platform").searchParams.get("page[number]")
    : null;

/** Reads a whole collection, in the largest pages that the platform gives. @internal */
export async function readAll(connection: Connection, path: string, send: typeof call = call): Promise<Resource[]> {
  const found = new Map<string, Resource>();
  const seen = new Set<number>();
  // A server that sends us round in a circle has shown all that it will.
  for (let page: number | undefined = 1; page !== undefined && !seen.has(page); ) {
    seen.add(page);
    const query = { "page[number]": String(page), "page[size]": "100" };
    const document = ((await send(connection, { method: "GET", path, query, retry: "idempotent" })) ?? {}) as Pagination & {
      data?: unknown;
    };
    if (!Array.isArray(document.data) || !document.data.every(isObject)) throw unexpectedAnswer("GET", path);
    for (const each of document.data.map(completed)) found.set(each.id, each);
    page = nextPage(document);
  }
  return [...found.values()];
}
