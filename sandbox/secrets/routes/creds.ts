import { Hono } from "hono";
import { Dialect } from "../dialect";
import { Described } from "../document";
import { one } from "../http-error";
import { grant } from "../leases";
import { AppEnv, errors } from "../response";
import { createToken, Unreachable } from "../scheduler-client";
import { nameOf } from "./role";

export const below = "engine";

export const paths = (): Described[] => [
  {
    path: "creds/{name}",
    description: "Generate a token of the scheduler from a role",
    undescribed: true,
    operations: { get: { summary: "Generate a token of the scheduler from a role.", id: "generate-credentials" } },
  },
];

// The limit of Nomad 0.8.4 and later.
const longestName = 256;

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  const path = `/engine/creds/:name{${dialect.roleName.pattern}}` as "/engine/creds/:name";

  app.get(path, (c) => {
    const { mount, records, token } = c.var;
    const limit = mount.access?.maxTokenNameLength ?? 0;
    const name = nameOf(c);
    const role = mount.roles.get(name);
    if (!role) throw dialect.noRole(name);
    const nanoseconds = BigInt(c.var.now.getTime()) * 1_000_000n + (process.hrtime.bigint() % 1_000_000n);
    const full = `vault-${name}-${token!.displayName}-${nanoseconds}`;
    const request = { ...role, name: full.slice(0, limit > 0 ? limit : longestName) };
    try {
      const { accessor, secret } = createToken(records.schedulerPeer, mount.access, request);
      const granted = grant(records, mount, `${mount.path}creds/${name}`, accessor, token!);
      return c.json(dialect.leased(granted, { accessor_id: accessor, secret_id: secret }, dialect.engine));
    } catch (error) {
      if (error instanceof Unreachable) return errors(c, 500, one(error.message));
      throw error;
    }
  });
}
