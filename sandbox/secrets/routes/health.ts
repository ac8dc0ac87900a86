import type { Hono } from "hono";
import type { AppEnv } from "../answer";
import { unknownMethod } from "../answer";
import type { Dialect } from "../dialect";
import type { Described } from "../document";
import { health } from "../wire";

export const below = "sys";
export const isServed = ({ raw }: Dialect): boolean => raw.includes("sys/health");

export const paths = (): Described[] => [
  {
    path: "health",
    description: "Checks the health status of the Vault.",
    described: true,
    unauthenticated: true,
    operations: { get: { summary: "Returns the health status of Vault.", id: "read-health-status" } },
  },
];

export function routes(app: Hono<AppEnv>): void {
  const path = "/sys/health";
  app.get(path, (c) => c.json(health(c.var.records, c.var.dialect.version, c.var.now), c.var.records.sealed ? 503 : 200));
  app.all(path, unknownMethod);
}
