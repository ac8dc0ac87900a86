import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import { Records } from "./records";
import { error } from "./wire";

export interface Platform {
  records: Records;
  app: Hono;
}

/** The platform: it knows its token; every noun adds a file of routes. */
export function createPlatform(): Platform {
  const records = new Records(`${randomBytes(9).toString("base64url")}.atlasv1.${randomBytes(32).toString("base64url")}`);
  const app = new Hono();
  app.use(async (c, next) => {
    if (c.req.header("authorization") !== `Bearer ${records.token}`) return error(c, 401, "unauthorized");
    await next();
  });
  app.notFound((c) => error(c, 404, "not found"));
  return { records, app };
}
