import { setTimeout as sleep } from "node:timers/promises";
import { Found } from "../adoption";
import { Connection } from "../connection";
import { Definition, DeleteRequest, PlanNote } from "../definition";
import { StewardError } from "../errors";
import { delayAfter429 } from "../http";
import { bool, ConnectionArgs, connectionField } from "../inputs";
import { removeObject } from "../ownership";
import { adminPath, call, callAsAdministrator, isAdministrator, isNotFound, notAdministrator, system } from "./client";
import { readAll } from "./pages";
import { readWorkspace, workspaceIdInput, workspaceOf } from "./workspace";

/** What a program declares of a workspace that exists. */
export interface AdminWorkspaceInputs extends ConnectionArgs {
  /** The id of the workspace: `ws-…`. Changing this replaces. */
  workspaceId: string;
  /**
   * Whether destroying this resource destroys the workspace, with its state and its runs. Without it the workspace stays. The preview and the
   * `pulumi up` in which this becomes true print a warning. Changing this sends nothing.
   * @default false
   */
  destroyOnDelete?: boolean;
}

/** What the platform shows. */
export interface AdminWorkspaceState {
  workspaceId: string;
  name: string;
  locked: boolean;
  /** The name of its organization. */
  organization: string;
  /** The repository, where the workspace has one: `owner/name`. */
  vcsRepoIdentifier: string | undefined;
  /** Its latest run, where there was one. */
  currentRunId: string | undefined;
}

interface StoredState extends AdminWorkspaceState {
  destroyOnDelete?: boolean;
}

async function read(connection: Connection, { workspaceId }: { workspaceId: string }): Promise<AdminWorkspaceState | undefined> {
  const found = await readWorkspace(connection, workspaceId);
  if (!found) return undefined;
  const { name, locked, organization, vcsRepoIdentifier, currentRun } = found;
  return { workspaceId, name, locked, organization, vcsRepoIdentifier, currentRunId: currentRun?.id };
}

/** Reads the workspace that a creation adopts without changing it. */
async function find({ connection, inputs }: { connection: Connection; inputs: AdminWorkspaceInputs }): Promise<Found<AdminWorkspaceState>> {
  const { workspaceId } = inputs;
  const state = await read(connection, { workspaceId });
  if (state) return { state, differences: [] };
  throw new StewardError({
    code: "ERR_NOT_FOUND",
    rule: "workspace-missing",
    reason: "the platform has none with this id",
    hint: "It adopts a workspace that exists: take the id from the workspace's page, or from listWorkspaces.",
  });
}

const path = (workspaceId: string): string => adminPath("workspaces", workspaceId);

/** Whether the platform still has it. Fails where it is locked, or not the workspace that the state shows. `end`: when to give up. */
async function mayBeDestroyed(connection: Connection, { workspaceId, name, organization }: StoredState, end: number): Promise<boolean> {
  const found = await readWorkspace(connection, workspaceId, { limits: { deadline: end - Date.now() } });
  if (!found) return false;
  const refuse = (rule: string, reason: string, hint: string): StewardError =>
    new StewardError({ code: "ERR_REJECTED", rule, reason, hint });
  if (found.name !== name || found.organization !== organization)
    throw refuse(
      "renamed",
      `it is called ${found.organization}/${found.name} now, not ${organization}/${name}`,
      "Look whether it is still the one to destroy; then run `pulumi refresh`, which takes the new name over.",
    );
  if (found.locked)
    throw refuse("locked", "it is locked", "Unlock it, or set destroyOnDelete: false and run `pulumi up` before, to leave it.");
  return true;
}

/**
 * Irreversible, so only what is still the workspace that the state shows, and no other resource holds. A lock or another name may come while the platform
 * limits the rate of requests: after each wait it is read again.
 */
async function destroy({ connection, state }: DeleteRequest<StoredState>): Promise<void> {
  const end = Date.now() + connection.limits.deadline;
  for (let attempt = 0; await mayBeDestroyed(connection, state, end); attempt++) {
    await connection.engine.assertAlive();
    try {
      await call(connection, { method: "DELETE", path: path(state.workspaceId), retry: "never" });
      return;
    } catch (error) {
      const pause = delayAfter429(connection, error, attempt);
      if (pause === undefined || Date.now() + pause > end) return assertGone(connection, error);
      await sleep(pause);
      await connection.engine.assertAlive();
    }
  }
}

/** Gone in the meantime is as good as destroyed. */
async function assertGone(connection: Connection, error: unknown): Promise<void> {
  if (!isNotFound(error)) throw error;
  if (!(await isAdministrator(connection))) throw notAdministrator(connection, error);
}

const destroys: PlanNote = {
  path: "destroyOnDelete",
  text: "destroying this resource will destroy the workspace for good, with its state and its runs",
};

/**
 * An existing workspace of any organization: `GET` and `DELETE /api/v2/admin/workspaces/:id`. Its id is the workspace's.
 *
 * Creating it adopts the workspace and changes nothing. The outputs follow the platform at each refresh, which Pulumi does not show;
 * `AdminWorkspace.get` has them compared. With `destroyOnDelete` destroying it destroys the workspace for good, unless somebody has
 * locked or renamed it since the last refresh. After a 429 it waits, and reads the workspace again before it goes on. Fails with `ERR_NOT_FOUND` where there is no such workspace, with `ERR_FORBIDDEN` where the token is
 * not a site administrator's, and with `ERR_REJECTED` where it must not be destroyed.
 *
 * ```ts
 * new platform.AdminWorkspace("abandoned", { workspaceId: "ws-6jrRyVDv1J8zQMB5", destroyOnDelete: true });
 * ```
 *
 * @see [Terraform Enterprise: workspaces](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/workspaces)
 * @requests Create: 1 `GET`. Update: none. Refresh: 1 `GET`. Delete: none; with `destroyOnDelete` 1 `GET` and 1 `DELETE`.
 * @unreadable Nothing: all outputs are shown.
 * @internal
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
  objects: { fields: ["workspaceId"], paths: ({ workspaceId }) => [path(workspaceId)] },
  // What is destroyed goes last, when it is known what the program declares.
  deleteBeforeReplace: false,
  planNotes: ({ inputs, last }) => (inputs.destroyOnDelete && !last?.destroyOnDelete ? [destroys] : []),
  read: ({ connection, state }) => read(connection, state),
  find,
  create: async ({ found }) => found?.state as AdminWorkspaceState,
  // What may change without a replacement is not on the server.
  update: async ({ state: { destroyOnDelete, ...shown } }) => shown,
  delete: async (request) => {
    const { connection, state } = request;
    if (!state.destroyOnDelete) return;
    await removeObject(connection, path(state.workspaceId), () => destroy(request), { isIrreversible: true });
  },
  discover: async ({ connection, workspaces, attempt }) =>
    workspaces
      ? attempt("workspaces", async () => {
          const found = await readAll(connection, adminPath("workspaces"), callAsAdministrator);
          return found.map((each) => {
            const { id: workspaceId, name, organization } = workspaceOf(each, undefined);
            return { state: { workspaceId }, called: `${organization}-${name}` };
          });
        })
      : [],
};
