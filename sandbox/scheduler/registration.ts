import { randomUUID } from "node:crypto";
import { Refused } from "./answer";
import { stringify } from "./json";
import type { Records, Region, Row } from "./records";
import { keyOf, structureOf } from "./records";
import { defaults, nanoseconds } from "./seed";
import { complete } from "./types";

interface Group {
  Name: string;
  Count?: number;
  Update?: { MaxParallel?: number; ProgressDeadline?: number; Canary?: number } | null;
}

/** What the service itself writes into a job; the rest is the specification. */
const own = ["CreateIndex", "ModifyIndex", "JobModifyIndex", "SubmitTime", "Status", "StatusDescription", "Version", "Stable"];

/** Registers a job: a new one, or a new version of one, whose running deployments then end. Returns the index of its specification. */
export function register(records: Records, region: Region, given: Row): number {
  check(records, given);
  const namespace = String(given.Namespace);
  const id = String(given.ID);
  const key = keyOf("jobs", id, namespace);
  const before = region.find("jobs", id, namespace);
  const now = nanoseconds(records.clock.now().getTime());
  const specification: Row = { ...defaults.jobs, Datacenters: ["*"], ...given, Name: given.Name || id, Region: region.name };
  if (before && bare(specification) === bare(before)) return Number(before.JobModifyIndex);

  const index = region.index + 1;
  const version = before ? Number(before.Version) + 1 : 0;
  const job = { ...specification, SubmitTime: now, Version: version, Status: "pending", JobModifyIndex: index, Stable: false };
  region.write("jobs", key, job);
  for (const [deployment, row] of region.state.deployments.rows)
    if (row.JobID === id && row.Namespace === namespace && row.Status === "running") {
      const ended = { Status: "cancelled", StatusDescription: "Cancelled due to newer version of job", ModifyTime: now };
      region.write("deployments", deployment, { ...row, ...ended });
    }
  const groups = updated(specification);
  if (specification.Type === "service" && groups.length > 0) deploy(region, namespace, job, groups, now);
  region.write("jobs", key, { ...job, Status: "running" });
  return index;
}

function deploy(region: Region, Namespace: string, job: Row, groups: Group[], now: bigint): void {
  const { CreateIndex } = region.find("jobs", String(job.ID), Namespace) ?? {};
  const ID = randomUUID();
  const TaskGroups = Object.fromEntries(
    groups.map(({ Name, Count, Update }) => {
      const { ProgressDeadline = 600_000_000_000, Canary: DesiredCanaries = 0 } = Update ?? {};
      return [Name, { DesiredTotal: Count ?? 1, PlacedAllocs: Count ?? 1, ProgressDeadline, DesiredCanaries }];
    }),
  );
  region.write("deployments", keyOf("deployments", ID, Namespace), {
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
}

/** The groups that are updated step by step, which is what a deployment tracks. */
function updated({ TaskGroups, Update }: Row): Group[] {
  const groups = TaskGroups as Group[];
  const common = Update as Group["Update"];
  return groups.map((group) => ({ ...group, Update: group.Update ?? common })).filter(({ Update: own }) => (own?.MaxParallel ?? 0) > 0);
}

/** The specification alone, to tell a new version from the same one again. */
function bare(job: Row): string {
  return stringify(Object.entries(complete(structureOf("jobs"), job) as Row).filter(([name]) => !own.includes(name)));
}

/** The commonest refusals, with the status of the real product: 500. */
function check(records: Records, job: Row): void {
  const wrong: string[] = [];
  const id = String(job.ID ?? "");
  if (id === "") wrong.push("Missing job ID");
  if (/ /.test(id)) wrong.push("Job ID contains a space");
  const groups = job.TaskGroups as Group[] | null | undefined;
  if (!Array.isArray(groups) || groups.length === 0) wrong.push("Missing job task groups");
  else if (job.Type !== undefined && job.Type !== "service" && job.Type !== "system" && updated(job).length > 0) {
    const inner = several([`Job type ${JSON.stringify(job.Type)} does not allow update block`]);
    wrong.push(...updated(job).map(({ Name }) => `Task group ${Name} validation failed: ${inner}`));
  }
  if (wrong.length === 0 && !records.namespaces.has(String(job.Namespace)))
    wrong.push(`job ${JSON.stringify(id)} is in nonexistent namespace ${JSON.stringify(job.Namespace)}`);
  if (wrong.length > 0) throw new Refused(500, several(wrong));
}

function several(problems: string[]): string {
  const title = problems.length === 1 ? "1 error occurred:" : `${problems.length} errors occurred:`;
  return `${title}\n\t* ${problems.join("\n\t* ")}\n\n`;
}
