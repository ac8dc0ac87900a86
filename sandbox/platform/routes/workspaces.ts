import { Hono } from "hono";
import { Dialect } from "../dialect";
import { HttpError } from "../http-error";
import { paged } from "../paging";
import { mayManage, Organization, Workspace } from "../records";
import { AppEnv, attributesOf, document, done, errors, objectOf, Route } from "../response";
import { wrong } from "../settings";
import { workspace } from "../wire";
import { checkedName, organizationOf } from "./organizations";

export const isServed = ({ clientRoutes }: Dialect): boolean => clientRoutes;

/** The routes with which clients set up and clean up. */
export function routes(app: Hono<AppEnv>): void {
  const inOrganization = "/api/v2/organizations/:name/workspaces";

  app.get(inOrganization, (c) => {
    const owner = organizationOf(c);
    const part = c.req.query("search[name]") ?? "";
    const matching = [...c.var.records.workspaces.values()].filter((each) => each.organization === owner && each.name.includes(part));
    return paged(c, matching, workspace);
  });

  app.post(inOrganization, (c) => {
    const owner = organizationOf(c);
    const { name, vcsRepoIdentifier } = fields(c);
    if (name === undefined) throw new HttpError(422, wrong("name", "is required"));
    free(c, owner, name);
    const { records, now } = c.var;
    const created: Workspace = { id: records.newId("ws"), name, organization: owner, locked: false, vcsRepoIdentifier, createdAt: now };
    records.workspaces.set(created.id, created);
    return document(c, { data: workspace(created) }, 201);
  });

  for (const path of [`${inOrganization}/:workspace`, "/api/v2/workspaces/:id"]) {
    app.get(path, (c) => document(c, { data: workspace(workspaceOf(c)) }));

    app.patch(path, (c) => {
      const record = workspaceOf(c);
      const changes = fields(c);
      if (changes.name !== undefined && changes.name !== record.name) free(c, record.organization, changes.name);
      Object.assign(record, changes);
      return document(c, { data: workspace(record) });
    });

    app.delete(path, (c) => {
      c.var.records.workspaces.delete(workspaceOf(c).id);
      return done(c);
    });
  }

  for (const [action, locked] of [
    ["lock", true],
    ["unlock", false],
  ] as const)
    app.post(`/api/v2/workspaces/:id/actions/${action}`, (c) => {
      const record = workspaceOf(c);
      if (record.locked === locked)
        return errors(c, 409, { detail: `Unable to ${action} the workspace: it is ${locked ? "" : "not "}locked.` });
      record.locked = locked;
      return document(c, { data: workspace(record) });
    });
}

/** The workspace in the path, by id or by name. Throws unless the user may manage it. */
function workspaceOf(c: Route): Workspace {
  const { id, workspace: name = "" } = c.req.param() as { id?: string; workspace?: string };
  const { records, user } = c.var;
  const record = id === undefined ? records.workspace(organizationOf(c), name) : records.workspaces.get(id);
  if (!record || !mayManage(user, record.organization)) throw new HttpError(404);
  return record;
}

/** The fields in the body. A null repository disconnects the workspace. */
function fields(c: Route): Pick<Partial<Workspace>, "name" | "vcsRepoIdentifier"> {
  const { name, "vcs-repo": repository } = attributesOf(c);
  const read: Pick<Partial<Workspace>, "name" | "vcsRepoIdentifier"> = {};
  if (name !== undefined) read.name = checkedName(name);
  if (repository !== undefined) {
    const identifier = repository === null ? undefined : objectOf(repository, "vcs-repo").identifier;
    if (repository !== null && typeof identifier !== "string") throw new HttpError(422, wrong("vcs-repo", "has to name its identifier"));
    read.vcsRepoIdentifier = identifier as string | undefined;
  }
  return read;
}

function free(c: Route, owner: Organization, name: string): void {
  if (c.var.records.workspace(owner, name)) throw new HttpError(422, wrong("name", "has already been taken"));
}
