import { List, ListOptions, ListReadFunction, list, listFunction } from "./list";

/** The rollout of one version of a job, with the scheduler's own names, and all that it sent beside these. */
export interface Deployment {
  /** A UUID. */
  ID: string;
  /** The job that is deployed. */
  JobID: string;
  /** Where the job lives. */
  Namespace: string;
  /** `running`, `successful`, `failed`, `cancelled`, … */
  Status: string;
  /** The same in the scheduler's words. */
  StatusDescription: string;
  /** How far it is, by task group. */
  TaskGroups: Record<string, DeploymentTaskGroup>;
  /** Whether it is one of several regions. */
  IsMultiregion: boolean;
  /** The higher, the sooner it is evaluated. */
  EvalPriority: number;
  /** The version of the job that is deployed. */
  JobVersion: number;
  /** The state of the scheduler that the job was created with. */
  JobCreateIndex: number;
  /** The state of the scheduler that the job was last changed with. */
  JobModifyIndex: number;
  /** The state of the scheduler that this version of the job was registered with. */
  JobSpecModifyIndex: number;
  /** The state of the scheduler that it was created with. */
  CreateIndex: number;
  /** The state of the scheduler that it was last changed with. */
  ModifyIndex: number;
  [field: string]: unknown;
}

/** How far the deployment of a task group is. */
export interface DeploymentTaskGroup {
  /** Whether healthy canaries are promoted by themselves. */
  AutoPromote: boolean;
  /** Whether a failure brings the last stable version back. */
  AutoRevert: boolean;
  DesiredCanaries: number;
  DesiredTotal: number;
  HealthyAllocs: number;
  PlacedAllocs: number;
  /** Ids of the allocations that are canaries. */
  PlacedCanaries: string[] | null;
  /** Nanoseconds without progress after which it fails. */
  ProgressDeadline: number;
  /** Whether its canaries were promoted. */
  Promoted: boolean;
  /** When it fails without progress, as RFC 3339. */
  RequireProgressBy: string | null;
  UnhealthyAllocs: number;
}

/** @internal */
export const deployments: ListReadFunction<Deployment> = listFunction("deployments");

/**
 * All deployments: `GET /v1/deployments`. Pages are fetched as they are needed; one that moves to another page meanwhile is given once. Reads in a
 * preview as well. An integer beyond 2^53 is a text of its digits. Throws {@link StewardError}; what the server answers with 5xx is not sent again.
 */
export function listDeployments(options: ListOptions = {}): List<Deployment> {
  return list(deployments, options);
}
