import { List, ListOptions, ListReadFunction, list, listFunction } from "./list";

/** The rollout of one version of a job, with Nomad's property names and all further properties of the response. */
export interface Deployment {
  /** The id, a UUID. */
  ID: string;
  /** The ID of the job. */
  JobID: string;
  /** The namespace of the job. */
  Namespace: string;
  /** The status: `running`, `successful`, `failed`, `cancelled`, … */
  Status: string;
  /** Nomad's description of the status. */
  StatusDescription: string;
  /** The progress by task group. */
  TaskGroups: Record<string, DeploymentTaskGroup>;
  /** True for a deployment of a multiregion job. */
  IsMultiregion: boolean;
  /** The priority of the evaluation. Nomad processes evaluations with a higher priority first. */
  EvalPriority: number;
  /** The version of the job. */
  JobVersion: number;
  /** The index at which the job was created. */
  JobCreateIndex: number;
  /** The index at which the job was last modified. */
  JobModifyIndex: number;
  /** The index at which this version of the job was registered. */
  JobSpecModifyIndex: number;
  /** The index at which the deployment was created. */
  CreateIndex: number;
  /** The index at which the deployment was last modified. */
  ModifyIndex: number;
  [field: string]: unknown;
}

/** The progress of a deployment for one task group. */
export interface DeploymentTaskGroup {
  /** True if Nomad promotes healthy canaries automatically. */
  AutoPromote: boolean;
  /** True if Nomad reverts to the last stable version after a failure. */
  AutoRevert: boolean;
  DesiredCanaries: number;
  DesiredTotal: number;
  HealthyAllocs: number;
  PlacedAllocs: number;
  /** The IDs of the canary allocations. */
  PlacedCanaries: string[] | null;
  /** The nanoseconds without progress after which the deployment fails. */
  ProgressDeadline: number;
  /** True if the canaries were promoted. */
  Promoted: boolean;
  /** The time at which the deployment fails without progress, in RFC 3339 format. */
  RequireProgressBy: string | null;
  UnhealthyAllocs: number;
}

export const deployments: ListReadFunction<Deployment> = listFunction("deployments");

/**
 * Lists all deployments with `GET /v1/deployments`. Pages are fetched on demand, and a deployment that moves to a different page in the
 * meantime is returned once. Integers beyond 2^53 are strings. The function also runs in previews, does not retry a 5xx response, and
 * throws a {@link StewardError} if a request fails.
 * @permissions The connection needs a Nomad token with this ACL policy:
 * ```hcl
 * namespace "default" {
 *   capabilities = ["read-job"]
 * }
 * ```
 */
export function listDeployments(options: ListOptions = {}): List<Deployment> {
  return list(deployments, options);
}
