import type { Hono } from "hono";
import type { Block } from "../view";
import type { AppEnv } from "./answer";
import type { Dialect } from "./dialect";
import type { Records } from "./records";
import type { Settings } from "./settings";

/** What a file of routes/ exports. No two files serve the same path, so their order means nothing. */
export interface RouteFile {
  /** Missing: it is served in both dialects. */
  isServed?(dialect: Dialect): boolean;
  /** It asks for no token. */
  isPublic?: true;
  /** Settings that it serves; the page shows them. */
  settings?(dialect: Dialect): Settings;
  routes(app: Hono<AppEnv>, dialect: Dialect): void;
  /** What the page shows besides. */
  view?(records: Records): Block[];
  /** What the page must not show, wherever it turns up, beside the secrets of settings. */
  secrets?(records: Records): string[];
}
