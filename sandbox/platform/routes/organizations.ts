import { Hono } from "hono";
import { Dialect } from "../dialect";
import { HttpError } from "../http-error";
import { paged } from "../paging";
import { mayManage, Organization } from "../records";
import { AppEnv, attributesOf, document, done, missing, Route } from "../response";
import { valuesOf, wrong } from "../settings";
import { organization } from "../wire";
import { settings as generalSettings } from "./general-settings";

export const isServed = ({ clientRoutes }: Dialect): boolean => clientRoutes;

/** The routes with which clients set up and clean up. */
export function routes(app: Hono<AppEnv>): void {
  const path = "/api/v2/organizations";

  app.get(path, (c) => {
    const visible = [...c.var.records.organizations.values()].filter((each) => mayManage(c.var.user, each));
    return paged(c, visible, organization);
  });

  app.post(path, (c) => {
    const { records, user, dialect, now } = c.var;
    const limited = valuesOf(records, generalSettings(dialect))["limit-user-organization-creation"];
    if (limited && !user.administrator) return missing(c);
    const { name, email } = fields(c);
    if (name === undefined) throw new HttpError(422, wrong("name", "is required"));
    if (email === undefined) throw new HttpError(422, wrong("email", "is required"));
    free(c, name);
    const created: Organization = { name, email, owners: [user.name], createdAt: now };
    records.organizations.set(name, created);
    return document(c, { data: organization(created) }, 201);
  });

  app.get(`${path}/:name`, (c) => document(c, { data: organization(organizationOf(c)) }));

  app.patch(`${path}/:name`, (c) => {
    const record = organizationOf(c);
    const { name = record.name, email = record.email } = fields(c);
    if (name !== record.name) free(c, name);
    const { organizations } = c.var.records;
    organizations.delete(record.name);
    organizations.set(name, Object.assign(record, { name, email }));
    return document(c, { data: organization(record) });
  });

  app.delete(`${path}/:name`, (c) => {
    c.var.records.deleteOrganization(organizationOf(c));
    return done(c);
  });
}

/** The organization in the path. Throws unless the user may manage it. */
export function organizationOf(c: Route): Organization {
  const record = c.var.records.organizations.get(c.req.param("name") ?? "");
  if (!record || !mayManage(c.var.user, record)) throw new HttpError(404);
  return record;
}

/** The name of an organization or a workspace in the body, if there is one. */
export function checkedName(name: unknown): string | undefined {
  if (name === undefined || (typeof name === "string" && /^[A-Za-z0-9_-]+$/.test(name))) return name;
  throw new HttpError(422, wrong("name", "can only include letters, numbers, -, and _"));
}

function fields(c: Route): { name?: string; email?: string } {
  const { name: requested, email } = attributesOf(c);
  const name = checkedName(requested);
  if (email !== undefined && typeof email !== "string") throw new HttpError(422, wrong("email", "has to be a string"));
  return { name, email };
}

function free(c: Route, name: string): void {
  if (c.var.records.organizations.has(name)) throw new HttpError(422, wrong("name", "has already been taken"));
}
