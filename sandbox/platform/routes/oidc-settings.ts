import { Hono } from "hono";
import { Block, row, table, time } from "../../view";
import { Records } from "../records";
import { AppEnv, done } from "../response";

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

export function view({ keys }: Records): Block[] {
  const rows = keys.list().map(({ kid, createdAt }) => row(kid, kid, time(createdAt)));
  return [table("OIDC signing keys", ["Key", "Created"], rows.reverse())];
}
