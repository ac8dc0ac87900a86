import { Operation } from "../contract/operation";
import { invalidResponse } from "../http/failure";
import { isObject } from "../text/json";
import { asString, call, completed, ResourceObject } from "./client";

interface Pagination {
  links?: { next?: unknown };
  meta?: { pagination?: { "next-page"?: unknown; "total-count"?: unknown } };
}

/** The number of the next page; undefined after the last one. Throws if it is no number, since later items would be missing. */
function nextPage({ links, meta }: Pagination, path: string): number | undefined {
  const next = meta?.pagination?.["next-page"] ?? pageIn(links?.next);
  if (next === undefined) return undefined;
  if (!/^\d+$/.test(asString(next))) throw invalidResponse("GET", path);
  return Number(next) || undefined;
}

/** The page number in a link: empty if the link has none, and undefined without a link. */
function pageIn(link: unknown): string | undefined {
  if (!link) return undefined;
  const url = typeof link === "string" && URL.canParse(link, "http://platform") ? new URL(link, "http://platform") : undefined;
  return url?.searchParams.get("page[number]") ?? "";
}

/** One page of a collection. */
export interface Page<Item> {
  items: Item[];
  /** The number of the next page; undefined after the last one. */
  next: number | undefined;
  /** The number of items on all pages; that of this page if the server does not count them. */
  totalCount: number;
}

/** The page in a document. */
export function pageOf<Item>(document: unknown, path: string, itemOf: (item: Record<string, unknown>) => Item): Page<Item> {
  const { data, ...pagination } = (document ?? {}) as Pagination & { data?: unknown };
  if (!Array.isArray(data) || !data.every(isObject)) throw invalidResponse("GET", path);
  const count = pagination.meta?.pagination?.["total-count"];
  return { items: data.map(itemOf), next: nextPage(pagination, path), totalCount: typeof count === "number" ? count : data.length };
}

type Identified = { id: string };
type Fetch<Item> = (page: number) => Promise<Page<Item>>;

/** The first page and all later ones. Throws if they form a loop. */
async function* pagesFrom<Item extends Identified>(first: Page<Item>, path: string, fetchPage: Fetch<Item>): AsyncGenerator<Page<Item>> {
  const [fetched, seen] = [new Set([1]), new Set<string>()];
  for (let page = first; ; ) {
    const before = seen.size;
    for (const { id } of page.items) seen.add(id);
    yield page;
    if (page.next === undefined) return;
    if (fetched.has(page.next) || seen.size === before)
      throw invalidResponse("GET", path, "the pagination never ends").with({ rule: "circle" });
    fetched.add(page.next);
    page = await fetchPage(page.next);
  }
}

/** The items of the first page and all later ones. An item that moves to another page meanwhile is returned once. */
export async function* itemsFrom<Item extends Identified>(first: Page<Item>, path: string, fetchPage: Fetch<Item>): AsyncGenerator<Item> {
  const returned = new Set<string>();
  let total = 0;
  // A deletion moves an item to a page that was read before: read again. A second shortage means that the count is wrong.
  for (const attempt of [1, 2]) {
    for await (const page of pagesFrom(attempt === 1 ? first : await fetchPage(1), path, fetchPage)) {
      total = Math.max(total, page.totalCount);
      for (const item of page.items) {
        if (returned.has(item.id)) continue;
        returned.add(item.id);
        yield item;
      }
    }
    if (returned.size >= total) return;
  }
}

/** Reads a whole collection, with the largest page size of Terraform Enterprise. An empty size is for a list that may have no pages. */
export async function readAll(operation: Operation, path: string, send: typeof call = call, size = "100"): Promise<ResourceObject[]> {
  const fetchPage = async (page: number): Promise<Page<ResourceObject>> => {
    const query = { "page[number]": size || page > 1 ? String(page) : undefined, "page[size]": size || undefined };
    return pageOf(await send(operation, { method: "GET", path, query, retry: "idempotent" }), path, completed);
  };
  const all: ResourceObject[] = [];
  for await (const each of itemsFrom(await fetchPage(1), path, fetchPage)) all.push(each);
  return all;
}
