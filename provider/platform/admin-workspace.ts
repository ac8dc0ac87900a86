import { Claim, Definition, DeleteRequest, ExistingObject, FindRequest, PlanNote } from "../contract/definition";
import { StewardError } from "../contract/errors";
import { bool, ConnectionArgs, connectionField } from "../contract/inputs";
import { Operation } from "../contract/operation";
import { delayAfter429, pauseFor } from "../http";
import { adminPath, callAsAdministrator, remove, system } from "./client";
import { readAll } from "./pages";
import { assertWorkspaceGone, noWorkspace, readWorkspace, workspaceIdInput, workspaceOf } from "./workspaces";

/** Inputs of {@link AdminWorkspace}. */
export interface AdminWorkspaceInputs extends ConnectionArgs {
  /**
   * The id of the workspace.
   * @example "ws-6jrRyVDv1J8zQMB5"
   */
  workspaceId: string;
  /**
   * True if destroying this resource deletes the workspace, with its state and its runs, but not its infrastructure. Otherwise the workspace
   * stays. Setting it to true prints a warning in the preview and in `pulumi up`. If you rename the resource, use an alias: with `--target` or
   * `--exclude`, Pulumi may delete the old resource without checking the new one.
   * @change updates only the state
   * @default false
   */
  destroyOnDelete?: boolean;
}

/** Outputs of {@link AdminWorkspace}. */
export interface AdminWorkspaceState {
  /** The id of the workspace. */
  workspaceId: string;
  /** The name of the workspace. */
  name: string;
  /** True if the workspace is locked. */
  locked: boolean;
  /** The name of its organization. */
  organization: string;
  /** The repository as `owner/name`, if the workspace has one. */
  vcsRepoIdentifier: string | undefined;
  /** The id of its current run, if it has one. */
  currentRunId: string | undefined;
}

type StoredState = AdminWorkspaceState & Pick<AdminWorkspaceInputs, "destroyOnDelete">;

async function read(operation: Operation, { workspaceId }: { workspaceId: string }): Promise<AdminWorkspaceState | undefined> {
  const workspace = await readWorkspace(operation, workspaceId);
  if (!workspace) return undefined;
  const { name, locked, organization, vcsRepoIdentifier, currentRun } = workspace;
  return { workspaceId, name, locked, organization, vcsRepoIdentifier, currentRunId: currentRun?.id };
}

/** Reads the workspace that a create adopts without changing it. */
async function find({ operation, inputs }: FindRequest<AdminWorkspaceInputs>): Promise<ExistingObject<AdminWorkspaceState>> {
  const state = await read(operation, inputs);
  if (state) return { state, differences: [] };
  throw noWorkspace(operation, inputs.workspaceId).with({ hint: "Copy the id from the workspace's page or from listWorkspaces." });
}

const path = (workspaceId: string): string => adminPath("workspaces", workspaceId);

/**
 * True if the workspace still exists. Throws if it is locked, or if its name or organization differs from the state. `end`: the deadline, in
 * milliseconds since the epoch.
 */
async function mayBeDestroyed(operation: Operation, { workspaceId, name, organization }: StoredState, end: number): Promise<boolean> {
  const workspace = await readWorkspace(operation, workspaceId, { limits: { deadline: end - Date.now() } });
  if (!workspace) return false;
  const refuse = (rule: string, reason: string, hint: string): StewardError =>
    new StewardError({ code: "ERR_REJECTED", rule, reason, hint });
  if (workspace.name !== name || workspace.organization !== organization)
    throw refuse(
      "renamed",
      `it is now named ${workspace.organization}/${workspace.name}, not ${organization}/${name}`,
      "Check that it is still the workspace to destroy, then run `pulumi refresh` to record the new name.",
    );
  if (workspace.locked)
    throw refuse("locked", "it is locked", "Unlock it. To keep it, set destroyOnDelete: false and run `pulumi up` first.");
  return true;
}

/**
 * Destroys the workspace in the state. A user may lock or rename it during a wait for the rate limit, so it is read again after each wait.
 */
