import { Hono } from "hono";
import { Dialect } from "../dialect";
import { page } from "../paging";
import { AppEnv, document } from "../response";
import { adminOrganization } from "../wire";

export const isServed = ({ name }: Dialect): boolean => name === "hashicorp";

export function routes(app: Hono<AppEnv>): void {
  app.get("/api/v2/admin/organizations", (c) => {
    const { items, links, pagination } = page(c, [...c.var.records.organizations.values()]);
    return document(c, { data: items.map(adminOrganization), links, meta: { pagination } });
  });
}
