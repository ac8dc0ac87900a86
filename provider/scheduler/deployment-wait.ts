import { isDryRun } from "@pulumi/pulumi/runtime/settings";
import { z } from "zod";
import { Duration, seconds } from "../comparison";
import { StewardError } from "../errors";
import { withDeadline } from "../http";
import { strictObject } from "../inputs";
import { invoke } from "../invoke";
import { isObject } from "../json";
import { assertOneNamespace, consistencyShape, oneNamespace, QueryOptions, SchedulerConnection, system } from "./client";
import { Deployment } from "./deployments";
import { durationInput, ElectionOptions, outlastElection } from "./election";
import { filter } from "./filter";
import { aborted, fetchPage, Item, ListOptions, signalInput } from "./list";
import { changes } from "./watch";

/** What {@link waitForDeployment} takes. */
export interface WaitForDeploymentOptions extends QueryOptions, ElectionOptions {
  /** The job's ID. */
  jobId: string;
  /**
   * The job's namespace, one.
   * @default the connection's, and without one the scheduler's `default`
   */
  namespace?: string;
  /**
   * Any server may answer, even one that has no leader, and what it says may be old: a job registered a moment ago may not be found, or its former
   * version be taken for the present one.
   * @default false
   */
  stale?: boolean;
  /**
   * For how long at most. A job's own progress deadline, after which its deployment fails, should be shorter.
   * @default "15m"
   */
  timeout?: Duration;
  /** Ends it at once, with `ERR_ABORTED`. */
  signal?: AbortSignal;
}

const schema = strictObject({
  ...consistencyShape,
  namespace: oneNamespace,
  jobId: z.string("must be a job's ID").min(1, "must be a job's ID"),
  timeout: durationInput,
  electionTimeout: durationInput,
  signal: signalInput,
});

/** Ends of a deployment that nobody has wished for. Any other state may still become `successful`. */
const failures = ["failed", "cancelled"];
/** They run to their end, and are never deployed. */
const undeployed = ["batch", "sysbatch"];

/**
 * Waits for the deployment of a job's present version. Resolves when it is `successful`, rejects with `ERR_FAILED` and the scheduler's own words when it
 * ends in any other way, and with `ERR_TIMED_OUT` after `timeout`. How far it is shows in the output of `pulumi up`. In a preview it does nothing, says
 * so, and gives back undefined.
 *
 * A version that is deployed already counts, so that nothing is waited for when nothing has changed; where the scheduler does not keep its deployment
 * any more, undefined is given back. A newer version, registered meanwhile by anyone,
 * cancels the deployment. An election of the scheduler is outlasted: a line says so. Jobs without deployments (batch jobs, and those whose `Update` has `MaxParallel` 0) cannot be waited for.
 */
export function waitForDeployment(options: WaitForDeploymentOptions): Promise<Deployment | undefined> {
  const { jobId, timeout, electionTimeout, signal, ...consistency } = options ?? {};
  const operation = `Cannot wait for the deployment of job "${jobId}"`;
  return invoke({ operation, system, options: schema }, options, async (connection) => {
    if (isDryRun()) {
      connection.say(`pulumi-steward: the deployment of job "${jobId}" is not waited for in a preview.`);
      return undefined;
    }
    assertOneNamespace(connection, consistency);
    const allowed = seconds(timeout) ?? 900;
    const seen: Progress = { line: "the scheduler has not begun it" };
    return withDeadline(Date.now() + allowed * 1000, signal, async (end) => {
      try {
        return await follow(connection, jobId, { ...consistency, signal: end }, { seen, electionTimeout });
      } catch (error) {
        if (!end.aborted) throw error;
        if (signal?.aborted) throw aborted();
        throw new StewardError({
          code: "ERR_TIMED_OUT",
          reason: `it has not ended after ${allowed} s: ${seen.line}`,
          hint: "Give it a longer timeout, or see why its allocations do not become healthy. It goes on meanwhile.",
        });
      }
    });
  });
}

interface Progress {
  line: string;
}

