import { scheduler } from "../../provider";

/** The Nomad that these suites run on, which the connection `default` leads to. */
export const nomad = { address: process.env.REAL_NOMAD_ADDRESS ?? "", token: process.env.REAL_NOMAD_TOKEN ?? "" };

export function connect(): void {
  process.env.NOMAD_ADDR = nomad.address;
  process.env.NOMAD_TOKEN = nomad.token;
}

/** Past the provider, as somebody else would. */
export const ask = (path: string, method = "GET", body?: object): Promise<Response> =>
  fetch(`${nomad.address}/v1/${path}`, { method, headers: { "X-Nomad-Token": nomad.token }, body: body && JSON.stringify(body) });

const prefix = `steward-${process.pid}-`;
let count = 0;
/** An ID that no other test uses. */
export const newId = (): string => `${prefix}${count++}`;

/** A job of pretend tasks, which are healthy at once. */
export const jobOf = (ID: string, more: object = {}, config: object = { run_for: "1h" }): object => ({
  ID,
  Name: ID,
  Type: "service",
  Datacenters: ["*"],
  Update: { MaxParallel: 1, HealthCheck: "task_states", MinHealthyTime: 1e8, HealthyDeadline: 2e9, ProgressDeadline: 6e9 },
  TaskGroups: [
    {
      Name: "main",
      Count: 1,
      RestartPolicy: { Attempts: 0, Interval: 5e9, Delay: 1e9, Mode: "fail" },
      ReschedulePolicy: { Attempts: 0, Unlimited: false, Interval: 1e10 },
      Tasks: [{ Name: "pretend", Driver: "mock_driver", Config: config, Resources: { CPU: 1, MemoryMB: 10 } }],
    },
  ],
  ...more,
});

/** Nothing of ours stays. */
export async function removeJobs(): Promise<void> {
  for await (const { ID, Namespace } of scheduler.listJobs({ namespace: "*", filter: scheduler.filter("ID").matches(`^${prefix}`) }))
    await ask(`job/${ID}?purge=true&namespace=${Namespace}`, "DELETE");
}

export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of source) found.push(each);
  return found;
}
