import type { Output } from "@pulumi/pulumi/output";
import { z } from "zod";
import { StewardError } from "../contract/errors";
import { ReadFunction } from "../contract/function";
import { bool, rule, strictObject } from "../contract/inputs";
import { invalidResponse } from "../http/failure";
import { invokeEach, readAsOutput } from "../program/invoke";
import { isObject } from "../text/json";
import {
  call,
  consistencyShape,
  header,
  QueryOptions,
  queryOf,
  SchedulerOperation,
  SchedulerRequest,
  SchedulerSettings,
  system,
} from "./client";
import { Filter, isFilter } from "./filter";

/** Options of a list: filter, order and page size. */
export interface ListOptions extends QueryOptions {
  /** An expression over the full record, from {@link filter} or as a string in Nomad's grammar. */
  filter?: Filter | string;
  /**
   * The number of items on one page.
   * @default all, unless Nomad paginates anyway
   */
  pageSize?: number;
  /**
   * Reverses the order, if Nomad supports it.
   * @default false
   */
  reverse?: boolean;
  /** Aborts the list with `ERR_ABORTED`. */
  signal?: AbortSignal;
}

/** Metadata of a page. */
export interface Page {
  /** The index of the list, or 0 if Nomad returns none. */
  index: number;
  /** The milliseconds since the server last had contact with its leader. */
  lastContact?: number;
  /** True if the server knew a leader. */
  knownLeader?: boolean;
}

/** A list that is fetched page by page on demand, starting with the first page in each iteration. */
export interface List<T> extends AsyncIterable<T> {
  /** The metadata of the last fetched page, or undefined before the first. */
  readonly page: Page | undefined;
  /** Fetches the whole list. The output is unknown in a preview that does not know the token, and a secret if the token is one. */
  output(): Output<T[]>;
}

export const signalInput: z.ZodType<AbortSignal | undefined> = z
  .custom<AbortSignal>(
    (value) => typeof (value as AbortSignal | undefined)?.addEventListener === "function",
    rule("abort-signal", "must be an AbortSignal"),
  )
  .optional();

const filterInput = z
  .custom<Filter | string>(
    (value) => typeof value === "string" || isFilter(value),
    rule("filter", "must be a string or a filter from scheduler.filter()"),
  )
  .refine((value) => String(value).trim() !== "", rule("empty", "must not be empty"));

/** The schema of the options of a list. `more`: further options. */
export function querySchema(more: z.ZodRawShape = {}): z.ZodType {
  return strictObject({
    ...consistencyShape,
    filter: filterInput.optional(),
    pageSize: z.int("must be a whole number").min(1, "must be at least 1").optional(),
    reverse: bool.optional(),
    signal: signalInput,
    ...more,
  });
}

/** The size limit of the response to a list. */
const listBytes = 64 * 1024 * 1024;

/** The collections to list and to watch. */
export type Collection = "jobs" | "deployments" | "nodes";

