import { z } from "zod";
import { Definition, ExistingObject, FindRequest, PlanNote, WriteRequest } from "../contract/definition";
import { Adopt, adoptField, ConnectionArgs, connectionField } from "../contract/inputs";
import { Operation } from "../contract/operation";
import { isObject } from "../text/json";
import { adminPath, assertGone, call, callAsAdministrator, remove, resourceOf, system } from "./client";

/** Inputs of {@link DataRetentionPolicy}. */
export interface DataRetentionPolicyInputs extends ConnectionArgs {
  /**
   * The age, in days, from which Terraform Enterprise deletes the files of state versions and configuration versions.
   * @example 365
   */
  deleteOlderThanDays: number;
  /**
   * The handling of a policy that already exists. `true` overwrites it, and the provider prints the change, old -> new. `"unchanged"` fails with
   * `ERR_ALREADY_EXISTS` if it differs, and `false` always fails with that code.
   * @default false
   */
  adopt?: Adopt;
}

/** Outputs of {@link DataRetentionPolicy}. */
export interface DataRetentionPolicyState {
  /** The age in days. Undefined if the policy of the site keeps everything, or has only the finer attributes of release 2.1. */
  deleteOlderThanDays: number | undefined;
}

const path = adminPath("data-retention-policy-settings");

/** The policy; undefined if the site has none. */
async function read(operation: Operation): Promise<DataRetentionPolicyState | undefined> {
  const request = { method: "GET", path, retry: "idempotent" } as const;
  try {
    const document = await call(operation, request);
    // HashiCorp's Go client expects this, not a 404, of an organization without a policy.
    if (isObject(document) && document.data === null) return undefined;
    const { attributes } = resourceOf(document, request);
    // HashiCorp's reference shows the first name in responses and the second in requests.
    const days = attributes["delete-older-than-n-days"] ?? attributes.deleteOlderThanNDays;
    return { deleteOlderThanDays: typeof days === "number" ? days : undefined };
  } catch (error) {
    return assertGone(operation, error);
  }
}

async function find({ operation }: FindRequest<DataRetentionPolicyInputs>): Promise<ExistingObject<DataRetentionPolicyState> | undefined> {
  const state = await read(operation);
  return state && { state, refusal: { reason: "the site already has a policy", remedy: "set adopt: true to overwrite it." } };
}

/** The server creates or updates the policy with the same request. */
async function write({ operation, inputs }: WriteRequest<DataRetentionPolicyInputs>): Promise<DataRetentionPolicyState> {
  const { deleteOlderThanDays } = inputs;
  // The name of HashiCorp's Go client, whose tests run on Terraform Enterprise.
  const attributes = { "delete-older-than-n-days": deleteOlderThanDays };
  const body = { data: { type: "data-retention-policy-delete-olders", attributes } };
  await callAsAdministrator(operation, { method: "POST", path, body, retry: "idempotent" });
  return { deleteOlderThanDays };
}

const deletes = (days: number): PlanNote => ({
  path: "deleteOlderThanDays",
  reason: `Terraform Enterprise will delete the files of all state versions and configuration versions older than ${days} days, except where an organization or a workspace has a policy of its own`,
});

/**
 * The data retention policy of the whole site.
 *
 * It applies to each organization and workspace without a policy of its own. **Terraform Enterprise deletes files of state versions**: it marks
 * those that are older for deletion, and they cannot be restored after its grace period. So a preview warns of a new or a shorter age.
 *
 * If the site already has a policy, creating the resource fails with `ERR_ALREADY_EXISTS` unless you set `adopt`. Deleting the resource
 * removes the policy, and Terraform Enterprise then keeps everything. A removed policy does not restore deleted files.
 *
 * HashiCorp's reference documents a policy that deletes by age for the site. The policy that keeps everything, and the finer attributes of
 * release 2.1, are documented for organizations and workspaces only, so this resource has neither. It leaves finer attributes as they are.
 *
 * An operation fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator. Creating the resource fails with
 * `ERR_NOT_FOUND` if Terraform Enterprise is older than release 202401-1.
 *
 * @example A year
 * ```ts
 * new platform.DataRetentionPolicy("retention", { deleteOlderThanDays: 365 });
 * ```
 * @example An age that replaces the one in the site administration
 * ```ts
 * new platform.DataRetentionPolicy("retention", { deleteOlderThanDays: 730, adopt: true });
 * ```
 * @see [Terraform Enterprise: data retention policies](https://developer.hashicorp.com/terraform/enterprise/api-docs/data-retention-policies)
 * @requests If the site has no policy, the provider also sends `GET /api/v2/admin/general-settings`, since a 404 may also mean that the token
 * does not belong to a site administrator.
 * @unreadable Nothing, because Terraform Enterprise returns the age.
 */
export const dataRetentionPolicy: Definition<DataRetentionPolicyInputs, DataRetentionPolicyState> = {
  system,
  dialects: ["hashicorp"],
  token: "platform:DataRetentionPolicy",
  displayName: "data retention policy",
  id: "data-retention-policy",
  readById: true,
  fields: {
    deleteOlderThanDays: {
      input: z.int("must be a whole number of days").min(1, "must be at least 1 day"),
      required: true,
      output: true,
    },
    adopt: adoptField,
    connection: connectionField,
  },
  deleteBeforeReplace: true,
  objects: {
    fields: [],
    paths: () => [path],
    remove: (_, claims) => claims.each(path, (claim) => remove(claim, "idempotent").catch((error) => assertGone(claim.operation, error))),
  },
  planNotes: ({ inputs: { deleteOlderThanDays: days }, last }) => (days < (last?.deleteOlderThanDays ?? Infinity) ? [deletes(days)] : []),
  read: ({ operation }) => read(operation),
  find,
  create: write,
  update: write,
  discover: ({ operation, attempt }) =>
    attempt("data retention policy", async () => [await read(operation)].flatMap((state) => (state ? [{ state, isRead: true }] : []))),
};
