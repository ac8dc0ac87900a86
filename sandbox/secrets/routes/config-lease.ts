import { Hono } from "hono";
import { Block, fields } from "../../view";
import { Dialect } from "../dialect";
import { Described } from "../document";
import { duration } from "../fields";
import { Mount } from "../records";
import { AppEnv, data, done, missing } from "../response";
import { lease } from "../wire";

export const below = "engine";

export const view = ({ path, lease }: Mount): Block[] => [
  fields(`${path}config/lease`, lease && { ttl: `${lease.ttl} s`, "max ttl": `${lease.maxTtl} s` }),
];

export const paths = (): Described[] => [
  {
    path: "config/lease",
    description: "Configure the lease parameters for generated tokens",
    operations: {
      get: { summary: "Read the lease configuration.", id: "read-lease-configuration" },
      post: { summary: "Write the lease configuration.", id: "configure-lease" },
      delete: { summary: "Delete the lease configuration.", id: "delete-lease-configuration" },
    },
  },
];

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  const path = "/engine/config/lease";

  app.get(path, (c) => (c.var.mount.lease ? data(c, lease(c.var.mount.lease), dialect.engine) : missing(c)));

  app.on(dialect.writes, path, (c) => {
    // A write replaces both: an omitted one becomes 0.
    c.var.mount.lease = { ttl: duration(c.var.fields, "ttl") ?? 0, maxTtl: duration(c.var.fields, "max_ttl") ?? 0 };
    return done(c);
  });

  app.delete(path, (c) => {
    c.var.mount.lease = undefined;
    return done(c);
  });
}
