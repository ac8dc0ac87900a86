import { Hono } from "hono";
import { Dialect } from "../dialect";
import { paged } from "../paging";
import { Module } from "../records";
import { AppEnv, document, missing, Route } from "../response";
import { registryModule, versionDetails } from "../wire";
import { organizationOf } from "./organizations";

export const isServed = ({ clientRoutes }: Dialect): boolean => clientRoutes;

/** The list of an organization's modules, and what it shows of one. */
export function routes(app: Hono<AppEnv>): void {
  app.get("/api/v2/organizations/:name/registry-modules", (c) => {
    const owner = organizationOf(c);
    const theirs = c.var.records.modules.filter(({ organization }) => organization === owner);
    return paged(c, theirs, registryModule);
  });

  const path = "/api/v2/organizations/:name/registry-modules/private/:namespace/:module/:provider";
  app.get(path, (c) => {
    const module = moduleOf(c);
    return module ? document(c, { data: registryModule(module) }) : missing(c);
  });

  app.get(`${path}/version`, (c) => {
    const requested = c.req.query("module_version") ?? "";
    const version = moduleOf(c)?.versions.get(requested);
    return version ? document(c, { data: versionDetails(requested, version) }) : missing(c);
  });
}

function moduleOf(c: Route): Module | undefined {
  const { namespace = "", module = "", provider = "" } = c.req.param() as Record<string, string>;
  return organizationOf(c).name === namespace ? c.var.records.module(namespace, module, provider) : undefined;
}
