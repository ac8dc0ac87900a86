import { z } from "zod";
import { StewardError } from "../contract/errors";
import { ReadFunction } from "../contract/function";
import { ConnectionArgs, connectionInput, str, strictObject } from "../contract/inputs";
import { Operation } from "../contract/operation";
import { Request } from "../http";
import { eachWithOperation, invoke, read } from "../program/invoke";
import { isObject } from "../text/json";
import { adminPath, asString, assertGone, call, callAsAdministrator, completed, idsIn, ResourceObject, resourceOf, system } from "./client";
import { itemsFrom, Page, pageOf, readAll } from "./pages";

/** A workspace in the administration API. */
export interface Workspace {
  /** The id: `ws-…`. */
  id: string;
  /** The name, unique in its organization. */
  name: string;
  /** True if the workspace is locked, so that no run starts. */
  locked: boolean;
  /** The repository as `owner/name`, if the workspace has one. */
  vcsRepoIdentifier?: string;
  /** The name of its organization. */
  organization: string;
  /** Its latest run, if it has one. `status` is set only with `include: ["current_run"]`. */
  currentRun?: { id: string; status?: string };
  /** The API path of the workspace. */
  path?: string;
  /** All attributes, as in the response. */
  attributes: Record<string, unknown>;
  /** The resources that `include` requests for this workspace, as in the response. */
  included: { type: string; id: string; attributes: Record<string, unknown> }[];
}

/** A related resource that a response can include. */
export type WorkspaceInclude = "organization" | "organization.owners" | "current_run";

export const workspaceIdInput: z.ZodString = z
  .string("must be a workspace id")
  .regex(/^[\w-]+$/, "must be a workspace id, such as ws-6jrRyVDv1J8zQMB5");

/** Reads a workspace; undefined if it does not exist. A 404 proves that only to an administrator. */
export async function readWorkspace(
  operation: Operation,
  id: string,
  { include, ...limits }: { include?: WorkspaceInclude[] } & Pick<Request, "limits"> = {},
): Promise<Workspace | undefined> {
  const path = adminPath("workspaces", id);
  try {
    const query = { include: include?.join(",") };
    const document = await call(operation, { method: "GET", path, query, ...limits, retry: "idempotent" });
    return workspaceOf(resourceOf(document, { method: "GET", path }), (document as { included?: unknown }).included);
  } catch (error) {
    return assertWorkspaceGone(operation, error, id);
  }
}

/** Rethrows the error unless the workspace does not exist. */
export const assertWorkspaceGone = (operation: Operation, error: unknown, id: string): Promise<undefined> =>
  assertGone(operation, error, async () => (await readAll(operation, adminPath("workspaces"))).some((each) => each.id === id));

export const noWorkspace = ({ server: { words } }: Operation, id: string): StewardError =>
  new StewardError({
    code: "ERR_NOT_FOUND",
    rule: "workspace-missing",
    reason: `${words.service} has no workspace with the id "${id}"`,
    status: 404,
    method: "GET",
    path: adminPath("workspaces", id),
  });

export function workspaceOf({ id, attributes, relationships, links }: ResourceObject, included: unknown): Workspace {
  const one = (name: string): string | undefined => idsIn(relationships[name])[0];
  const all = (Array.isArray(included) ? included : []).filter(isObject).map(completed);
  const organization = all.find((each) => each.type === "organizations" && each.id === one("organization"));
  const run = all.find((each) => each.type === "runs" && each.id === one("current-run"));
  const ownerIds = Object.values(organization?.relationships ?? {}).flatMap(idsIn);
  const owners = all.filter((each) => each.type === "users" && ownerIds.includes(each.id));
  const { identifier: repository } = isObject(attributes["vcs-repo"]) ? attributes["vcs-repo"] : {};
  const runId = one("current-run");
  const status = run?.attributes.status;
  return {
    id,
    name: asString(attributes.name),
    locked: attributes.locked === true,
    ...(typeof repository === "string" && repository ? { vcsRepoIdentifier: repository } : {}),
    organization: one("organization") ?? "",
    ...(runId ? { currentRun: { id: runId, ...(typeof status === "string" ? { status } : {}) } } : {}),
    ...(typeof links.self === "string" ? { path: links.self } : {}),
    attributes,
    included: [organization, ...owners, run].flatMap((each) =>
      each ? [{ type: each.type, id: each.id, attributes: each.attributes }] : [],
    ),
  };
}

/** The order of workspaces. */
export type WorkspaceSort =
  | "name"
  | "-name"
  | "current-run.created-at"
  | "-current-run.created-at"
  | "latest-change-at"
  | "-latest-change-at";

/** A query for workspaces. */
export interface WorkspaceQuery {
  /** A part of the name of a workspace or an organization. */
  q?: string;
  /**
   * The statuses to include. A workspace matches if its latest run has one of them. Later releases of Terraform Enterprise may have more
   * statuses than these:
   *
   * - `pending`, `plan_queued`, `planning`, `planned`, `planned_and_finished`
   * - `cost_estimating`, `cost_estimated`
   * - `policy_checking`, `policy_override`, `policy_soft_failed`, `policy_checked`
   * - `confirmed`, `apply_queued`, `applying`, `applied`
   * - `discarded`, `errored`, `canceled`
   */
  currentRunStatus?: string[];
  /**
   * The order: by name, by the creation of the latest run, or by `latest-change-at`. That is the creation of the latest state version, or of the
   * workspace if it has none. A leading hyphen reverses the order. Without `sort`, it is arbitrary but stable.
   */
  sort?: WorkspaceSort;
  /**
   * The number of workspaces on one page.
   * @default 20, the default of Terraform Enterprise
   */
  pageSize?: number;
  /** The related resources to return in `included` of each workspace. */
  include?: WorkspaceInclude[];
}

