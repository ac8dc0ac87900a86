import type { Context, Env } from "hono";
import type { Dialect } from "./dialect";
import type { HttpError } from "./http-error";
import { stringify } from "./json";
import type { Records } from "./records";

/** What the wiring knows about a request before a route sees it. */
export interface AppEnv extends Env {
  Variables: { records: Records; dialect: Dialect };
}

export type Route = Context<AppEnv>;

export function json(c: Route, content: unknown, headers: Record<string, string> = {}): Response {
  const pretty = c.req.queries("pretty")?.[0];
  const indented = pretty !== undefined && pretty !== "0";
  const text = indented ? `${stringify(content, "    ")}\n` : stringify(content);
  return c.body(text, 200, { ...headers, "content-type": "application/json" });
}

export function sentence(c: Route, { status, message, headers }: HttpError): Response {
  return c.body(message, status, { ...headers, "content-type": "text/plain; charset=utf-8" });
}

/** The token's secret: from its own header, else as a bearer. */
export function secretOf(c: Route): string | undefined {
  const own = c.req.header(c.var.dialect.tokenHeader);
  if (own) return own.trim();
  return /^bearer +(\S+)/i.exec(c.req.header("authorization") ?? "")?.[1];
}
