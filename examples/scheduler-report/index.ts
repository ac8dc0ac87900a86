// What a workload scheduler runs, as outputs of a stack: a report of each `pulumi up`, with the history that a stack has.
// Nothing is changed anywhere. `pulumi preview` shows what the report would say now.
import { scheduler } from "pulumi-steward";

const { filter } = scheduler;

async function collect<T, R>(source: AsyncIterable<T>, pick: (item: T) => R): Promise<R[]> {
  const found: R[] = [];
  for await (const item of source) found.push(pick(item));
  return found;
}

const services = filter("Type").equals("service").and(filter("Stop").equals(false));

/** Jobs that should run, and do not. */
export const notRunning = collect(
  scheduler.listJobs({ namespace: "*", filter: services.and(filter("Status").notEquals("running")), pageSize: 100 }),
  ({ Namespace, ID, Status }) => `${Namespace}/${ID}: ${Status}`,
);

/** How many jobs each namespace has. */
export const jobs = collect(scheduler.listJobs({ namespace: "*", pageSize: 100 }), ({ Namespace }) => Namespace).then((namespaces) => {
  const counts: Record<string, number> = {};
  for (const namespace of namespaces) counts[namespace] = (counts[namespace] || 0) + 1;
  return counts;
});

/** Deployments that did not come to a good end. */
export const failed = collect(
  scheduler.listDeployments({ namespace: "*", filter: filter("Status").equals("failed").or(filter("Status").equals("cancelled")) }),
  ({ Namespace, JobID, StatusDescription }) => `${Namespace}/${JobID}: ${StatusDescription}`,
);

/** Nodes that take no work. A filter sees the full record: what a list shows as Address is HTTPAddr there. */
export const outOfWork = collect(
  scheduler.listNodes({ filter: filter("Status").notEquals("ready").or(filter("SchedulingEligibility").notEquals("eligible")) }),
  ({ ID, Address }) => `${ID} (${Address})`,
);
