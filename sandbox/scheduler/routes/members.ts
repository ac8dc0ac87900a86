import { Hono } from "hono";
import { denied } from "../http-error";
import { accessOf } from "../policy";
import { AppEnv, json, secretOf } from "../response";
import { membership } from "../wire";

/** The single agent knows the members of all regions. The request has no region, no wait and no pages. */
export function routes(app: Hono<AppEnv>): void {
  app.get("/v1/agent/members", (c) => {
    const { records } = c.var;
    if (!accessOf(records, secretOf(c)).agent) throw denied();
    return json(c, membership([...records.regions.values()].flatMap(({ members }) => [...members.values()])));
  });
}
