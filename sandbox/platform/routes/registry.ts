import { Hono } from "hono";
import { AppEnv } from "../answer";
import { registryVersion, registryVersions } from "../wire";

/** The registry protocol, with plain JSON and errors as strings. Every user may read. */
export function routes(app: Hono<AppEnv>): void {
  const path = "/api/registry/v1/modules/:namespace/:name/:provider";
  const missing = { errors: ["not found"] };

  app.get(`${path}/versions`, (c) => {
    const { namespace, name, provider } = c.req.param();
    const module = c.var.records.module(namespace, name, provider);
    return module ? c.json(registryVersions(module)) : c.json(missing, 404);
  });

  app.get(`${path}/:version`, (c) => {
    const { namespace, name, provider, version } = c.req.param();
    const module = c.var.records.module(namespace, name, provider);
    return module?.versions.has(version) ? c.json(registryVersion(module, version)) : c.json(missing, 404);
  });
}
