import { randomUUID } from "node:crypto";
import { runTasks, Work } from "./clients";
import { HttpError } from "./http-error";
import { stringify } from "./json";
import { keyOf, Records, Region, Row, structures } from "./records";
import { defaults, nanoseconds, update } from "./seed";
import { complete } from "./types";

interface Group extends Work {
  Name: string;
  Count?: number;
  Update?: ({ MaxParallel?: number; ProgressDeadline?: number } & Work["Update"]) | null;
}

/** The fields of a job that the scheduler sets. The others are the specification. */
const serverFields = ["CreateIndex", "ModifyIndex", "JobModifyIndex", "SubmitTime", "Status", "StatusDescription", "Version", "Stable"];

/** The result of a registration. Periodic and parameterized jobs have no evaluation. */
export interface Registered {
  JobModifyIndex: number;
  EvalID: string;
  EvalCreateIndex: number;
  Index: number;
}

/** Registers a job or a new version of it. A new version cancels the running deployments. */
export function register(records: Records, region: Region, sent: Row): Registered {
  const namespace = String(sent.Namespace);
  const id = String(sent.ID);
  const specification: Row = withUpdates({ ...defaults.jobs, Datacenters: ["*"], ...sent, Name: sent.Name || id, Region: region.name });
  check(records, specification);
  const key = keyOf("jobs", id, namespace);
  const before = region.find("jobs", id, namespace);
  const now = nanoseconds(records.clock.now().getTime());
  const EvalID = specification.Periodic || specification.ParameterizedJob ? "" : randomUUID();
  if (before && bare(specification) === bare(before)) {
    const EvalCreateIndex = EvalID === "" ? 0 : region.advance();
    return { JobModifyIndex: Number(before.JobModifyIndex), EvalID, EvalCreateIndex, Index: EvalCreateIndex };
  }

  const index = region.index + 1;
  const version = before ? Number(before.Version) + 1 : 0;
  const job = { ...specification, SubmitTime: now, Version: version, Status: "pending", JobModifyIndex: index, Stable: false };
  const stopped = specification.Stop === true;
  region.write("jobs", key, job);
  for (const [deployment, row] of region.state.deployments.rows)
    if (row.JobID === id && row.Namespace === namespace && row.Status === "running") {
      const StatusDescription = stopped ? "Cancelled because job is stopped" : "Cancelled due to newer version of job";
      region.write("deployments", deployment, { ...row, Status: "cancelled", StatusDescription, ModifyTime: now });
    }
  const groups = updated(specification).filter(({ Count }) => Count !== 0);
  if (groups.length > 0 && !stopped) {
    // Only an update has canaries.
    const isUpdate = before !== undefined && before.Stop !== true;
    const placed = groups.map(({ Update, ...group }) => ({ ...group, Update: isUpdate ? Update : { ...Update, Canary: 0 } }));
    deploy(records, region, namespace, job, placed, now);
  }
  region.write("jobs", key, { ...job, Status: stopped ? "dead" : "running" });
  return { JobModifyIndex: index, EvalID, EvalCreateIndex: EvalID === "" ? 0 : index, Index: index };
}

function deploy(records: Records, region: Region, Namespace: string, job: Row, groups: Group[], now: bigint): void {
  const { CreateIndex } = region.find("jobs", String(job.ID), Namespace) ?? {};
  const ID = randomUUID();
  const nodes = job.Type === "system" ? region.state.nodes.rows.size : 1;
  const TaskGroups = Object.fromEntries(
    groups.map(({ Name, Count = 1, Update }) => {
      const { ProgressDeadline, Canary: DesiredCanaries } = Update ?? {};
      return [Name, { DesiredTotal: Count * nodes, PlacedAllocs: Count * nodes, ProgressDeadline, DesiredCanaries }];
    }),
  );
  const key = keyOf("deployments", ID, Namespace);
  region.write("deployments", key, {
    ...defaults.deployments,
    ID,
    Namespace,
    JobID: job.ID,
    JobVersion: job.Version,
    JobModifyIndex: job.JobModifyIndex,
    JobSpecModifyIndex: job.JobModifyIndex,
    JobCreateIndex: CreateIndex,
    EvalPriority: job.Priority,
    TaskGroups,
    CreateTime: now,
    ModifyTime: now,
  });
  void runTasks(records, region, key, groups);
}

/** Services and system jobs are deployed. */
const rolls = ({ Type }: Row): boolean => Type === "service" || Type === "system";

/**
 * Sets the default count of the groups, and merges the job's update block into theirs. A job that is deployed always has one. The job keeps only two
 * of its fields.
 */
function withUpdates(job: Row): Row {
  const { Update: declared, TaskGroups } = job;
  const common = declared || rolls(job) ? { ...update, ...(declared as object | undefined) } : undefined;
  const Update = common && common.MaxParallel > 0 ? { Stagger: common.Stagger, MaxParallel: common.MaxParallel } : null;
  if (!Array.isArray(TaskGroups)) return job;
  const groups = (TaskGroups as Group[]).map((group) => ({
    ...group,
    Count: group.Count ?? 1,
    Update: common || group.Update ? { ...update, ...common, ...group.Update } : null,
  }));
  return { ...job, Update, TaskGroups: groups };
}

/** The groups with rolling updates, which a deployment tracks. */
function updated({ TaskGroups }: Row): Group[] {
  return (TaskGroups as Group[]).filter(({ Update: block }) => (block?.MaxParallel ?? 0) > 0);
}

/** The specification as a string, to detect an unchanged job. */
function bare(job: Row): string {
  return stringify(Object.entries(complete(structures.jobs, job) as Row).filter(([name]) => !serverFields.includes(name)));
}

/** The most common validation errors. Like Nomad, it responds with 500. */
function check(records: Records, job: Row): void {
  const wrong: string[] = [];
  const id = String(job.ID ?? "");
  if (id === "") wrong.push("Missing job ID");
  if (/ /.test(id)) wrong.push("Job ID contains a space");
  const groups = job.TaskGroups as Group[] | null | undefined;
  if (!Array.isArray(groups) || groups.length === 0) wrong.push("Missing job task groups");
  else if (job.Type !== undefined && !rolls(job) && updated(job).length > 0) {
    const inner = several([`Job type ${JSON.stringify(job.Type)} does not allow update block`]);
    wrong.push(...updated(job).map(({ Name }) => `Task group ${Name} validation failed: ${inner}`));
  }
  if (wrong.length === 0 && !records.namespaces.has(String(job.Namespace)))
    wrong.push(`job ${JSON.stringify(id)} is in nonexistent namespace ${JSON.stringify(job.Namespace)}`);
  if (wrong.length > 0) throw new HttpError(500, several(wrong));
}

function several(problems: string[]): string {
  const title = problems.length === 1 ? "1 error occurred:" : `${problems.length} errors occurred:`;
  return `${title}\n\t* ${problems.join("\n\t* ")}\n\n`;
}
