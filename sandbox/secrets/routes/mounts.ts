import { Hono } from "hono";
import { Dialect } from "../dialect";
import { Described } from "../document";
import { duration, text } from "../fields";
import { HttpError } from "../http-error";
import { unmount } from "../leases";
import { LeaseConfig, Mount } from "../records";
import { AppEnv, done, errors, twice } from "../response";
import { systemTtl } from "../ttl";

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
  {
    path: "mounts/{path}/tune",
    description: "Tune backend configuration parameters for this mount.",
    operations: { get: { id: "mounts-read-tuning-information" }, post: { id: "mounts-tune-configuration-parameters" } },
  },
];

/** Mounts that every Vault has. */
const builtIn: Record<string, object> = {
  "sys/": { type: "system", description: "system endpoints used for control, policy and debugging" },
  "cubbyhole/": { type: "cubbyhole", description: "per-token private secret storage", config: { default_lease_ttl: 0, max_lease_ttl: 0 } },
};

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  app.get("/sys/mounts", (c) => {
    const mounts = Object.fromEntries([...c.var.records.mounts.values()].map((mount) => [mount.path, wire(mount, dialect)]));
    return twice(c, { ...mounts, ...builtIn });
  });

  const tunePath = "/sys/mounts/:path{.+?}/tune";

  app.get(tunePath, (c) => {
    const requested = slash(c.req.param("path"));
    const mount = c.var.records.mounts.get(requested);
    if (!mount) return errors(c, 400, `cannot fetch sysview for path "${requested}"`);
    const { description, terms } = mount;
    const effective = { default_lease_ttl: terms.ttl || systemTtl, max_lease_ttl: terms.maxTtl || systemTtl };
    return twice(c, { ...effective, description, force_no_cache: false });
  });

  app.on(["POST", "PUT"], tunePath, (c) => {
    const requested = slash(c.req.param("path") as string);
    const mount = c.var.records.mounts.get(requested);
    if (!mount) return errors(c, 400, `tune of path "${requested}" failed: no mount entry found`);
    const { ttl = mount.terms.ttl, maxTtl = mount.terms.maxTtl } = termsOf(c.var.fields);
    if (ttl > maxTtl && maxTtl > 0)
      return errors(c, 400, `backend max lease TTL of ${maxTtl} would be less than backend default lease TTL of ${ttl}`);
    Object.assign(mount, { terms: { ttl, maxTtl }, description: text(c.var.fields, "description") ?? mount.description });
    return done(c);
  });

  const path = "/sys/mounts/:path{.+}";

  app.get(path, (c) => {
    const requested = slash(c.req.param("path"));
    const mount = c.var.records.mounts.get(requested);
    const shown = mount ? wire(mount, dialect) : builtIn[requested];
    return shown ? twice(c, { ...shown }) : errors(c, 400, `No secret engine mount at ${requested}`);
  });

  app.on(["POST", "PUT"], path, (c) => {
    const requested = slash(c.req.param("path") as string);
    const type = text(c.var.fields, "type") ?? "";
    if (!type) return errors(c, 400, "backend type must be specified as a string");
    if (type !== dialect.engine) return errors(c, 400, `plugin not found in the catalog: ${type}`);
    if (/^(sys|auth|cubbyhole|identity)\//.test(requested)) return errors(c, 400, `cannot mount "${requested}"`);
    const taken = [...c.var.records.mounts.keys()].find((other) => requested.startsWith(other) || other.startsWith(requested));
    if (taken) return errors(c, 400, `path is already in use at ${taken}`);
    const { ttl = 0, maxTtl = 0 } = termsOf((c.var.fields.config ?? {}) as Record<string, unknown>);
    if (ttl > (maxTtl || systemTtl)) {
      const limit = maxTtl ? "given max lease TTL" : `system max lease TTL of ${systemTtl}`;
      throw new HttpError(400, `given default lease TTL greater than ${limit}`);
    }
    c.var.records.mount(requested.slice(0, -1), text(c.var.fields, "description"), { ttl, maxTtl });
    return done(c);
  });

  app.delete(path, (c) => {
    const requested = slash(c.req.param("path"));
    if (/^(sys|auth|cubbyhole|identity)\//.test(requested)) return errors(c, 400, `cannot unmount "${requested}"`);
    unmount(c.var.records, requested);
    return done(c);
  });
}

const termsOf = (fields: Record<string, unknown>): Partial<LeaseConfig> => ({
  ttl: duration(fields, "default_lease_ttl"),
  maxTtl: duration(fields, "max_lease_ttl"),
});

function slash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}

function wire(mount: Mount, dialect: Dialect): Record<string, unknown> {
  return {
    accessor: mount.accessor,
    config: { default_lease_ttl: mount.terms.ttl, force_no_cache: false, max_lease_ttl: mount.terms.maxTtl },
    description: mount.description,
    local: false,
    options: {},
    seal_wrap: false,
    type: dialect.engine,
    uuid: mount.uuid,
  };
}
