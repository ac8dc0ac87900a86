import { Hono } from "hono";
import { Dialect } from "./dialect";
import { AppEnv } from "./response";

/** The exports of a file in routes/. No two files serve the same path, so their order does not matter. */
export interface RouteFile {
  routes(app: Hono<AppEnv>, dialect: Dialect): void;
}
