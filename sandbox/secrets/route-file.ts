import type { Hono } from "hono";
import type { Block } from "../view";
import type { AppEnv } from "./answer";
import type { Dialect } from "./dialect";
import type { Described } from "./document";
import type { Mount } from "./records";

/** What a file of routes/ exports. No two files serve the same path, so their order means nothing. */
export interface RouteFile {
  /** Where its paths lie: in each engine, where the routes begin with `/engine/`, below `sys/`, or below `auth/token/`, where they begin with `/token/`. */
  below: "engine" | "sys" | "auth/token";
  /** Missing: it is served in both dialects. */
  isServed?(dialect: Dialect): boolean;
  /** Its part of the API document. */
  paths(dialect: Dialect): Described[];
  routes(app: Hono<AppEnv>, dialect: Dialect): void;
  /** Tells creating from updating, which are two capabilities: whether a path of the engine exists. undefined: not its path. */
  exists?(mount: Mount, path: string, dialect: Dialect): boolean | undefined;
  /** What the page shows of an engine. */
  view?(mount: Mount): Block[];
  /** What the page must not show of it, wherever it turns up. */
  secrets?(mount: Mount): string[];
}
