import { List, ListOptions, ListReadFunction, list, listFunction } from "./list";

/** A job in a list, with Nomad's property names and all further properties of the response. */
export interface JobStub {
  /** The ID, unique in its namespace. */
  ID: string;
  /** The name, usually equal to the ID. */
  Name: string;
  /** The ID of the periodic or parameterized parent job, or an empty string. */
  ParentID: string;
  /** The namespace. */
  Namespace: string;
  /** The datacenters in which the job may run. */
  Datacenters: string[];
  /** The status: `pending`, `running`, … */
  Status: string;
  /** Nomad's description of the status, usually empty. */
  StatusDescription: string;
  /** The type: `service`, `batch`, … */
  Type: string;
  /** The priority of the job. Nomad places jobs with a higher priority first. */
  Priority: number;
  /** The nanoseconds since 1970 as a string of digits, because JavaScript numbers cannot represent them. */
  SubmitTime: string;
  /** True for a periodic job. */
  Periodic: boolean;
  /** True for a parameterized job. */
  ParameterizedJob: boolean;
  /** True if the job was stopped. */
  Stop: boolean;
  /** The multiregion configuration, or null for a job in one region. */
  Multiregion?: Record<string, unknown> | null;
  /** The summary of its allocations. */
  JobSummary: JobSummary;
  /** The index at which the job was created. */
  CreateIndex: number;
  /** The index at which the job was last modified. */
  ModifyIndex: number;
  /** The index at which its current version was registered. */
  JobModifyIndex: number;
  [field: string]: unknown;
}

/** The allocations and child jobs of a job, by status. */
export interface JobSummary {
  JobID: string;
  Namespace: string;
  /** The number of child jobs by status. */
  Children: { Dead: number; Pending: number; Running: number } | null;
  /** The number of allocations by task group and status. */
  Summary: Record<string, { Complete: number; Failed: number; Lost: number; Queued: number; Running: number; Starting: number }>;
  CreateIndex: number;
  ModifyIndex: number;
}

export const jobs: ListReadFunction<JobStub> = listFunction("jobs");

/**
 * Lists all jobs with `GET /v1/jobs`. Pages are fetched on demand, and a job that moves to a different page in the meantime is returned
 * once. Integers beyond 2^53 are strings. The function also runs in previews, does not retry a 5xx response, and throws a
 * {@link StewardError} if a request fails.
 *
 * ```ts
 * const running = scheduler.filter("Status").equals("running");
 * for await (const job of scheduler.listJobs({ namespace: "*", filter: running })) console.log(job.Namespace, job.ID);
 * ```
 * @permissions The connection needs a Nomad token with this ACL policy:
 * ```hcl
 * namespace "default" {
 *   capabilities = ["list-jobs"]
 * }
 * ```
 */
export function listJobs(options: ListOptions = {}): List<JobStub> {
  return list(jobs, options);
}
