import { Hono } from "hono";
import { Block, row, table } from "../../view";
import { Dialect } from "../dialect";
import { Described } from "../document";
import { flag, text, words } from "../fields";
import { one } from "../http-error";
import { Mount } from "../records";
import { AppEnv, data, done, errors, keys, missing, Route } from "../response";

/** The role in the path. The path is already decoded, and `c.req.param` would decode it again. */
export function nameOf(c: Route): string {
  return c.req.path.slice(c.req.path.lastIndexOf("/") + 1);
}

export const below = "engine";

export function exists({ roles }: Mount, path: string, { roleName }: Dialect): boolean | undefined {
  const name = new RegExp(`^role/(${roleName.pattern})$`).exec(path)?.[1];
  return name === undefined ? undefined : roles.has(name);
}

export function view({ path, roles }: Mount): Block[] {
  const rows = [...roles].map(([name, { type, policies, global }]) => row(name, name, type, policies.join(", "), global ? "yes" : ""));
  return [table(`${path}role`, ["Role", "Type", "Policies", "Global"], rows)];
}

export const paths = (): Described[] => [
  {
    path: "role",
    description: "List the roles",
    undescribed: true,
    operations: { get: { summary: "List the names of the roles.", id: "list-roles", list: true } },
  },
  {
    path: "role/{name}",
    description: "Manage the roles that tokens are generated from",
    undescribed: true,
    create: true,
    operations: {
      get: { summary: "Read a role.", id: "read-role" },
      post: { summary: "Create a role, or update its attributes.", id: "write-role" },
      delete: { summary: "Delete a role.", id: "delete-role" },
    },
  },
];

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  const list = (c: Route): Response => keys(c, [...c.var.mount.roles.keys()], dialect.engine);
  app.on("LIST", "/engine/role/", list);

  const path = `/engine/role/:name{${dialect.roleName.pattern}}` as "/engine/role/:name";

  app.use(path, async (c, next) => {
    if (dialect.roleName.doubleDots || !nameOf(c).includes("..")) return next();
    return dialect.writes.includes(c.req.method)
      ? errors(c, 500, one("internal error"))
      : errors(c, 400, one("relative paths not supported"));
  });

  app.get(path, (c) => {
    const role = c.var.mount.roles.get(nameOf(c));
    return role ? data(c, dialect.role(role), dialect.engine) : missing(c);
  });

  app.on(dialect.writes, path, (c) => {
    const { fields, mount } = c.var;
    const name = nameOf(c);
    const before = mount.roles.get(name);
    // Omitted policies and global stay, and in the API specification the type as well.
    const type = text(fields, "type") ?? (dialect.resetsRoleType ? undefined : before?.type) ?? "client";
    const policies = words(fields, "policies") ?? before?.policies ?? [];
    const global = flag(fields, "global") ?? before?.global ?? false;
    if (type !== "client" && type !== "management") return errors(c, 400, 'type must be "client" or "management"');
    if (dialect.judgesPolicies) {
      if (type === "client" && policies.length === 0) return errors(c, 400, "policies cannot be empty when using client tokens");
      if (type === "management" && policies.length > 0) return errors(c, 400, "policies should be empty when using management tokens");
    }
    mount.roles.set(name, { type, policies, global });
    return done(c);
  });

  app.delete(path, (c) => {
    c.var.mount.roles.delete(nameOf(c));
    return done(c);
  });
}
