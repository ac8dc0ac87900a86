import { Context, Env } from "hono";
import { Dialect } from "./dialect";
import { stringify } from "./json";
import { Records } from "./records";

/** The context that the middleware sets for the routes. */
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

/** The secret of the token in the token header, or else in the authorization header. */
export function secretOf(c: Route): string | undefined {
  const secret = c.req.header(c.var.dialect.tokenHeader);
  if (secret) return secret.trim();
  return /^bearer +(\S+)/i.exec(c.req.header("authorization") ?? "")?.[1];
}
