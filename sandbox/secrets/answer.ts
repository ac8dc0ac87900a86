import type { Context, Env } from "hono";
import type { Dialect } from "./dialect";
import type { Group } from "./document";
import { one } from "./http-error";
import type { Mount, Records, Token } from "./records";

/** What the wiring finds out about a request before a route sees it. */
export interface AppEnv extends Env {
  Variables: {
    records: Records;
    dialect: Dialect;
    now: Date;
    /** The body's fields; a route picks what it knows, and ignores the rest as the real product does. */
    fields: Record<string, unknown>;
    /** Present on the routes of an engine. */
    mount: Mount;
    /** What the API document shows, with these engines. */
    groups(mounts: string[]): Group[];
    /** Absent only on a route that needs none. */
    token: Token | undefined;
  };
}

export type Route = Context<AppEnv>;

export function data(c: Route, value: Record<string, unknown>, mountType: string): Response {
  return c.json(c.var.dialect.envelope(value, mountType));
}

export function done(c: Route): Response {
  return c.body(null, 204, { "content-type": "application/json" });
}

export function errors(c: Route, status: 400 | 403 | 404 | 405 | 415 | 500 | 503, ...messages: string[]): Response {
  return c.json({ errors: messages }, status);
}

/** Nothing is stored there: the list of errors is empty. */
export function missing(c: Route): Response {
  return errors(c, 404);
}

export function unsupportedPath(c: Route): Response {
  return errors(c, 404, one("unsupported path"));
}

export function unsupportedOperation(c: Route): Response {
  return errors(c, 405, one("unsupported operation"));
}

/** Where the real product answers by a handler of its own, and not by an engine. */
export function unknownMethod(c: Route): Response {
  return errors(c, 405);
}

export function internal(c: Route): Response {
  return errors(c, 500, one("internal error"));
}

export function denied(c: Route): Response {
  return errors(c, 403, one("permission denied"));
}

/** The real product repeats the data of some system routes at the top level. */
export function twice(c: Route, value: Record<string, unknown>): Response {
  return c.json({ ...value, ...c.var.dialect.envelope(value, "system") });
}

/** The list in an answer; the real product knows no empty one. */
export function keys(c: Route, names: string[], mountType: string): Response {
  return names.length > 0 ? data(c, { keys: names.sort() }, mountType) : missing(c);
}
