import type { Hono } from "hono";
import type { AppEnv } from "../answer";
import { json, secretOf } from "../answer";
import { denied } from "../http-error";
import { accessOf } from "../policy";
import { membership } from "../wire";

/** The one agent that runs here knows the members of every region. It is not asked for a region, and neither holds nor pages. */
export function routes(app: Hono<AppEnv>): void {
  app.get("/v1/agent/members", (c) => {
    const { records } = c.var;
    if (!accessOf(records, secretOf(c)).agent) throw denied();
    return json(c, membership([...records.regions.values()].flatMap(({ members }) => [...members.values()])));
  });
}