/** The expression with empty literals: `Name == ""`. */
const withoutLiterals = (filter: string): string => filter.replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/`[^`]*`/g, '""');

const emptiness = /(?<![\w.\]])([A-Za-z]\w*(?:\.\w+|\[""\])*)\s+is\s+(?:not\s+)?empty\b/g;

/** True if Nomad may close the connection because of the filter, so that the request must not be retried. */
const testsEmptiness = (filter: string): boolean => withoutLiterals(filter).search(emptiness) >= 0;

/** The error with a hint about the filter. */
function explainFilter(error: unknown, filter: string): unknown {
  if (!(error instanceof StewardError)) return error;
  const quoted = `The filter was: ${filter}`;
  if (error.code === "ERR_NO_RESPONSE" && testsEmptiness(filter))
    return error.with({
      hint: `The server closes the connection when a filter tests a number, a bool or an object for emptiness. ${quoted}`,
    });
  if (error.status !== 400) return error;
  const isMissing = error.details.reason.includes("datum");
  const record = "A filter applies to the full record, not to the stub in the list: the `Address` of a node is `HTTPAddr`. ";
  return error.with({ hint: `${isMissing ? record : ""}${quoted}` });
}

export type Item = Record<string, unknown>;
export interface Fetched {
  items: Item[];
  page: Page;
  next: string | undefined;
  /** The response has an index, which blocking queries need. */
  hasIndex: boolean;
}

/** Fetches one page. `more`: further properties of the request. */
export async function fetchPage(
  operation: SchedulerOperation,
  collection: Collection,
  options: ListOptions,
  next: string | undefined,
  more: Partial<SchedulerRequest> = {},
): Promise<Fetched> {
  const path = `/v1/${collection}`;
  const filter = options.filter?.toString();
  // Nodes have no namespace.
  const inherited = collection === "nodes" ? { ...operation, server: { ...operation.server, namespace: undefined } } : operation;
  const query = {
    ...queryOf(inherited, options),
    filter,
    per_page: options.pageSize?.toString(),
    reverse: options.reverse ? "true" : undefined,
    next_token: next,
    ...more.query,
  };
  const retry = filter !== undefined && testsEmptiness(filter) ? "only429" : "exceptOn5xx";
  const limits = { bodyBytes: listBytes, ...more.limits };
  const request = { method: "GET", path, retry, signal: options.signal, ...more, query, limits } as const;
  const response = await call(operation, request).catch((error) => {
    throw filter === undefined ? error : explainFilter(error, filter);
  });
  // Go encodes an empty list as null.
  const items = response.body === null ? [] : response.body;
  if (!Array.isArray(items) || !items.every(isObject)) throw invalidResponse("GET", path);
  const [index, contact, leader] = ["index", "lastcontact", "knownleader"].map((name) => header(operation, response, name));
  return {
    items: items.map(withTimesAsStrings),
    page: {
      index: Number(index ?? 0) || 0,
      ...(contact === undefined ? {} : { lastContact: Number(contact) }),
      ...(leader === undefined ? {} : { knownLeader: leader === "true" }),
    },
    next: header(operation, response, "nexttoken"),
    hasIndex: index !== undefined,
  };
}

/** Nanoseconds are always strings, even if JavaScript could represent the number. */
function withTimesAsStrings(item: Item): Item {
  for (const field of ["SubmitTime", "CreateTime", "ModifyTime"]) if (typeof item[field] === "number") item[field] = String(item[field]);
  return item;
}

type Fetch = (query: ListOptions, next?: string) => Promise<Fetched>;

/** All pages, without duplicate items. */
export async function* pages(query: ListOptions, collection: Collection, fetch: Fetch): AsyncGenerator<Fetched> {
  const tokens = new Set<string>();
  const seen = new Set<string>();
  const unseen = (items: Item[]): Item[] =>
    items.filter((item) => {
      const key = JSON.stringify([item.Namespace, item.ID]);
      return item.ID === undefined || (!seen.has(key) && seen.add(key));
    });
  for (let next: string | undefined; ; ) {
    const fetched = await fetch(query, next);
    yield { ...fetched, items: unseen(fetched.items) };
    next = fetched.next;
    if (next === undefined) return;
    if (tokens.has(next)) break;
    tokens.add(next);
  }
  // Nomad can repeat a page token when it lists all namespaces, and later items would be missing. Without pages it cannot.
  const whole = query.pageSize === undefined ? undefined : await fetch({ ...query, pageSize: undefined });
  if (whole === undefined || whole.next !== undefined)
    throw invalidResponse("GET", `/v1/${collection}`, "the pagination never ends").with({ rule: "circle" });
  yield { ...whole, items: unseen(whole.items) };
}

export interface ListReadFunction<T> extends ReadFunction<ListOptions, T[], SchedulerSettings> {
  property: Collection;
}

export const listFunction = <T>(collection: Collection): ListReadFunction<T> => ({
  token: `scheduler:list${collection[0]?.toUpperCase()}${collection.slice(1)}`,
  operation: `Cannot list ${collection}`,
  system,
  options: querySchema(),
  property: collection,
  async run(operation, query) {
    const items: Item[] = [];
    for await (const each of pagesOf(operation, collection, query)) items.push(...each.items);
    return items as T[];
  },
});

export const pagesOf = (operation: SchedulerOperation, collection: Collection, query: ListOptions): AsyncGenerator<Fetched> =>
  pages(query, collection, (each, next) => fetchPage(operation, collection, each, next));

export function list<T>(called: ListReadFunction<T>, options: ListOptions): List<T> {
  let page: Page | undefined;
  return {
    get page() {
      return page;
    },
    output: () => readAsOutput(called, options),
    async *[Symbol.asyncIterator]() {
      const fetched = invokeEach(called, options, (operation) => pagesOf(operation, called.property, options));
      for await (const each of fetched) {
        page = each.page;
        for (const item of each.items) {
          if (options.signal?.aborted) throw aborted().with({ operation: called.operation });
          yield item as T;
        }
      }
    },
  };
}

export const aborted = (): StewardError => new StewardError({ code: "ERR_ABORTED", reason: "the program's signal aborted it" });
