import { Hono } from "hono";
import { AppEnv, errors, unknownMethod } from "../answer";
import { Dialect } from "../dialect";
import { Described } from "../document";
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
  // For the load balancer of an installation. The sandbox is one node, so it is active or sealed.
  app.get(path, (c) => {
    const { records, dialect, now } = c.var;
    const { sealed } = records;
    const code = c.req.query(sealed ? "sealedcode" : "activecode") ?? (sealed ? "503" : "200");
    if (!/^[2-5]\d\d$/.test(code)) return errors(c, 400);
    return Response.json({ ...health(records, now, dialect.version), ...dialect.health }, { status: Number(code) });
  });
  app.all(path, unknownMethod);
}
