import { Collection, home, keyOf, Records, Row } from "./records";
import { SchedulerMember, SchedulerRecord, SchedulerSeed } from "./service";

const second = 1_000_000_000;

/** A time in nanoseconds. It is never a whole millisecond, so that a client that parses it as a double loses precision. */
export function nanoseconds(milliseconds: number): bigint {
  return BigInt(milliseconds) * 1_000_000n + 123_457n;
}

/** The initial data of every sandbox. `now`: milliseconds. */
export function initialSeed(now: number): SchedulerSeed {
  const submitted = (minutesAgo: number): bigint => nanoseconds(now - minutesAgo * 60_000);
  const service = (ID: string, Namespace: string, minutesAgo: number): SchedulerRecord => ({
    ID,
    Namespace,
    SubmitTime: submitted(minutesAgo),
    Status: "running",
    Meta: { team: ID === "web" ? "front" : "back" },
    Update: update,
    TaskGroups: [
      { Name: ID, Count: 2, Update: update, Tasks: [{ Name: "server", Driver: "docker", Resources: { CPU: 100, MemoryMB: 128 } }] },
    ],
  });
  const node = (number: number): SchedulerRecord => ({
    ID: `0000000${number}-4a5b-4c6d-8e7f-0123456789ab`,
    Name: `client-${number}`,
    HTTPAddr: `10.0.0.${number}:4646`,
    Attributes: { "kernel.name": "linux", "cpu.arch": "amd64", "nomad.version": "1.11.3", "os.name": "debian" },
    Meta: { rack: `r${number}` },
    Drivers: { docker: { Detected: true, Healthy: true, HealthDescription: "Healthy" } },
    HostVolumes: {},
    NodeResources: { Memory: { MemoryMB: 8192 }, Disk: { DiskMB: 65_536 } },
  });
  return {
    jobs: [
      service("web", "default", 90),
      service("api", "default", 60),
      service("web", "apps", 30),
      {
        ID: "backup",
        Type: "batch",
        Status: "running",
        SubmitTime: submitted(120),
        Periodic: { Enabled: true, Spec: "0 3 * * *", SpecType: "cron", TimeZone: "UTC" },
        TaskGroups: [{ Name: "backup", Count: 1, Tasks: [{ Name: "dump", Driver: "exec", Config: { command: "/bin/dump" } }] }],
      },
    ],
    deployments: [
      deployment(1, "web", { Status: "cancelled", StatusDescription: "Cancelled due to newer version of job" }),
      deployment(2, "web", { JobVersion: 1 }),
      deployment(3, "api"),
      deployment(4, "web", { Namespace: "apps" }),
    ],
    nodes: [node(1), node(2)],
    members: [{ Name: "scheduler-1.global" }],
    policies: [{ name: "readonly", namespaces: { "*": "read" }, nodes: true, agent: true }],
  };
}

/** The defaults of an update block. */
export const update: Record<"Stagger" | "MaxParallel" | "MinHealthyTime" | "HealthyDeadline" | "ProgressDeadline", number> & {
  HealthCheck: string;
} = {
  Stagger: 30 * second,
  MaxParallel: 1,
  HealthCheck: "checks",
  MinHealthyTime: 10 * second,
  HealthyDeadline: 300 * second,
  ProgressDeadline: 600 * second,
};

/** A deployment, which was successful unless the fields say otherwise. */
function deployment(number: number, JobID: string, fields: Row = {}): SchedulerRecord {
  const group = { DesiredTotal: 2, PlacedAllocs: 2, HealthyAllocs: fields.Status ? 0 : 2, ProgressDeadline: 600 * second };
  return {
    ID: `d000000${number}-1a2b-4c3d-8e4f-0123456789ab`,
    JobID,
    Status: "successful",
    StatusDescription: "Deployment completed successfully",
    TaskGroups: { [JobID]: group },
    ...fields,
  };
}

/** The defaults of the scheduler. */
export const defaults: { jobs: object; deployments: object; nodes: object } = {
  jobs: { Type: "service", Priority: 50, Datacenters: ["*"], NodePool: "default", Status: "pending" },
  deployments: { Status: "running", StatusDescription: "Deployment is running", EvalPriority: 50 },
  nodes: { Datacenter: "dc1", NodePool: "default", Status: "ready", SchedulingEligibility: "eligible" },
};

function member(seeded: SchedulerMember, region: string): Record<string, unknown> {
  return {
    Addr: "127.0.0.1",
    Port: 4648,
    ...{ DelegateMin: 2, DelegateMax: 5, DelegateCur: 4, ProtocolMin: 1, ProtocolMax: 5, ProtocolCur: 2 },
    Status: "alive",
    ...seeded,
    Tags: { role: "nomad", region, dc: "dc1", build: "1.11.3", port: "4647", ...seeded.Tags },
  };
}

const names = ["region", "jobs", "deployments", "nodes", "members", "namespaces", "policies"];

/** Adds the items of the seed, or replaces items with the same identity. An invalid seed changes nothing. */
export function applySeed(records: Records, seed: SchedulerSeed): void {
  check(seed);
  const region = records.region(seed.region ?? home);
  for (const name of seed.namespaces ?? []) records.namespaces.add(name);
  for (const policy of seed.policies ?? []) records.policies.set(policy.name, structuredClone(policy));
  for (const seeded of seed.members ?? []) region.members.set(seeded.Name, member(structuredClone(seeded), region.name));

  const now = nanoseconds(records.clock.now().getTime());
  const write = (collection: Collection, row: Row): void => {
    const namespace = String(row.Namespace ?? "default");
    if (collection !== "nodes") records.namespaces.add(namespace);
    region.write(collection, keyOf(collection, String(row.ID), namespace), {
      ...defaults[collection],
      ...row,
      ...(collection !== "nodes" && { Namespace: namespace }),
    });
  };
  region.transaction(() => {
    for (const job of seed.jobs ?? []) {
      const JobModifyIndex = region.index + 1;
      write("jobs", { Name: job.ID, Region: region.name, SubmitTime: now, JobModifyIndex, ...job });
    }
    for (const deployment of seed.deployments ?? []) {
      const job = region.find("jobs", String(deployment.JobID), deployment.Namespace);
      const { JobModifyIndex = 0, CreateIndex: JobCreateIndex = 0 } = job ?? {};
      const indexes = { JobModifyIndex, JobSpecModifyIndex: JobModifyIndex, JobCreateIndex };
      write("deployments", { ...indexes, CreateTime: now, ModifyTime: now, ...deployment });
    }
    for (const node of seed.nodes ?? []) write("nodes", { Name: node.ID, ...node });
  });
  records.wake();
}

/** Rejects an invalid seed early: a misspelled property, a record without its name. */
function check(seed: SchedulerSeed): void {
  const unknown = Object.keys(seed).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new TypeError(`Unknown member "${unknown}" of a seed. Known: ${names.join(", ")}.`);
  for (const [list, name] of Object.entries({ jobs: "ID", deployments: "ID", nodes: "ID", members: "Name", policies: "name" }))
    for (const item of (seed[list as keyof SchedulerSeed] ?? []) as Row[])
      if (typeof item[name] !== "string" || item[name] === "") throw new TypeError(`Each of the seed's ${list} requires "${name}".`);
}
