import { Hono } from "hono";
import { Dialect } from "../dialect";
import { AppEnv } from "../response";

export const isServed = ({ clientRoutes }: Dialect): boolean => clientRoutes;
export const isPublic = true;

const headers = { "tfp-appname": "Terraform Enterprise", "x-tfe-version": "1.0.0", "x-tfe-current-version": "1.0.0" };

/** The routes that need no token. */
export function routes(app: Hono<AppEnv>): void {
  // The first request of a client.
  app.get("/api/v2/ping", (c) => c.body(null, 204, headers));

  // The public signing keys, which clouds fetch.
  app.get("/.well-known/jwks", (c) =>
    c.json({
      keys: c.var.records.keys.list().map(({ kid, modulus }) => ({ kty: "RSA", use: "sig", alg: "RS256", kid, n: modulus, e: "AQAB" })),
    }),
  );
}
