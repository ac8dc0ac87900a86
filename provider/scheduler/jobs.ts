import { List, list, Query, querySchema } from "./list";

/** What a list shows of a job, with the scheduler's own names, and all that it sent beside these. */
export interface JobStub {
  /** Unique in its namespace. */
  ID: string;
  /** Mostly the same as its ID. */
  Name: string;
  /** Where it lives. */
  Namespace: string;
  /** `pending`, `running`, … */
  Status: string;
  /** `service`, `batch`, … */
  Type: string;
  /** The higher, the sooner it is placed. */
  Priority: number;
  /** Nanoseconds since 1970, as decimal digits: more than a number of JavaScript holds. */
  SubmitTime: string;
  [field: string]: unknown;
}

const schema = querySchema("jobs");

/**
 * All jobs: `GET /v1/jobs`. Pages are fetched as they are needed; a job that moves to another page meanwhile is given once. Reads in a preview as
 * well. An integer beyond 2^53 is a text of its digits. Throws {@link StewardError}; what the server answers with 5xx is not sent again.
 *
 * ```ts
 * const running = scheduler.filter("Status").equals("running");
 * for await (const job of scheduler.listJobs({ namespace: "*", filter: running })) console.log(job.Namespace, job.ID);
 * ```
 */
export function listJobs(options: Query = {}): List<JobStub> {
  return list("Cannot list jobs", "jobs", schema, options);
}
