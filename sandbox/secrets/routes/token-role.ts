import { Hono } from "hono";
import { Dialect } from "../dialect";
import { Described } from "../document";
import { duration, flag, text, words } from "../fields";
import { revokeToken } from "../leases";
import { AppEnv, done, errors } from "../response";
import { issue } from "../tokens";
import { timeToLive } from "../ttl";

const creates = "This token create path is used to create new tokens adhering to the given role.";
const revokes = "This endpoint will delete the token associated with the accessor and all of its child tokens.";

export const below = "auth/token";
export const isServed = ({ leases }: Dialect): boolean => leases;

export const paths = (): Described[] => [
  { path: "create/{role_name}", description: creates, operations: { post: { summary: creates, id: "create-against-role" } } },
  { path: "revoke-accessor", description: revokes, operations: { post: { summary: revokes, id: "revoke-accessor" } } },
  { path: "roles/{role_name}", undescribed: "path", create: true, operations: { post: { id: "write-role" } } },
];

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  app.on(["POST", "PUT"], "/token/roles/:role_name", (c) => {
    const { fields, records } = c.var;
    records.tokenRoles.set(c.req.param("role_name") as string, {
      policies: words(fields, "allowed_policies") ?? [],
      orphan: flag(fields, "orphan") ?? false,
      renewable: flag(fields, "renewable") ?? true,
      default: !flag(fields, "token_no_default_policy"),
      maxTtl: duration(fields, "token_explicit_max_ttl") ?? 0,
    });
    return done(c);
  });

  app.on(["POST", "PUT"], "/token/create/:role_name", (c) => {
    const name = c.req.param("role_name") as string;
    const role = c.var.records.tokenRoles.get(name);
    if (!role) return errors(c, 400, `unknown role ${name}`);
    const own = role.policies.length > 0 ? role.policies : c.var.token!.policies;
    const policies = [...new Set([...own, ...(role.default && !own.includes("root") ? ["default"] : [])])].sort();
    const now = c.var.now.getTime();
    const { seconds, warnings } = policies.includes("root")
      ? { seconds: 0, warnings: [] }
      : timeToLive({ ttl: 0, maxTtl: role.maxTtl }, now, now)!;
    const parent = role.orphan ? {} : { parent: c.var.token!.id };
    const given = { displayName: "token", role: name, policies, ttl: seconds, explicitMaxTtl: 0, renewable: role.renewable, ...parent };
    return issue(c, dialect, given, warnings);
  });

  app.on(["POST", "PUT"], "/token/revoke-accessor", (c) => {
    const accessor = text(c.var.fields, "accessor");
    if (!accessor) return errors(c, 400, "1 error occurred:\n\t* missing accessor\n\n");
    const token = [...c.var.records.tokens.values()].find((each) => each.accessor === accessor);
    if (!token) return c.json({ ...dialect.envelope(null, "token"), warnings: ["No token found with this accessor"] });
    revokeToken(c.var.records, token);
    return done(c);
  });
}
