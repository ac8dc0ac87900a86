import type { Hono } from "hono";
import type { AppEnv } from "../answer";
import { unknownMethod } from "../answer";
import type { Dialect } from "../dialect";
import type { Described } from "../document";
import { sealStatus } from "../wire";

export const below = "sys";
export const isServed = ({ raw }: Dialect): boolean => raw.includes("sys/unseal");

export const paths = (): Described[] => [
  {
    path: "seal-status",
    description: "Returns the seal status of the Vault.",
    described: true,
    unauthenticated: true,
    operations: { get: { summary: "Check the seal status of a Vault.", id: "seal-status" } },
  },
];

export function routes(app: Hono<AppEnv>): void {
  const path = "/sys/seal-status";
  app.get(path, (c) => c.json(sealStatus(c.var.records, c.var.dialect.version)));
  app.all(path, unknownMethod);
}
