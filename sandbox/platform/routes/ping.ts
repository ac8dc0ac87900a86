import { Hono } from "hono";
import { AppEnv } from "../answer";
import { Dialect } from "../dialect";

export const isServed = ({ clientRoutes }: Dialect): boolean => clientRoutes;
export const isPublic = true;

const headers = {
  "tfp-appname": "Terraform Enterprise",
  "x-tfe-version": "1.0.0",
  "x-tfe-current-version": "1.0.0",
};

/** The first request of a client, which needs no token. */
export function routes(app: Hono<AppEnv>): void {
  app.get("/api/v2/ping", (c) => c.body(null, 204, headers));
}
