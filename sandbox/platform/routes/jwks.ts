import { Hono } from "hono";
import { AppEnv } from "../answer";
import { Dialect } from "../dialect";

export const isServed = ({ clientRoutes }: Dialect): boolean => clientRoutes;
export const isPublic = true;

/** The public signing keys, which clouds fetch without a token. */
export function routes(app: Hono<AppEnv>): void {
  app.get("/.well-known/jwks", (c) =>
    c.json({
      keys: c.var.records.keys.list().map(({ kid, modulus }) => ({ kty: "RSA", use: "sig", alg: "RS256", kid, n: modulus, e: "AQAB" })),
    }),
  );
}
