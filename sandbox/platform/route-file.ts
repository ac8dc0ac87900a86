import { Hono } from "hono";
import { Block } from "../view";
import { Dialect } from "./dialect";
import { Records } from "./records";
import { AppEnv } from "./response";
import { Settings } from "./settings";

/** The exports of a file in routes/. No two files serve the same path, so their order does not matter. */
export interface RouteFile {
  /** True if the dialect has these routes. Without it, all dialects have them. */
  isServed?(dialect: Dialect): boolean;
  /** Set if the routes do not require a token. */
  isPublic?: true;
  /** The settings that it serves. The page shows them. */
  settings?(dialect: Dialect): Settings;
  routes(app: Hono<AppEnv>, dialect: Dialect): void;
  /** Additional blocks of the page. */
  view?(records: Records): Block[];
  /** Secrets that the page must hide everywhere, besides those of settings. */
  secrets?(records: Records): string[];
}
