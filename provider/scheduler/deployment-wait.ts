import { isDryRun } from "@pulumi/pulumi/runtime/settings";
import { z } from "zod";
import { Duration, seconds } from "../contract/comparison";
import { StewardError } from "../contract/errors";
import { strictObject, valueAt } from "../contract/inputs";
import { withDeadline } from "../http";
import { invoke } from "../program/invoke";
import { isObject } from "../text/json";
import { assertOneNamespace, call, consistencyShape, dialectOf, QueryOptions, queryOf, SchedulerOperation, system } from "./client";
import { Deployment } from "./deployments";
import { ElectionOptions, outlastElection, waitInput } from "./election";
import { filter } from "./filter";
import { aborted, fetchPage, Item, ListOptions, signalInput } from "./list";
import { changes } from "./watch";

/** Options of {@link waitForDeployment}. */
export interface WaitForDeploymentOptions extends QueryOptions, ElectionOptions {
  /** The job's ID. */
  jobId: string;
  /**
   * The job's namespace, which cannot be `*`.
   * @default the connection's, or else `default`
   */
  namespace?: string;
  /**
   * Allows any server to respond, even one without a leader, so a response may lack a job that was just registered, or show its previous
   * version.
   * @default false
   */
  stale?: boolean;
  /**
   * The maximum wait, which should exceed the job's progress deadline, after which Nomad fails the deployment.
   * @default "15m"
   */
  timeout?: Duration;
  /** Aborts the wait with `ERR_ABORTED`. */
  signal?: AbortSignal;
}

const schema = strictObject({
  ...consistencyShape,
  jobId: z.string("must be a job ID").min(1, "must be a job ID"),
  timeout: waitInput,
  electionTimeout: waitInput,
  signal: signalInput,
});

/** The final statuses besides `successful`. */
const failures = ["failed", "cancelled"];
/** The job types that run to completion and have no deployments. */
const undeployed = ["batch", "sysbatch"];

/**
 * Waits for the deployment of a job's current version and resolves to the deployment once it is `successful`. While it waits, the output of
 * `pulumi up` shows its progress. In a preview, the function only prints a line and resolves to undefined.
 *
 * If the current version is already deployed, the function resolves immediately, or to undefined if Nomad no longer has that deployment. It
 * also resolves to undefined if each group has count 0, since there is nothing to deploy. If a newer version is registered in the meantime,
 * Nomad cancels the deployment. During a leader election, the function prints a line and waits.
 *
 * Fails with `ERR_FAILED` at once for jobs that Nomad updates without a deployment: batch jobs, and jobs whose groups have `MaxParallel` 0.
 * Fails with `ERR_FAILED` and Nomad's description if the deployment finishes with a different status, and with `ERR_TIMED_OUT` after
 * `timeout`. Nomad deploys system jobs since 1.11.
 * @permissions The connection needs a Nomad token with this ACL policy:
 * ```hcl
 * namespace "default" {
 *   capabilities = ["list-jobs", "read-job"]
 * }
 * ```
 */
export function waitForDeployment(options: WaitForDeploymentOptions): Promise<Deployment | undefined> {
  const { jobId, timeout, electionTimeout, signal, ...consistency } = options ?? {};
  const operation = `Cannot wait for the deployment of job "${jobId}"`;
  return invoke({ operation, system, options: schema }, options, async (operation) => {
    assertOneNamespace(operation, consistency);
    if (isDryRun()) {
      operation.run.log.info(`pulumi-steward: a preview does not wait for the deployment of job "${jobId}".`);
      return undefined;
    }
    const allowed = seconds(timeout) ?? 900;
    const seen: Seen = {
      line: `${operation.server.words.service} has not started it`,
      hint: "Read the job's evaluations to find out why.",
    };
    return withDeadline(Date.now() + allowed * 1000, [signal], async (end) => {
      try {
        return await follow(operation, jobId, { ...consistency, signal: end }, { seen, electionTimeout });
      } catch (error) {
        if (!end.aborted) throw error;
        if (signal?.aborted) throw aborted();
        throw new StewardError({ code: "ERR_TIMED_OUT", reason: `it has not finished after ${allowed} s: ${seen.line}`, hint: seen.hint });
      }
    });
  });
}

/** The last state of the deployment, and what to do if the wait ends in it. */
interface Seen {
  line: string;
  hint: string;
}

async function follow(
  operation: SchedulerOperation,
  jobId: string,
  query: ListOptions,
  { seen, electionTimeout }: ElectionOptions & { seen: Seen },
): Promise<Deployment | undefined> {
  const waitOptions = { electionTimeout, signal: query.signal };
  const jobIndex = await outlastElection(operation, () => currentVersion(operation, jobId, query), waitOptions);
  const report = (line: string): void => {
    if (line === seen.line) return;
    seen.line = line;
    operation.run.log.info(`pulumi-steward: deployment of job "${jobId}": ${line}.`);
  };
  const ofJob = { ...query, filter: filter("JobID").equals(jobId) };
  let id: string | undefined;
  for await (const { items } of changes(operation, "deployments", ofJob, waitOptions)) {
    // Servers that do not support filters silently return all deployments.
    const deployment = items
      .filter((item) => item.JobID === jobId && (id === undefined ? indexOf(item) >= jobIndex : item.ID === id))
      .sort(newestFirst)[0];
    if (!deployment) {
      if (id !== undefined) throw failed("gone", `deployment ${id} no longer exists`);
      const line = await outlastElection(operation, () => nothingToDeploy(operation, jobId, jobIndex, query), waitOptions);
      if (line === undefined) continue;
      report(line);
      return undefined;
    }
    id = String(deployment.ID);
    report(progressOf(deployment));
    seen.hint = hintOf(deployment, operation);
    if (deployment.Status === "successful") return deployment as Deployment;
    if (failures.includes(String(deployment.Status)))
      throw failed(
        String(deployment.Status),
        `deployment ${id} is ${deployment.Status}: ${deployment.StatusDescription || "no description"}`,
      );
  }
  // Only the signal ends the iteration.
  throw aborted();
}

