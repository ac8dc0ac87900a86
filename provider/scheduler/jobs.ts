import { List, ListOptions, ListReadFunction, list, listFunction } from "./list";

/** What a list shows of a job, with the scheduler's own names, and all that it sent beside these. */
export interface JobStub {
  /** Unique in its namespace. */
  ID: string;
  /** Mostly the same as its ID. */
  Name: string;
  /** The job that it was made of: of a periodic or a parameterized one; else empty. */
  ParentID: string;
  /** Where it lives. */
  Namespace: string;
  /** Where it may be placed. */
  Datacenters: string[];
  /** `pending`, `running`, … */
  Status: string;
  /** The same in the scheduler's words; mostly empty. */
  StatusDescription: string;
  /** `service`, `batch`, … */
  Type: string;
  /** The higher, the sooner it is placed. */
  Priority: number;
  /** Nanoseconds since 1970, as decimal digits: more than a number of JavaScript holds. */
  SubmitTime: string;
  /** Whether others are made of it by time. */
  Periodic: boolean;
  /** Whether others are made of it with parameters. */
  ParameterizedJob: boolean;
  /** Whether it was stopped. */
  Stop: boolean;
  /** How it is spread over regions; null where it is in one. */
  Multiregion?: Record<string, unknown> | null;
  /** How far it is. */
  JobSummary: JobSummary;
  /** The state of the scheduler that it was created with. */
  CreateIndex: number;
  /** The state of the scheduler that it was last changed with. */
  ModifyIndex: number;
  /** The state of the scheduler that its present version was registered with. */
  JobModifyIndex: number;
  [field: string]: unknown;
}

/** How far a job is. */
export interface JobSummary {
  JobID: string;
  Namespace: string;
  /** The jobs that were made of it, by state. */
  Children: { Dead: number; Pending: number; Running: number } | null;
  /** Its allocations by task group and state. */
  Summary: Record<string, { Complete: number; Failed: number; Lost: number; Queued: number; Running: number; Starting: number }>;
  CreateIndex: number;
  ModifyIndex: number;
}

/** @internal */
export const jobs: ListReadFunction<JobStub> = listFunction("jobs");

/**
 * All jobs: `GET /v1/jobs`. Pages are fetched as they are needed; a job that moves to another page meanwhile is given once. Reads in a preview as
 * well. An integer beyond 2^53 is a text of its digits. Throws {@link StewardError}; what the server answers with 5xx is not sent again.
 *
 * ```ts
 * const running = scheduler.filter("Status").equals("running");
 * for await (const job of scheduler.listJobs({ namespace: "*", filter: running })) console.log(job.Namespace, job.ID);
 * ```
 */
export function listJobs(options: ListOptions = {}): List<JobStub> {
  return list(jobs, options);
}
