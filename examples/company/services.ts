import { scheduler } from "pulumi-steward";

/** The services in all namespaces that the token may read whose status is not "running". */
export async function servicesDown(): Promise<string[]> {
  const { filter } = scheduler;
  const services = filter("Type").equals("service").and(filter("Stop").equals(false)).and(filter("Status").notEquals("running"));
  const down: string[] = [];
  for await (const { Namespace, ID } of scheduler.listJobs({ namespace: "*", filter: services, pageSize: 100 }))
    down.push(`${Namespace}/${ID}`);
  return down.sort();
}
