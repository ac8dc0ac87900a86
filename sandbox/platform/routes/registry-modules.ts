import { Hono } from "hono";
import { Dialect } from "../dialect";
import { paged } from "../paging";
import { AppEnv } from "../response";
import { registryModule } from "../wire";
import { organizationOf } from "./organizations";

export const isServed = ({ clientRoutes }: Dialect): boolean => clientRoutes;

/** The list of an organization's modules. */
export function routes(app: Hono<AppEnv>): void {
  app.get("/api/v2/organizations/:name/registry-modules", (c) => {
    const owner = organizationOf(c);
    const theirs = c.var.records.modules.filter(({ organization }) => organization === owner);
    return paged(c, theirs, registryModule);
  });
}
