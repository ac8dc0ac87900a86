// Reports the state of a workload scheduler as stack outputs, with the history of the stack.
// It changes nothing. `pulumi preview` shows the current report.
import { scheduler } from "pulumi-steward";

const { filter } = scheduler;

async function collect<T, R>(source: AsyncIterable<T>, pick: (item: T) => R): Promise<R[]> {
  const found: R[] = [];
  for await (const item of source) found.push(pick(item));
  return found;
}

/** Fails for a token that cannot read all namespaces, since Nomad omits the others without an error. */
async function assertSeesAll(): Promise<void> {
  // Only a token for all namespaces can read one that does not exist.
  for await (const _ of scheduler.listJobs({ namespace: "no-such-namespace" })) break;
}

const services = filter("Type").equals("service").and(filter("Stop").equals(false));

/** Service jobs that are not running although they should. */
export const notRunning = collect(
  scheduler.listJobs({ namespace: "*", filter: services.and(filter("Status").notEquals("running")), pageSize: 100 }),
  ({ Namespace, ID, Status }) => `${Namespace}/${ID}: ${Status}`,
);

/** The number of jobs in each namespace. */
export const jobs = collect(scheduler.listJobs({ namespace: "*", pageSize: 100 }), ({ Namespace }) => Namespace).then(
  async (namespaces) => {
    await assertSeesAll();
    const counts: Record<string, number> = {};
    for (const namespace of namespaces) counts[namespace] = (counts[namespace] || 0) + 1;
    return counts;
  },
);

/** Failed and canceled deployments. */
export const failed = collect(
  scheduler.listDeployments({ namespace: "*", filter: filter("Status").equals("failed").or(filter("Status").equals("cancelled")) }),
  ({ Namespace, JobID, StatusDescription }) => `${Namespace}/${JobID}: ${StatusDescription}`,
);

/** Nodes that do not accept work. A filter applies to the full record, where the Address of a list is HTTPAddr. */
export const outOfWork = collect(
  scheduler.listNodes({ filter: filter("Status").notEquals("ready").or(filter("SchedulingEligibility").notEquals("eligible")) }),
  ({ ID, Address }) => `${ID} (${Address})`,
);
