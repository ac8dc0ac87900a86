import type { Hono } from "hono";
import type { Block } from "../view";
import type { AppEnv } from "./answer";
import type { Dialect } from "./dialect";
import type { Described } from "./document";
import type { Mount } from "./records";

/** The exports of a file in `routes/`. No two files serve the same path, so their order does not matter. */
export interface RouteFile {
  /** The prefix of its paths. Routes of an engine begin with `/engine/`, those below `auth/token/` with `/token/`. */
  below: "engine" | "sys" | "auth/token";
  /** True if the dialect serves it. Default: every dialect does. */
  isServed?(dialect: Dialect): boolean;
  /** Its part of the API document. */
  paths(dialect: Dialect): Described[];
  routes(app: Hono<AppEnv>, dialect: Dialect): void;
  /** True if the object at a path of the engine exists: a write then requires "update" instead of "create". Undefined for other paths. */
  exists?(mount: Mount, path: string, dialect: Dialect): boolean | undefined;
  /** The blocks of the page for an engine. */
  view?(mount: Mount): Block[];
  /** The secrets of an engine, which the page must never show. */
  secrets?(mount: Mount): string[];
}
