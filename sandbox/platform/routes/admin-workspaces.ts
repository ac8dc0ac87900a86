import { Hono } from "hono";
import { Block, row, table } from "../../view";
import { HttpError } from "../http-error";
import { paged } from "../paging";
import { Records, runStatuses, Workspace } from "../records";
import { AppEnv, document, done, missing, Route } from "../response";
import { organization, Resource, run, user, workspace } from "../wire";

const includable = ["organization", "organization.owners", "current_run"];

export function routes(app: Hono<AppEnv>): void {
  const path = "/api/v2/admin/workspaces";

  app.get(path, (c) => {
    const matching = search(c);
    const statuses = wantedStatuses(c);
    const filtered = matching.filter(({ run }) => statuses.length === 0 || (run !== undefined && statuses.includes(run.status)));
    const meta = { "status-counts": counts(c, matching) };
    return paged(c, filtered.sort(order(c)), workspace, (items) => ({ ...included(c, items), meta }));
  });

  app.get(`${path}/:id`, (c) => {
    const record = c.var.records.workspaces.get(c.req.param("id"));
    return record ? document(c, { data: workspace(record), ...included(c, [record]) }) : missing(c);
  });

  app.delete(`${path}/:id`, (c) => (c.var.records.workspaces.delete(c.req.param("id")) ? done(c) : missing(c)));
}

/** The statuses in the filter. The specification does not say what an unknown one does, so reject it: an empty list would hide a typo. */
function wantedStatuses(c: Route): string[] {
  const statuses = c.req.query("filter[current_run][status]")?.split(",").filter(Boolean) ?? [];
  if (c.var.dialect.checksStatuses && statuses.some((status) => !runStatuses.includes(status)))
    throw invalid("filter", `filter[current_run][status] must be one of: ${runStatuses.join(", ")}.`);
  return statuses;
}

function invalid(parameter: "filter" | "sort" | "include", detail: string): HttpError {
  return new HttpError(400, { title: `Invalid ${parameter} parameter`, detail });
}

/** The workspaces with `q` in their name or their organization's name. */
function search(c: Route): Workspace[] {
  const q = (c.req.query("q") ?? "").toLowerCase();
  return [...c.var.records.workspaces.values()].filter(({ name, organization }) =>
    [name, organization.name].some((text) => text.toLowerCase().includes(q)),
  );
}

/** The comparison of the requested order. Workspaces without a run come last in both directions. */
function order(c: Route): (a: Workspace, b: Workspace) => number {
  const sort = c.req.query("sort") || "name";
  const direction = sort.startsWith("-") ? -1 : 1;
  const byName = (a: Workspace, b: Workspace): number =>
    compare(a.name, b.name) || compare(a.organization.name, b.organization.name) || compare(a.id, b.id);
  const by = sort.replace(/^-/, "");
  const { workspaceOrders } = c.var.dialect;
  // The documentation does not define the response. Terraform Enterprise's client knows this one for an invalid include.
  if (!workspaceOrders.includes(by))
    throw invalid("sort", `sort must be one of: ${workspaceOrders.join(", ")}, with an optional leading hyphen.`);
  switch (by) {
    case "name":
      return (a, b) => direction * byName(a, b);
    case "current-run.created-at":
      return (a, b) => {
        if (!a.run || !b.run) return Number(!a.run) - Number(!b.run) || byName(a, b);
        return direction * (a.run.createdAt.getTime() - b.run.createdAt.getTime()) || byName(a, b);
      };
    default:
      // The workspaces have no state versions, so each was last changed when it was created.
      return (a, b) => direction * (a.createdAt.getTime() - b.createdAt.getTime()) || byName(a, b);
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The number of workspaces that match `q` by status, without the filter. A status without a counter is only in the total. */
function counts(c: Route, workspaces: Workspace[]): Record<string, number> {
  const count = (matches: (status: string | undefined) => boolean): number => workspaces.filter(({ run }) => matches(run?.status)).length;
  return {
    ...Object.fromEntries(c.var.dialect.counters.map((status) => [status.replaceAll("_", "-"), count((other) => other === status)])),
    none: count((status) => status === undefined),
    total: workspaces.length,
  };
}

/** The requested related resources, without duplicates. */
function included(c: Route, workspaces: Workspace[]): { included?: Resource[] } {
  const names = c.req.query("include")?.split(",").filter(Boolean) ?? [];
  if (names.some((name) => !includable.includes(name))) throw invalid("include", `include must be one of: ${includable.join(", ")}.`);
  if (names.length === 0) return {};
  const organizations = [...new Set(workspaces.map((workspace) => workspace.organization))];
  const owners = [...new Set(organizations.flatMap((organization) => organization.owners))];
  const runs = workspaces.flatMap(({ run }) => run ?? []);
  return {
    included: [
      // Only the organization links to its owners, so it is always included with them.
      ...(names.some((name) => name.startsWith("organization")) ? organizations.map(organization) : []),
      ...(names.includes("organization.owners") ? owners.map(user) : []),
      ...(names.includes("current_run") ? runs.map(run) : []),
    ],
  };
}

export function view(records: Records): Block[] {
  const rows = [...records.workspaces.values()].map(({ id, name, organization, locked, run }) =>
    row(id, `${organization.name}/${name}`, run?.status ?? "never run", locked ? "locked" : ""),
  );
  return [table("Workspaces", ["Workspace", "Run", "Lock"], rows)];
}