/** Options of {@link listWorkspaces}. */
export interface ListWorkspacesOptions extends WorkspaceQuery, ConnectionArgs {}

/** Options of {@link getWorkspace}. */
export interface GetWorkspaceOptions extends ConnectionArgs {
  /** The id of the workspace: `ws-…`. */
  id: string;
  /** The related resources to return in `included`. */
  include?: WorkspaceInclude[];
}

/** A list of workspaces, whose pages are fetched on demand. The first page is fetched only once. */
export interface WorkspaceList extends AsyncIterable<Workspace> {
  /**
   * The number of workspaces for each status of their latest run. HashiCorp does not document whether `currentRunStatus` changes it. On the sandbox,
   * it does not. Terraform Enterprise writes these statuses with hyphens (`policy-checked`), counts workspaces without a run as `none`, and all
   * workspaces as `total`. Sends a request unless the first page was fetched before.
   */
  statusCounts(): Promise<Record<string, number>>;
  /** The number of workspaces that match the query. This sends a request only if the first page has not been fetched yet. */
  totalCount(): Promise<number>;
}

const include = z
  .array(
    z.enum(["organization", "organization.owners", "current_run"], 'must be "organization", "organization.owners" or "current_run"'),
    "must be a list",
  )
  .optional();
const listOptions = strictObject({
  q: str.optional(),
  currentRunStatus: z.array(str.regex(/^[a-z_]+$/, "must be a status such as policy_checked"), "must be a list of statuses").optional(),
  sort: z
    .enum(
      ["name", "-name", "current-run.created-at", "-current-run.created-at", "latest-change-at", "-latest-change-at"],
      'must be "name", "current-run.created-at" or "latest-change-at", with an optional leading hyphen',
    )
    .optional(),
  pageSize: z.int("must be a whole number").min(1, "must be at least 1").optional(),
  include,
  connection: connectionInput,
});
const getOptions = strictObject({ id: workspaceIdInput, include, connection: connectionInput });

interface WorkspacePage extends Page<Workspace> {
  statusCounts: Record<string, number>;
}

const path = adminPath("workspaces");

async function fetchPage(operation: Operation, options: WorkspaceQuery, page = 1): Promise<WorkspacePage> {
  const query = {
    q: options.q,
    "filter[current_run][status]": options.currentRunStatus?.join(","),
    sort: options.sort,
    include: options.include?.join(","),
    "page[number]": page === 1 ? undefined : String(page),
    "page[size]": options.pageSize?.toString(),
  };
  const document = await callAsAdministrator(operation, { method: "GET", path, query, retry: "idempotent" });
  const { included, meta } = (document ?? {}) as { included?: unknown; meta?: { "status-counts"?: Record<string, number> } };
  return { ...pageOf(document, path, (each) => workspaceOf(completed(each), included)), statusCounts: meta?.["status-counts"] ?? {} };
}

const following = (operation: Operation, query: WorkspaceQuery, first: Page<Workspace>): AsyncGenerator<Workspace> =>
  eachWithOperation(
    workspaces.operation,
    itemsFrom(first, path, (page) => fetchPage(operation, query, page)),
  );

export const workspaces: ReadFunction<ListWorkspacesOptions, Workspace[]> = {
  token: "platform:listWorkspaces",
  operation: "Cannot list workspaces",
  system,
  options: listOptions,
  property: "workspaces",
  async run(operation, query) {
    const all: Workspace[] = [];
    for await (const each of following(operation, query, await fetchPage(operation, query))) all.push(each);
    return all;
  },
};

export const oneWorkspace: ReadFunction<GetWorkspaceOptions, Workspace> = {
  token: "platform:getWorkspace",
  operation: "Cannot read workspace",
  system,
  options: getOptions,
  async run(operation, { id, include }) {
    const workspace = await readWorkspace(operation, id, { include });
    if (workspace) return workspace;
    throw noWorkspace(operation, id);
  },
};

/**
 * Lists all workspaces of the installation: `GET /api/v2/admin/workspaces`.
 *
 * Pages are fetched on demand. A workspace that moves to a different page in the meantime is returned only once, and if fewer workspaces
 * arrive than Terraform Enterprise counts, the function reads the pages again. It fails with `ERR_FORBIDDEN` if the token does not belong to
 * a site administrator, and with `ERR_UNEXPECTED_RESPONSE` if the pagination never ends.
 *
 * ```ts
 * for await (const workspace of platform.listWorkspaces({ currentRunStatus: ["errored"] })) console.log(workspace.organization, workspace.name);
 * ```
 */
export function listWorkspaces(options: ListWorkspacesOptions = {}): WorkspaceList {
  const start = () => invoke(workspaces, options, async (operation) => ({ operation, first: await fetchPage(operation, options) }));
  let started: ReturnType<typeof start> | undefined;
  const begin = async () => {
    started ??= start().catch((error) => {
      started = undefined;
      throw error;
    });
    return started;
  };
  return {
    statusCounts: async () => (await begin()).first.statusCounts,
    totalCount: async () => (await begin()).first.totalCount,
    async *[Symbol.asyncIterator]() {
      const { operation, first } = await begin();
      yield* following(operation, options, first);
    },
  };
}

/**
 * Reads a workspace with `GET /api/v2/admin/workspaces/:id`. The function fails with `ERR_NOT_FOUND` if the workspace does not exist, and
 * with `ERR_FORBIDDEN` if the token does not belong to a site administrator.
 */
export function getWorkspace(options: GetWorkspaceOptions): Promise<Workspace> {
  return read(oneWorkspace, options);
}
