import { Hono } from "hono";
import { Module, mayManage } from "../records";
import { AppEnv, Route } from "../response";
import { registryVersion, registryVersions } from "../wire";

/** The registry protocol, with plain JSON and errors as strings. */
export function routes(app: Hono<AppEnv>): void {
  const path = "/api/registry/v1/modules/:namespace/:name/:provider";
  const missing = { errors: ["not found"] };

  app.get(`${path}/versions`, (c) => {
    const module = moduleOf(c);
    return module ? c.json(registryVersions(module)) : c.json(missing, 404);
  });

  app.get(`${path}/:version`, (c) => {
    const module = moduleOf(c);
    const { version } = c.req.param();
    return module?.versions.has(version) ? c.json(registryVersion(module, version)) : c.json(missing, 404);
  });
}

/** The module in the path, if it belongs to an organization of the user. */
function moduleOf(c: Route): Module | undefined {
  const { namespace = "", name = "", provider = "" } = c.req.param() as Record<string, string>;
  const module = c.var.records.module(namespace, name, provider);
  return module && mayManage(c.var.user, module.organization) ? module : undefined;
}
