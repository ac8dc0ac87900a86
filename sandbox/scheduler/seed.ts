import type { SchedulerMember, SchedulerRecord, SchedulerSeed } from "./service";

const second = 1_000_000_000;

/** A time as the records keep it. Never a whole millisecond, so that whoever reads it into a double loses something. */
export function nanoseconds(milliseconds: number): bigint {
  return BigInt(milliseconds) * 1_000_000n + 123_457n;
}

/** What every sandbox starts with. `now` in milliseconds. */
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
    Attributes: { "kernel.name": "linux", "cpu.arch": "amd64", "nomad.version": "1.11.0", "os.name": "debian" },
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
      deployment(1, "web", "default", "cancelled", "Cancelled due to newer version of job"),
      deployment(2, "web", "default", "successful", "Deployment completed successfully", 1),
      deployment(3, "api", "default", "successful", "Deployment completed successfully"),
      deployment(4, "web", "apps", "successful", "Deployment completed successfully"),
    ],
    nodes: [node(1), node(2)],
    members: [{ Name: "scheduler-1.global" }],
    policies: [{ name: "readonly", namespaces: { "*": "read" }, nodes: true, agent: true }],
  };
}

/** What an update block is where it does not say otherwise. */
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

function deployment(
  number: number,
  JobID: string,
  Namespace: string,
  Status: string,
  StatusDescription: string,
  JobVersion = 0,
): SchedulerRecord {
  const group = { DesiredTotal: 2, PlacedAllocs: 2, HealthyAllocs: Status === "successful" ? 2 : 0, ProgressDeadline: 600 * second };
  return {
    ID: `d000000${number}-1a2b-4c3d-8e4f-0123456789ab`,
    JobID,
    Namespace,
    Status,
    StatusDescription,
    JobVersion,
    EvalPriority: 50,
    TaskGroups: { [JobID]: group },
  };
}

/** What the service itself gives a record that does not say otherwise. */
export const defaults: { jobs: object; deployments: object; nodes: object } = {
  jobs: { Type: "service", Priority: 50, Datacenters: ["*"], NodePool: "default", Status: "pending" },
  deployments: { Status: "running", StatusDescription: "Deployment is running", EvalPriority: 50 },
  nodes: { Datacenter: "dc1", NodePool: "default", Status: "ready", SchedulingEligibility: "eligible" },
};

export function member(given: SchedulerMember, region: string): Record<string, unknown> {
  return {
    Addr: "127.0.0.1",
    DelegateCur: 4,
    DelegateMax: 5,
    DelegateMin: 2,
    Port: 4648,
    ProtocolCur: 2,
    ProtocolMax: 5,
    ProtocolMin: 1,
    Status: "alive",
    ...given,
    Tags: { role: "nomad", region, dc: "dc1", build: "1.11.0", port: "4647", ...given.Tags },
  };
}
