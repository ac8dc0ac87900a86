import { parseBool, parseDuration } from "../go-values";
import { HttpError } from "./http-error";
import { home } from "./records";
import { Route } from "./response";

export interface Query {
  namespace: string;
  region: string;
  filter: string;
  prefix: string;
  /** 0 for all items. In Nomad, a page with a negative size is empty. */
  pageSize: number;
  nextToken: string;
  reverse: boolean;
  stale: boolean;
  /** The index to wait beyond; 0 for no wait. */
  index: bigint;
  /** The wait in milliseconds; 0 for the default. */
  wait: number;
}

export function queryOf(c: Route): Query {
  const text = (name: string): string => c.req.queries(name)?.[0] ?? "";
  const stale = c.req.queries("stale")?.[0];
  if (stale && parseBool(stale) === undefined) throw new HttpError(400, "Expect `true` or `false` for `stale` query string parameter");
  const size = text("per_page");
  if (size && (!/^[+-]?\d+$/.test(size) || Math.abs(Number(size)) >= 2 ** 31))
    throw new HttpError(400, "Expect a number for `per_page` query string parameter");
  const { isStrict } = c.var.dialect;
  if (isStrict && size && Number(size) <= 0) throw new HttpError(400, "Expect a positive number for `per_page` query string parameter");
  if (isStrict && text("filter") && (text("prefix") || text("meta")))
    throw new HttpError(400, "`filter` cannot be combined with `prefix` or `meta`");
  const wait = parseDuration(text("wait") || "0");
  if (wait === undefined) throw new HttpError(400, "Invalid wait time");
  const index = text("index");
  if (index && (!/^\d+$/.test(index) || BigInt(index) >= 2n ** 64n)) throw new HttpError(400, "Invalid index");
  return {
    namespace: text("namespace") || "default",
    region: text("region") || home,
    filter: text("filter"),
    prefix: text("prefix"),
    pageSize: Number(size || 0),
    nextToken: text("next_token"),
    reverse: text("reverse") === "true",
    stale: stale !== undefined && (stale === "" || parseBool(stale) === true),
    index: BigInt(index || 0),
    wait: wait * 1000,
  };
}
