import { isDryRun } from "@pulumi/pulumi/runtime/settings";
import { z } from "zod";
import { rule, strictObject } from "../inputs";
import { invoke } from "../invoke";
import { isObject } from "../json";
import { assertOneNamespace, call, consistencyShape, oneNamespace, QueryOptions, queryOf, system } from "./client";

/** What {@link registerJob} takes. */
export interface RegisterJobOptions extends QueryOptions {
  /**
   * The job's namespace, one; it goes before the one that the job itself names.
   * @default the connection's, and without one the job's own, or else `default`
   */
  namespace?: string;
  /** Ignored: a write goes to the leader. */
  stale?: boolean;
  /** The job in the scheduler's JSON, with or without the `{ "Job": … }` around it that its command line prints. It is sent as it is. */
  job: object;
}

/** Why a job cannot be sent; undefined when it can. */
function objection(job: unknown): ReturnType<typeof rule> | undefined {
  if (!isObject(job) || Object.keys(job).length === 0) return rule("job", "must be a job in the scheduler's JSON");
  let outputs = false;
  try {
    JSON.stringify(job, function (this: Record<string, unknown>, key, value) {
      // The value itself would already be what an output's toJSON() says.
      const held = this[key] as { __pulumiOutput?: unknown } | null | undefined;
      outputs ||= typeof held === "object" && held !== null && "__pulumiOutput" in held;
      return outputs ? undefined : value;
    });
  } catch (error) {
    return rule("json", `is no JSON (${(error as Error).message.split("\n")[0]})`);
  }
  return outputs ? rule("output", "holds an output: register it within that output's apply()") : undefined;
}

const schema = strictObject({
  ...consistencyShape,
  namespace: oneNamespace,
  job: z.custom<object>().superRefine((job, context) => {
    const found = objection(job);
    if (found) context.addIssue({ code: "custom", message: found.error, params: found.params });
  }),
});

/**
 * Creates a job, or gives it a new version: `PUT /v1/jobs`. Gives back what the scheduler answers. In a preview it does nothing, says so, and gives
 * back undefined.
 *
 * It is never sent twice: each arrival has the scheduler evaluate the job again. When the answer is lost, the error says that it may have been
 * applied; registering the same job again changes nothing about it. Nothing removes the job when the program no longer registers it.
 *
 * ```ts
 * await scheduler.registerJob({ job });
 * await scheduler.waitForDeployment({ jobId: "web", timeout: "10m" });
 * ```
 */
export function registerJob(options: RegisterJobOptions): Promise<unknown> {
  const { job, ...consistency } = options ?? {};
  const body = isObject(job) && isObject(job.Job) ? job : { Job: job };
  const id = isObject(body.Job) && typeof body.Job.ID === "string" ? ` "${body.Job.ID}"` : "";
  return invoke({ operation: `Cannot register job${id}`, system, options: schema }, options, async (connection) => {
    if (isDryRun()) {
      connection.say(`pulumi-steward: job${id} is not registered in a preview.`);
      return undefined;
    }
    assertOneNamespace(connection, consistency);
    // A write goes to the leader, however stale reads may be.
    const query = queryOf(connection, { ...consistency, stale: false });
    return (await call(connection, { method: "PUT", path: "/v1/jobs", query, body, retry: "only429" })).body;
  });
}
