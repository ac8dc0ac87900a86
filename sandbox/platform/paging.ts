import { document, Route } from "./response";

const defaultSize = 20;
// The specification has no maximum. This is the one of Terraform Enterprise.
const largestSize = 100;

/** The document of the page that the query selects. A page after the last one is empty. An invalid number counts as omitted. */
export function paged<Item>(
  c: Route,
  all: Item[],
  shown: (item: Item) => object,
  more: (items: Item[]) => { meta?: object; included?: object[] } = () => ({}),
): Response {
  const size = Math.min(whole(c.req.query("page[size]")) ?? defaultSize, largestSize);
  const number = whole(c.req.query("page[number]")) ?? 1;
  const last = Math.max(1, Math.ceil(all.length / size));
  const previous = number > 1 ? number - 1 : null;
  const next = number < last ? number + 1 : null;
  const link = (to: number): string => {
    const { origin, pathname, searchParams } = new URL(c.req.url);
    searchParams.set("page[number]", String(to));
    searchParams.set("page[size]", String(size));
    return `${c.var.dialect.linkOrigin(origin)}${pathname}?${searchParams}`;
  };
  const links = {
    self: link(number),
    first: link(1),
    prev: previous === null ? null : link(previous),
    next: next === null ? null : link(next),
    last: link(last),
  };
  const pagination = {
    "current-page": number,
    ...c.var.dialect.pagination(size),
    "prev-page": previous,
    "next-page": next,
    "total-pages": last,
    "total-count": all.length,
  };
  const items = all.slice((number - 1) * size, number * size);
  const { meta, ...others } = more(items);
  return document(c, { data: items.map(shown), ...others, links, meta: { pagination, ...meta } });
}

function whole(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
