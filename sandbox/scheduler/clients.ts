import { Records, Region, Row } from "./records";
import { nanoseconds } from "./seed";

/** The part of a task group that clients use. */
export interface Work {
  Update?: { MinHealthyTime?: number; Canary?: number; AutoPromote?: boolean } | null;
  Tasks?: { Driver?: string; Config?: { exit_code?: number } }[];
}

/**
 * Simulates the clients. A deployment becomes successful after the `MinHealthyTime` of its groups, by the sandbox's clock, unless it was ended
 * before. A `mock_driver` task with an error exit code makes it fail. Canaries wait for their promotion.
 */
export async function runTasks(records: Records, region: Region, key: string, groups: readonly Work[]): Promise<void> {
  if (groups.some(({ Update }) => (Update?.Canary ?? 0) > 0 && !Update?.AutoPromote)) return;
  const fails = groups.some(({ Tasks = [] }) => Tasks.some(({ Driver, Config }) => Driver === "mock_driver" && Config?.exit_code));
  const healthyAfter = Math.max(...groups.map(({ Update }) => (Update?.MinHealthyTime ?? 0) / 1e6));
  const { clock, signals } = records;
  await clock.until(clock.now().getTime() + (fails ? 0 : healthyAfter), signals.ended);
  const row = region.state.deployments.rows.get(key);
  if (signals.ended.aborted || row?.Status !== "running") return;
  const counted = fails ? "UnhealthyAllocs" : "HealthyAllocs";
  const end = fails
    ? { Status: "failed", StatusDescription: "Failed due to unhealthy allocations" }
    : { Status: "successful", StatusDescription: "Deployment completed successfully" };
  const taskGroups = Object.entries(row.TaskGroups as Record<string, Row>).map(([name, group]) => [
    name,
    { ...group, [counted]: group.DesiredTotal },
  ]);
  region.write("deployments", key, {
    ...row,
    ...end,
    TaskGroups: Object.fromEntries(taskGroups),
    ModifyTime: nanoseconds(clock.now().getTime()),
  });
}
