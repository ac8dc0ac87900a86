import { List, list, Query, querySchema } from "./list";

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
  [field: string]: unknown;
}

const schema = querySchema("deployments");

/**
 * All deployments: `GET /v1/deployments`. Pages are fetched as they are needed; one that moves to another page meanwhile is given once. Reads in a
 * preview as well. An integer beyond 2^53 is a text of its digits. Throws {@link StewardError}; what the server answers with 5xx is not sent again.
 */
export function listDeployments(options: Query = {}): List<Deployment> {
  return list("Cannot list deployments", "deployments", schema, options);
}
