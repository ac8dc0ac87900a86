import { randomBytes } from "node:crypto";
import { Context } from "hono";
import { Dialect } from "./dialect";
import { Token } from "./records";
import { AppEnv } from "./response";

/** Creates a token and returns the response. Without a TTL, it never expires. */
export function issue(
  c: Context<AppEnv>,
  dialect: Dialect,
  given: Omit<Token, "id" | "accessor" | "created" | "expires">,
  warnings: readonly string[],
): Response {
  const { records, now } = c.var;
  const { ttl, policies, parent } = given;
  const created = now.getTime();
  const token: Token = {
    ...given,
    id: `${dialect.tokenPrefix}${randomBytes(18).toString("base64url")}`,
    accessor: randomBytes(18).toString("base64url"),
    created,
    renewable: ttl > 0 && given.renewable,
    ...(ttl > 0 && { expires: created + ttl * 1000 }),
  };
  records.tokens.set(token.id, token);
  const auth = {
    client_token: token.id,
    accessor: token.accessor,
    policies,
    token_policies: policies,
    metadata: null,
    lease_duration: ttl,
    renewable: token.renewable,
    entity_id: "",
    token_type: "service",
    orphan: parent === undefined,
    mfa_requirement: null,
    num_uses: 0,
  };
  const unknown = policies.filter((name) => name !== "root" && !records.policies.has(name));
  const all = [...warnings, ...unknown.map((name) => `Policy "${name}" does not exist`)];
  return c.json({ ...dialect.envelope(null, "token"), warnings: all.length > 0 ? all : null, auth });
}
