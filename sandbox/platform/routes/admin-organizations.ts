import { Hono } from "hono";
import { Dialect } from "../dialect";
import { paged } from "../paging";
import { AppEnv } from "../response";
import { adminOrganization } from "../wire";

export const isServed = ({ name }: Dialect): boolean => name === "hashicorp";

export function routes(app: Hono<AppEnv>): void {
  app.get("/api/v2/admin/organizations", (c) => paged(c, [...c.var.records.organizations.values()], adminOrganization));
}
