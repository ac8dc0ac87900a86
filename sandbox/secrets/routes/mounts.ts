import { Hono } from "hono";
import { Dialect } from "../dialect";
import { Described } from "../document";
import { text } from "../fields";
import { unmount } from "../leases";
import { Mount } from "../records";
import { AppEnv, done, errors, twice } from "../response";

export const below = "sys";

export const paths = (dialect: Dialect): Described[] => [
  {
    path: "mounts",
    description: "List the currently mounted backends.",
    operations: { get: { summary: "List the currently mounted backends.", id: "mounts-list-secrets-engines" } },
  },
  {
    path: "mounts/{path}",
    description: "Mount a new backend at a new path.",
    operations: {
      get: { summary: "Read the configuration of the secret engine at the given path.", id: "mounts-read-configuration" },
      post: { summary: "Enable a new secrets engine at the given path.", id: "mounts-enable-secrets-engine", status: "204" },
      delete: {
        summary: "Disable the mount point specified at the given path.",
        id: "mounts-disable-secrets-engine",
        status: dialect.openapi.removal,
      },
    },
  },
];

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  app.get("/sys/mounts", (c) => {
    const mounts = Object.fromEntries([...c.var.records.mounts.values()].map((mount) => [mount.path, wire(mount, dialect)]));
    return twice(c, { ...mounts, "sys/": { type: "system", description: "system endpoints used for control, policy and debugging" } });
  });

  const path = "/sys/mounts/:path{.+}";

  app.get(path, (c) => {
    const mount = c.var.records.mounts.get(slash(c.req.param("path")));
    return mount ? twice(c, wire(mount, dialect)) : errors(c, 400, `No secret engine mount at ${slash(c.req.param("path"))}`);
  });

  app.on(["POST", "PUT"], path, (c) => {
    const requested = slash(c.req.param("path") as string);
    const type = text(c.var.fields, "type") ?? "";
    if (!type) return errors(c, 400, "backend type must be specified as a string");
    if (type !== dialect.engine) return errors(c, 400, `plugin not found in the catalog: ${type}`);
    if (/^(sys|auth|cubbyhole|identity)\//.test(requested)) return errors(c, 400, `cannot mount "${requested}"`);
    const taken = [...c.var.records.mounts.keys()].find((other) => requested.startsWith(other) || other.startsWith(requested));
    if (taken) return errors(c, 400, `path is already in use at ${taken}`);
    c.var.records.mount(requested.slice(0, -1), text(c.var.fields, "description") ?? "");
    return done(c);
  });

  app.delete(path, (c) => {
    const requested = slash(c.req.param("path"));
    if (/^(sys|auth|cubbyhole|identity)\//.test(requested)) return errors(c, 400, `cannot unmount "${requested}"`);
    unmount(c.var.records, requested);
    return done(c);
  });
}

function slash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}

function wire(mount: Mount, dialect: Dialect): Record<string, unknown> {
  return {
    accessor: mount.accessor,
    config: { default_lease_ttl: 0, force_no_cache: false, max_lease_ttl: 0 },
    description: mount.description,
    local: false,
    options: {},
    seal_wrap: false,
    type: dialect.engine,
    uuid: mount.uuid,
  };
}
