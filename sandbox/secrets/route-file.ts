import { Hono } from "hono";
import { Block } from "../view";
import { Dialect } from "./dialect";
import { Described } from "./document";
import { Mount, Records } from "./records";
import { AppEnv } from "./response";

/** The exports of a file in `routes/`. No two files serve the same path, so their order does not matter. */
export interface RouteFile {
  /**
   * The prefix of its paths: `engine` for those below each mount of the Nomad secrets engine, or else `sys`, `auth/token` or another mount. Routes begin
   * with it, except that those below `auth/token/` begin with `/token/`.
   */
  below: string;
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
  /** The blocks of the page for records that are not below a mount of the engine. */
  serviceView?(records: Records): Block[];
  /** The secrets among these records, which the page must never show. */
  serviceSecrets?(records: Records): string[];
}
