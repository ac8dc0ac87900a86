import { createPublicKey, verify } from "node:crypto";
import { Hono } from "hono";
import { Dialect } from "../dialect";
import { Described } from "../document";
import { duration, text, words } from "../fields";
import { AppEnv, done, errors, Route } from "../response";
import { issue } from "../tokens";

export const below = "auth/jwt";
export const isServed = ({ leases }: Dialect): boolean => leases;

export const paths = (): Described[] => [
  {
    path: "config",
    description: "Configures the JWT authentication backend.",
    operations: { post: { id: "jwt-configure" } },
  },
  { path: "login", description: "Authenticates to Vault using a JWT.", operations: { post: { id: "jwt-login" } } },
  {
    path: "role/{name}",
    description: "Register an role with the backend.",
    operations: { post: { id: "jwt-create-role" } },
  },
];

interface Method {
  keys: string[];
  roles: Map<string, { audiences: string[]; policies: string[]; ttl: number }>;
}

/** The auth method of each sandbox until its reset. Unlike Vault's, it is enabled from the start. */
const methods = new WeakMap<object, Method>();
function methodOf({ var: { records } }: Route): Method {
  const method = methods.get(records.lifetime) ?? { keys: [], roles: new Map() };
  methods.set(records.lifetime, method);
  return method;
}

/** The claims of a token with an RS256 signature of one of the keys. */
function claimsOf(jwt: string, keys: readonly string[]): Record<string, unknown> | undefined {
  const [header = "", claims = "", signature = ""] = jwt.split(".");
  const signed = Buffer.from(`${header}.${claims}`);
  const isValid = keys.some((key) => verify("RSA-SHA256", signed, createPublicKey(key), Buffer.from(signature, "base64url")));
  return isValid ? JSON.parse(Buffer.from(claims, "base64url").toString()) : undefined;
}

export function routes(app: Hono<AppEnv>): void {
  app.on(["POST", "PUT"], "/auth/jwt/config", (c) => {
    methodOf(c).keys = words(c.var.fields, "jwt_validation_pubkeys") ?? [];
    return done(c);
  });

  app.on(["POST", "PUT"], "/auth/jwt/role/:name", (c) => {
    const [audiences = [], policies = []] = [words(c.var.fields, "bound_audiences"), words(c.var.fields, "token_policies")];
    methodOf(c).roles.set(c.req.param("name") as string, { audiences, policies, ttl: duration(c.var.fields, "token_ttl") ?? 0 });
    return done(c);
  });

  app.on(["POST", "PUT"], "/auth/jwt/login", (c) => {
    const { keys, roles } = methodOf(c);
    const name = text(c.var.fields, "role") ?? "";
    const role = roles.get(name);
    if (!role) return errors(c, 400, `role "${name}" could not be found`);
    const claims = claimsOf(text(c.var.fields, "jwt") ?? "", keys);
    const refuse = (reason: string): Response => errors(c, 400, `error validating token: ${reason}`);
    if (!claims) return refuse("error verifying token signature: no known key successfully validated the token signature");
    if (Number(claims.exp) * 1000 <= c.var.now.getTime()) return refuse("invalid expiration time (exp) claim: token is expired");
    if (!role.audiences.includes(String(claims.aud)))
      return refuse("invalid audience (aud) claim: audience claim does not match any bound audience");
    const { policies, ttl } = role;
    const given = { displayName: `jwt-${claims.sub}`, policies: ["default", ...policies].sort(), ttl, explicitMaxTtl: 0, renewable: true };
    return issue(c, c.var.dialect, given, []);
  });
}
