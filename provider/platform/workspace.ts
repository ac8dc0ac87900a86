import { z } from "zod";
import { StewardError } from "../contract/errors";
import { Operation } from "../contract/operation";
import { Request } from "../http";
import { isObject } from "../text/json";
import { adminPath, asString, assertGone, call, completed, idsIn, ResourceObject, resourceOf } from "./client";
import { readAll } from "./pages";

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
