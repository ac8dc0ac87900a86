import { randomBytes } from "node:crypto";
import type { Hono } from "hono";
import type { Found } from "../answer";
import { errors, unsupportedOperation } from "../answer";
import type { Dialect } from "../dialect";
import { flag, parseDuration, text, words } from "../fields";
import type { Described } from "./openapi";

export const paths: Described[] = [
  {
    path: "create",
    description: "The token create path is used to create new tokens.",
    described: true,
    operations: { post: { summary: "The token create path is used to create new tokens.", id: "create" } },
  },
];

// 32 days, what the real product gives when nobody asks for less.
const defaultTtl = 2_764_800;

export function routes(app: Hono<Found>, dialect: Dialect): void {
  const path = "/token/create";

  app.on(["POST", "PUT"], path, (c) => {
    const { fields, records, now } = c.var;
    const parent = c.var.token!.policies;
    const wanted =
      fields.policies === undefined
        ? parent
        : (words(Array.isArray(fields.policies) ? fields : { policies: [fields.policies] }, "policies") ?? []);
    const policies = [...new Set((wanted.length > 0 ? wanted : parent).map((name) => name.toLowerCase()))];
    const root = policies.includes("root");
    if (!root && !flag(fields, "no_default_policy") && !policies.includes("default")) policies.push("default");
    if (!parent.includes("root") && policies.some((name) => !parent.includes(name)))
      return errors(c, 400, "child policies must be subset of parent");
    const ttl = text(fields, "ttl") ?? "";
    const asked = ttl === "" ? 0 : parseDuration(ttl);
    if (asked === undefined) return errors(c, 400, `time: invalid duration "${ttl}"`);
    if (asked < 0) return errors(c, 400, "ttl must be positive");
    const seconds = asked === 0 && !root ? defaultTtl : asked;

    const token = {
      id: `${dialect.tokenPrefix}${randomBytes(18).toString("base64url")}`,
      accessor: randomBytes(18).toString("base64url"),
      policies: policies.sort(),
      expires: seconds === 0 ? undefined : now.getTime() + seconds * 1000,
    };
    records.tokens.set(token.id, token);
    const auth = {
      client_token: token.id,
      accessor: token.accessor,
      policies: token.policies,
      token_policies: token.policies,
      metadata: null,
      lease_duration: seconds,
      renewable: seconds > 0,
      entity_id: "",
      token_type: "service",
      orphan: false,
      mfa_requirement: null,
      num_uses: 0,
    };
    const unknown = token.policies.filter((name) => name !== "root" && !records.policies.has(name));
    const warnings = unknown.length > 0 ? unknown.map((name) => `Policy "${name}" does not exist`) : null;
    return c.json({ ...dialect.envelope(null, "token"), warnings, auth });
  });

  app.all(path, unsupportedOperation);
}
