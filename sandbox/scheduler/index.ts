import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { Records } from "./records";
import { error } from "./wire";

export interface Scheduler {
  records: Records;
  app: Hono;
}

/** The scheduler: it knows its token; every noun adds a file of routes. */
export function createScheduler(tokenHeader: string): Scheduler {
  const records = new Records(randomUUID());
  const app = new Hono();
  app.use(async (c, next) => {
    const token = c.req.header(tokenHeader) ?? /^Bearer (.+)$/.exec(c.req.header("authorization") ?? "")?.[1];
    if (token !== records.token) return error(c, 403, token ? "ACL token not found" : "Permission denied");
    await next();
  });
  app.notFound((c) => error(c, 404, "404 page not found"));
  return { records, app };
}