async function follow(
  connection: SchedulerConnection,
  jobId: string,
  query: ListOptions,
  { seen, electionTimeout }: ElectionOptions & { seen: Progress },
): Promise<Deployment | undefined> {
  const outlasting = { electionTimeout, signal: query.signal };
  const wanted = await outlastElection(connection, () => presentVersion(connection, jobId, query), outlasting);
  const tell = (line: string): void => {
    if (line === seen.line) return;
    seen.line = line;
    connection.say(`pulumi-steward: deployment of job "${jobId}": ${line}.`);
  };
  const ours = { ...query, filter: filter("JobID").equals(jobId) };
  let id: string | undefined;
  let asked = false;
  for await (const { items } of changes(connection, "deployments", ours, outlasting)) {
    // Servers before filters send all, without a word.
    const deployment = items
      .filter((item) => item.JobID === jobId && (id === undefined ? indexOf(item) >= wanted : item.ID === id))
      .sort(newestFirst)[0];
    if (!deployment) {
      if (id !== undefined) throw failed("gone", `deployment ${id} is gone`);
      if (!asked && (await outlastElection(connection, () => isStable(connection, jobId, query), outlasting))) {
        tell("successful before; the scheduler does not keep it any more");
        return undefined;
      }
      asked = true;
      continue;
    }
    id = String(deployment.ID);
    tell(progressOf(deployment));
    if (deployment.Status === "successful") return deployment as Deployment;
    if (failures.includes(String(deployment.Status)))
      throw failed(
        String(deployment.Status),
        `deployment ${id} is ${deployment.Status}: ${deployment.StatusDescription || "the scheduler gives no reason"}`,
      );
  }
  // Only the signal ends the iteration.
  throw aborted();
}

/** The index at which the job got its present version: what is deployed since then, is that version. */
async function presentVersion(connection: SchedulerConnection, jobId: string, query: ListOptions): Promise<number> {
  const ours = { ...query, filter: filter("ID").equals(jobId) };
  const { items } = await fetchPage(connection, "jobs", ours, undefined);
  const job = items.find((item) => item.ID === jobId);
  if (!job)
    throw new StewardError({
      code: "ERR_NOT_FOUND",
      reason: `the scheduler shows no such job in namespace "${query.namespace ?? connection.namespace ?? "default"}"`,
      hint: "Check its ID and namespace, and what the token may read.",
    });
  if (undeployed.includes(String(job.Type))) throw failed("job-type", `jobs of type ${job.Type} have no deployments`);
  if (job.Stop === true) throw failed("job-stopped", "the job is stopped");
  return Number(job.JobModifyIndex) || 0;
}

/**
 * Whether the job's present version was deployed once: the scheduler forgets a deployment, not that its version is stable, as soon as none of its
 * allocations runs, and a drained node has others in their place.
 */
async function isStable(connection: SchedulerConnection, jobId: string, query: ListOptions): Promise<boolean> {
  // Asked the other way round: servers before filters send it in any case.
  const unstable = { ...query, filter: filter("ID").equals(jobId).and(filter("Stable").equals(false)) };
  try {
    const { items } = await fetchPage(connection, "jobs", unstable, undefined);
    return !items.some((item) => item.ID === jobId);
  } catch (error) {
    // The API document does not name the field.
    if (error instanceof StewardError && error.code === "ERR_REJECTED") return false;
    throw error;
  }
}

const indexOf = ({ JobSpecModifyIndex, JobModifyIndex }: Item): number =>
  Math.max(Number(JobSpecModifyIndex) || 0, Number(JobModifyIndex) || 0);
const newestFirst = (a: Item, b: Item): number => Number(b.CreateIndex) - Number(a.CreateIndex);
const failed = (rule: string, reason: string): StewardError => new StewardError({ code: "ERR_FAILED", rule, reason });

/** `running, web 1 of 3 healthy, not promoted`. */
function progressOf({ Status, TaskGroups }: Item): string {
  const groups = Object.entries(isObject(TaskGroups) ? TaskGroups : {}).flatMap(([name, group]) => {
    if (!isObject(group)) return [];
    // It waits for somebody then, and nothing else would say so.
    const promotion = Number(group.DesiredCanaries) > 0 && group.Promoted !== true ? ", not promoted" : "";
    return [`${name} ${group.HealthyAllocs ?? 0} of ${group.DesiredTotal ?? 0} healthy${promotion}`];
  });
  return [Status, ...groups].join(", ");
}