async function destroy({ operation, state }: DeleteRequest<StoredState>, claim: Claim): Promise<void> {
  const end = Date.now() + operation.run.limits.deadline;
  for (let attempt = 0; await mayBeDestroyed(operation, state, end); attempt++) {
    await operation.run.engine.assertAlive();
    try {
      await remove(claim, "never");
      return;
    } catch (error) {
      const pause = delayAfter429(operation.run.limits, error, attempt);
      if (pause === undefined || Date.now() + pause > end) return assertWorkspaceGone(operation, error, state.workspaceId);
      if (!(await pauseFor(operation, pause))) throw error;
      await operation.run.engine.assertAlive();
    }
  }
}

const destroys: PlanNote = {
  path: "destroyOnDelete",
  reason:
    "destroying this resource will permanently delete the workspace, with its state and its runs, but not its infrastructure: run a destroy in the workspace first",
};

/**
 * An existing workspace in any organization.
 *
 * Creating the resource adopts the workspace and changes nothing. A refresh updates the outputs without showing a diff. That of
 * `AdminWorkspace.get` shows one.
 *
 * With `destroyOnDelete`, destroying the resource permanently deletes the workspace, unless it is locked, or was renamed or moved since the last
 * refresh. The infrastructure of the workspace is not destroyed. It keeps running and nothing manages it any more, so run a destroy in the workspace
 * first. The provider reads the workspace before each `DELETE`, so it cannot notice a lock between these two requests.
 *
 * An operation fails with `ERR_NOT_FOUND` if the workspace does not exist, and with `ERR_FORBIDDEN` if the token does not belong to a site administrator.
 * Deleting a locked or renamed workspace fails with `ERR_REJECTED`.
 *
 * @example Record a workspace
 * ```ts
 * new platform.AdminWorkspace("network", { workspaceId: "ws-6jrRyVDv1J8zQMB5" });
 * ```
 * @example Delete a workspace with its state, once this resource is destroyed
 * ```ts
 * new platform.AdminWorkspace("abandoned", { workspaceId: "ws-6jrRyVDv1J8zQMB5", destroyOnDelete: true });
 * ```
 * @see [Terraform Enterprise: workspaces](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/workspaces)
 * @requests A delete sends requests only with `destroyOnDelete`.
 * @unreadable Nothing: Terraform Enterprise returns all outputs.
 */
export const adminWorkspace: Definition<AdminWorkspaceInputs, AdminWorkspaceState, StoredState> = {
  system,
  token: "platform:AdminWorkspace",
  displayName: "workspace",
  name: "<workspaceId>",
  id: "<workspaceId>",
  readById: true,
  fields: {
    workspaceId: { input: workspaceIdInput, required: true, output: true, replaces: true },
    destroyOnDelete: { input: bool, stored: true },
    name: { output: true },
    locked: { output: true },
    organization: { output: true },
    vcsRepoIdentifier: { output: true },
    currentRunId: { output: true },
    connection: connectionField,
  },
  objects: {
    fields: ["workspaceId"],
    paths: ({ workspaceId }) => [path(workspaceId)],
    isIrreversible: true,
    isRemoved: ({ destroyOnDelete }) => destroyOnDelete === true,
    remove: (request, claims) => claims.each(path(request.state.workspaceId), (claim) => destroy(request, claim)),
  },
  // The workspace is destroyed only after the provider knows that no other resource declares it.
  deleteBeforeReplace: false,
  planNotes: ({ inputs, last }) => (inputs.destroyOnDelete && !last?.destroyOnDelete ? [destroys] : []),
  read: ({ operation, state }) => read(operation, state),
  find,
  create: async ({ existing }) => existing?.state as AdminWorkspaceState,
  // An update only changes `destroyOnDelete`, which Terraform Enterprise does not hold.
  update: async ({ state: { destroyOnDelete, ...outputs } }) => outputs,
  discover: async ({ operation, workspaces, attempt }) =>
    workspaces
      ? attempt("workspaces", async () => {
          const all = await readAll(operation, adminPath("workspaces"), callAsAdministrator);
          return all.map((each) => {
            const { id: workspaceId, name, organization } = workspaceOf(each, undefined);
            return { state: { workspaceId }, suggestedName: `${organization}-${name}` };
          });
        })
      : [],
};
