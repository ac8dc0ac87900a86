import type { Records, Region, Row } from "./records";
import { nanoseconds } from "./seed";

/** What clients have to do with a group of a job. */
export interface Work {
  Update?: { MinHealthyTime?: number; Canary?: number; AutoPromote?: boolean } | null;
  Tasks?: { Driver?: string; Config?: { exit_code?: number } }[];
}

/**
 * Stands for the clients, of which there are none here: what is deployed becomes healthy after the time that its groups ask for, by the sandbox's clock,
 * and its deployment successful, unless somebody has ended it before. A task of the pretending driver that ends with an error makes it fail; canaries
 * wait for their promotion.
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
  const shown = Object.entries(row.TaskGroups as Record<string, Row>).map(([name, group]) => [
    name,
    { ...group, [counted]: group.DesiredTotal },
  ]);
  region.write("deployments", key, {
    ...row,
    ...end,
    TaskGroups: Object.fromEntries(shown),
    ModifyTime: nanoseconds(clock.now().getTime()),
  });
}
