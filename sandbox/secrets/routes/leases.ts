import { Hono } from "hono";
import { Dialect } from "../dialect";
import { Described } from "../document";
import { duration, text } from "../fields";
import { HttpError } from "../http-error";
import { renew, revoke } from "../leases";
import { AppEnv, data, done, errors, Route } from "../response";
import { leaseTimes } from "../wire";

const acting = (path: string, description: string, summary: string, id: string): Described => ({
  path: `leases/${path}`,
  description,
  operations: { post: { summary, id: `leases-${id}`, status: "204" } },
});
const renews = ["Renew a lease on a secret", "Renews a lease, requesting to extend the lease."] as const;
const revokes = ["Revoke a leased secret immediately", "Revokes a lease immediately."] as const;

export const below = "sys";
export const isServed = ({ leases }: Dialect): boolean => leases;

export const paths = (): Described[] => [
  { path: "leases/lookup", description: "View or list lease metadata.", operations: { post: { id: "leases-read-lease" } } },
  acting("renew", ...renews, "renew-lease"),
  acting("renew/{url_lease_id}", ...renews, "renew-lease-with-id"),
  acting("revoke", ...revokes, "revoke-lease"),
  acting("revoke/{url_lease_id}", ...revokes, "revoke-lease-with-id"),
];

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  app.on(["POST", "PUT"], "/sys/leases/lookup", (c) => {
    const id = idOf(c);
    const lease = c.var.records.leases.get(id);
    if (!lease) return errors(c, 400, "invalid lease");
    const path = dialect.leasesShowPath && { path: id.slice(0, id.lastIndexOf("/")) };
    return data(c, { id, ...path, ...leaseTimes(lease, c.var.now.getTime()) }, "system");
  });

  // The lease in the body takes precedence over the one in the path.
  for (const path of ["/sys/leases/renew", "/sys/leases/renew/:url_lease_id{.+}"]) {
    app.on(["POST", "PUT"], path, (c) =>
      c.json(dialect.leased(renew(c.var.records, idOf(c), duration(c.var.fields, "increment") ?? 0), null, "system")),
    );
  }

  for (const path of ["/sys/leases/revoke", "/sys/leases/revoke/:url_lease_id{.+}"]) {
    app.on(["POST", "PUT"], path, (c) => {
      const lease = c.var.records.leases.get(idOf(c));
      if (lease) revoke(c.var.records, lease);
      return done(c);
    });
  }
}

function idOf(c: Route): string {
  const id = text(c.var.fields, "lease_id") || c.req.param("url_lease_id");
  if (!id) throw new HttpError(400, "lease_id must be specified");
  return id;
}
