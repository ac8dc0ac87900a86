import type { Hono } from "hono";
import type { AppEnv } from "../answer";

/** The signing keys as the clouds fetch them; it needs no token. */
export function routes(app: Hono<AppEnv>): void {
  app.get("/.well-known/jwks", (c) =>
    c.json({
      keys: c.var.records.keys.list().map(({ kid, modulus }) => ({ kty: "RSA", use: "sig", alg: "RS256", kid, n: modulus, e: "AQAB" })),
    }),
  );
}
