import { Hono } from "hono";
import { AppEnv, document, Route } from "../answer";
import { Dialect } from "../dialect";
import { HttpError } from "../http-error";
import { page } from "../paging";
import { mayManage } from "../records";
import { adminOrganization, organization, Resource, registryModule } from "../wire";

export const isServed = ({ name }: Dialect): boolean => name === "hashicorp";

/** The lists of organizations and of their modules, which only Terraform Enterprise has. */
export function routes(app: Hono<AppEnv>): void {
  const all = (c: Route) => [...c.var.records.organizations.values()];

  app.get("/api/v2/admin/organizations", (c) => listed(c, all(c), adminOrganization));

  app.get("/api/v2/organizations", (c) => {
    const visible = all(c).filter((each) => mayManage(c.var.user, each));
    return listed(c, visible, organization);
  });

  app.get("/api/v2/organizations/:name/registry-modules", (c) => {
    const owner = c.var.records.organizations.get(c.req.param("name"));
    if (!owner || !mayManage(c.var.user, owner)) throw new HttpError(404);
    const modules = c.var.records.modules.filter((each) => each.organization === owner);
    return listed(c, modules, registryModule);
  });
}

function listed<Item>(c: Route, all: Item[], toResource: (item: Item) => Resource): Response {
  const { items, links, pagination } = page(c, all);
  return document(c, { data: items.map(toResource), links, meta: { pagination } });
}
