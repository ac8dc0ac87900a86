import { Hono } from "hono";
import { Dialect } from "../dialect";
import { page } from "../paging";
import { AppEnv, document } from "../response";
import { registryModule } from "../wire";
import { organizationOf } from "./organizations";

export const isServed = ({ clientRoutes }: Dialect): boolean => clientRoutes;

/** The list of an organization's modules. */
export function routes(app: Hono<AppEnv>): void {
  app.get("/api/v2/organizations/:name/registry-modules", (c) => {
    const owner = organizationOf(c);
    const { items, links, pagination } = page(
      c,
      c.var.records.modules.filter(({ organization }) => organization === owner),
    );
    return document(c, { data: items.map(registryModule), links, meta: { pagination } });
  });
}
