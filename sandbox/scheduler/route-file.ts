import type { Hono } from "hono";
import type { AppEnv } from "./answer";
import type { Dialect } from "./dialect";

/** What a file of routes/ exports. No two files serve the same path, so their order means nothing. */
export interface RouteFile {
  routes(app: Hono<AppEnv>, dialect: Dialect): void;
}
