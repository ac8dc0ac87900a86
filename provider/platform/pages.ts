import { Connection } from "../connection";
import { isObject } from "../json";
import { call, completed, Resource, unexpectedAnswer } from "./client";

/** @internal */
export interface Pagination {
  links?: { next?: unknown };
  meta?: { pagination?: { "next-page"?: number | string | null; "total-count"?: number } };
}

/** The number of the next page; undefined after the last one. @internal */
export function nextPage({ links, meta }: Pagination): number | undefined {
  const next = Number(meta?.pagination?.["next-page"] ?? pageIn(links?.next));
  return next > 0 ? next : undefined;
}

/** The page number in a link. */
const pageIn = (link: unknown): string | null =>
  typeof link === "string" && URL.canParse(link, "http://platform")
    ? new URL(link, "http://platform").searchParams.get("page[number]")
    : null;

/** One page of a collection, and the number of the next one. @internal */
export interface Page<Item> {
  items: Item[];
  next: number | undefined;
}

/** The items of this page and all later ones. An item that moves to a later page meanwhile is returned once. @internal */
export async function* itemsFrom<Item extends { id: string }>(
  first: Page<Item>,
  fetchPage: (page: number) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  const given = new Set<string>();
  const fetched = new Set([1]);
  for (let page = first; ; ) {
    for (const item of page.items) {
      if (given.has(item.id)) continue;
      given.add(item.id);
      yield item;
    }
    // The server returned the number of an earlier page: stop instead of looping forever.
    if (page.next === undefined || fetched.has(page.next)) return;
    fetched.add(page.next);
    page = await fetchPage(page.next);
  }
}

/** Reads a whole collection, with the largest page size of the platform. @internal */
export async function readAll(connection: Connection, path: string, send: typeof call = call): Promise<Resource[]> {
  const fetchPage = async (page: number): Promise<Page<Resource>> => {
    const query = { "page[number]": String(page), "page[size]": "100" };
    const document = ((await send(connection, { method: "GET", path, query, retry: "idempotent" })) ?? {}) as Pagination & {
      data?: unknown;
    };
    if (!Array.isArray(document.data) || !document.data.every(isObject)) throw unexpectedAnswer("GET", path);
    return { items: document.data.map(completed), next: nextPage(document) };
  };
  const all: Resource[] = [];
  for await (const each of itemsFrom(await fetchPage(1), fetchPage)) all.push(each);
  return all;
}
