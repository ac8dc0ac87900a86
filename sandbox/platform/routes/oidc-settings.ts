import type { Hono } from "hono";
import type { AppEnv } from "../answer";
import { done } from "../answer";

export function routes(app: Hono<AppEnv>): void {
  const path = "/api/v2/admin/oidc-settings/actions";

  app.post(`${path}/rotate-key`, (c) => {
    c.var.records.keys.rotate();
    return done(c);
  });

  app.post(`${path}/trim-key`, (c) => {
    c.var.records.keys.trim();
    return done(c);
  });
}
