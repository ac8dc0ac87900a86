import { Context, Env } from "hono";
import { Dialect } from "./dialect";
import { Group } from "./document";
import { Mount, Records, Token } from "./records";

/** The context of a request, set before its route runs. */
export interface AppEnv extends Env {
  Variables: {
    records: Records;
    dialect: Dialect;
    now: Date;
    /** The fields of the body. A route ignores unknown ones, as Vault does. */
    fields: Record<string, unknown>;
    /** Set on the routes of an engine. */
    mount: Mount;
    /** The groups of the API document, with the engines at these mounts. */
    groups(mounts: string[]): Group[];
    /** Undefined only on routes without authentication. */
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

/** A 404 for a path that stores nothing: its list of errors is empty. */
export function missing(c: Route): Response {
  return errors(c, 404);
}

/** Returns the data also at the top level, as Vault does on some system routes. */
export function twice(c: Route, value: Record<string, unknown>): Response {
  return c.json({ ...value, ...c.var.dialect.envelope(value, "system") });
}

/** The response to a list. An empty list is a 404, as in Vault. */
export function keys(c: Route, names: string[], mountType: string): Response {
  return names.length > 0 ? data(c, { keys: names.sort() }, mountType) : missing(c);
}
