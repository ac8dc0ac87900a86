import { Output } from "@pulumi/pulumi/output";
import { isDryRun } from "@pulumi/pulumi/runtime/settings";
import { z } from "zod";
import { StewardError } from "../contract/errors";
import { rule, strictObject, valueAt } from "../contract/inputs";
import { notJson } from "../http/failure";
import { invoke } from "../program/invoke";
import { isObject, Json } from "../text/json";
import {
  assertOneNamespace,
  callUnchanged,
  consistencyShape,
  dialectOf,
  QueryOptions,
  queryOf,
  SchedulerOperation,
  system,
} from "./client";
import { pagesOf } from "./list";

/** Options of {@link registerJob}. */
export interface RegisterJobOptions extends QueryOptions {
  /**
   * The job's namespace, which overrides the one in the job and cannot be `*`.
   * @default the connection's, or else the one in the job, or else `default`
   */
  namespace?: string;
  /** Ignored, since the leader handles writes. */
  stale?: boolean;
  /**
   * The job in Nomad's JSON format, with or without the outer `{ "Job": … }` that `nomad job run -output` prints. The provider sends it
   * unchanged.
   */
  job: object;
}

/** The reason not to send a job; undefined if there is none. */
function objection(job: unknown): ReturnType<typeof rule> | undefined {
  if (!isObject(job) || Object.keys(job).length === 0) return rule("job", "must be a job in JSON format");
  let outputs = false;
  try {
    JSON.stringify(job, function (this: Record<string, unknown>, key, value) {
      // `value` is already the result of the output's toJSON().
      outputs ||= Output.isInstance(this[key]) || this[key] instanceof Promise;
      return outputs ? undefined : value;
    });
  } catch (error) {
    return rule("json", `is not serializable as JSON (${(error as Error).message.split("\n")[0]})`);
  }
  return outputs
    ? rule("output", "contains an output or a promise: register the job inside apply() of the output, or await the promise")
    : undefined;
}

/** Rethrows the error of a registration unless its response is a string, whose form the API specification does not show, and the list has the job. */
async function assertListed(operation: SchedulerOperation, error: StewardError, id: unknown, query: QueryOptions): Promise<undefined> {
  const mayBeListed = error.details?.rule === notJson && !dialectOf(operation).fields && typeof id === "string";
  try {
    if (mayBeListed) for await (const { items } of pagesOf(operation, "jobs", query)) if (items.some(({ ID }) => ID === id)) return;
  } catch {
    // A token that may register jobs may not be able to list them.
  }
  throw error;
}

const schema = strictObject({
  ...consistencyShape,
  job: z.custom<object>().superRefine((job, context) => {
    const problem = objection(job);
    if (problem) context.addIssue({ code: "custom", message: problem.error, params: problem.params });
  }),
});

/**
 * Creates a job or updates it to a new version with `PUT /v1/jobs`, and returns Nomad's response. In a preview, the function only prints a
 * line and returns undefined.
 *
 * The function retries the request only after a 429, because each registration makes Nomad evaluate the job again. If the response is lost,
 * the error says that the request may have been applied, and you can register the same job again without changing it. Removing the call
 * from the program does not remove the job.
 *
 * ```ts
 * await scheduler.registerJob({ job });
 * await scheduler.waitForDeployment({ jobId: "web", timeout: "10m" });
 * ```
 * @permissions The connection needs a Nomad token with this ACL policy:
 * ```hcl
 * namespace "default" {
 *   capabilities = ["submit-job"]
 * }
 * ```
 */
export function registerJob(options: RegisterJobOptions): Promise<unknown> {
  const { job, ...consistency } = options ?? {};
  const body = isObject(job) && isObject(job.Job) ? job : { Job: job };
  const id = isObject(body.Job) && typeof body.Job.ID === "string" ? ` "${body.Job.ID}"` : "";
  return invoke({ operation: `Cannot register job${id}`, system, options: schema }, options, async (operation) => {
    assertOneNamespace(operation, consistency);
    if (isDryRun()) {
      operation.run.log.info(`pulumi-steward: job${id} is not registered in a preview.`);
      return undefined;
    }
    // The leader handles writes.
    const query = queryOf(operation, { ...consistency, stale: false });
    const request = { method: "PUT", path: "/v1/jobs", query, body: body as Json, retry: "only429" } as const;
    const namespace = consistency.namespace ?? operation.server.namespace ?? (valueAt(body, ["Job", "Namespace"]) as string | undefined);
    return callUnchanged(operation, request, "registration").catch((error) =>
      assertListed(operation, error, valueAt(body, ["Job", "ID"]), { ...consistency, namespace, stale: false }),
    );
  });
}