/** The index at which the job's current version was registered. Later deployments deploy that version. */
async function currentVersion(operation: SchedulerOperation, jobId: string, query: ListOptions): Promise<number> {
  const ofJob = { ...query, filter: filter("ID").equals(jobId) };
  const { items } = await fetchPage(operation, "jobs", ofJob, undefined);
  const job = items.find((item) => item.ID === jobId);
  if (!job)
    throw new StewardError({
      code: "ERR_NOT_FOUND",
      reason: `${operation.server.words.service} has no such job in namespace "${query.namespace ?? operation.server.namespace ?? "default"}"`,
      hint: "Check its ID and namespace, and that the token may read it.",
    });
  assertRuns(job);
  return Number(job.JobModifyIndex) || 0;
}

function assertRuns({ Type, Stop }: Item): void {
  if (undeployed.includes(String(Type))) throw failed("job-type", `jobs of type ${Type} have no deployments`);
  if (Stop === true) throw failed("job-stopped", "the job is stopped");
}

/** The reason why the job's current version, which has no deployment, needs none. Undefined if it will have one. */
async function nothingToDeploy(
  operation: SchedulerOperation,
  jobId: string,
  jobIndex: number,
  query: ListOptions,
): Promise<string | undefined> {
  const { service } = operation.server.words;
  const path = `/v1/job/${encodeURIComponent(jobId)}`;
  const request = { method: "GET", path, query: queryOf(operation, query), retry: "exceptOn5xx", signal: query.signal } as const;
  const { body: job } = await call(operation, request).catch(async (error) => {
    if (!(error instanceof StewardError) || Math.trunc((error.status ?? 0) / 100) !== 4) throw error;
    // The job may be gone meanwhile, or the service lacks the request, as the API specification does.
    await currentVersion(operation, jobId, query);
    return { body: undefined };
  });
  if (!isObject(job) || !Array.isArray(job.TaskGroups)) return undefined;
  assertRuns(job);
  // The index is that of another version, registered after the wait began.
  if (Number(job.JobModifyIndex) !== jobIndex) return undefined;
  const groups = job.TaskGroups.filter((group) => valueAt(group, ["Count"]) !== 0);
  if (groups.length === 0) return "nothing to deploy, since each group has count 0";
  if (!groups.some((group) => Number(valueAt(group, ["Update", "MaxParallel"])) > 0))
    throw failed("no-update", `${service} updates the job without a deployment, since its groups have max_parallel = 0`);
  // Nomad removes a deployment once none of its allocations runs, for example after a node was drained.
  return job.Stable === true ? `already successful; ${service} no longer has it` : undefined;
}

const indexOf = ({ JobSpecModifyIndex, JobModifyIndex }: Item): number =>
  Math.max(Number(JobSpecModifyIndex) || 0, Number(JobModifyIndex) || 0);
const newestFirst = (a: Item, b: Item): number => Number(b.CreateIndex) - Number(a.CreateIndex);
const failed = (rule: string, reason: string): StewardError => new StewardError({ code: "ERR_FAILED", rule, reason });

/** True for a group whose deployment waits for the promotion of its canaries. */
const isUnpromoted = (group: unknown): boolean => isObject(group) && Number(group.DesiredCanaries) > 0 && group.Promoted !== true;

/** The remedy for a deployment that does not finish. */
function hintOf({ ID, Status, TaskGroups }: Item, operation: SchedulerOperation): string {
  const command = (verb: string) => (dialectOf(operation).fields ? ` with \`nomad deployment ${verb} ${ID}\`` : "");
  if (Status === "paused") return `Resume the deployment${command("resume")}.`;
  if (Object.values(TaskGroups ?? {}).some((group) => isUnpromoted(group) && group.AutoPromote !== true))
    return `The deployment continues once its canaries are promoted: promote them${command("promote")} when they are healthy.`;
  return "The deployment continues. Set a longer timeout, or find out why its allocations do not become healthy.";
}

/** `running, web 1 of 3 healthy, not promoted`. */
function progressOf({ Status, TaskGroups }: Item): string {
  const groups = Object.entries(isObject(TaskGroups) ? TaskGroups : {}).flatMap(([name, group]) => {
    if (!isObject(group)) return [];
    return [`${name} ${group.HealthyAllocs ?? 0} of ${group.DesiredTotal ?? 0} healthy${isUnpromoted(group) ? ", not promoted" : ""}`];
  });
  return [Status, ...groups].join(", ");
}
