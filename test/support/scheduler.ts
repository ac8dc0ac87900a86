import { randomBytes } from "node:crypto";
import { setAllConfig } from "@pulumi/pulumi/runtime/config";
import { start } from "../../sandbox/index";
import { Answer, call } from "./call";
import { Gateway, startGateway } from "./gateway";

/** A scheduler for tests: the sandbox in either dialect, or a real one, which other suites may change at the same time. */
export interface SchedulerTarget {
  dialect: "standard" | "hashicorp";
  address: string;
  token: string;
  /** Sets the connection `default` of this process to the target, with the given changes. */
  connect(more?: { address?: string; token?: string }): void;
  /** Runs a function while the functions of this process use a gateway, which counts their requests. */
  through<T>(use: (gateway: Gateway) => Promise<T>): Promise<T>;
  /** Sends a request outside Pulumi. */
  outOfBand(method: string, path: string, body?: object): Promise<Answer>;
  makeNamespace(name: string): Promise<void>;
  /** Creates a token that can only list the jobs and deployments of this namespace. */
  mintReader(namespace: string): Promise<string>;
  stop(): Promise<void>;
}

const real = process.env.REAL_NOMAD_ADDRESS;

/** The targets of a contract suite: a real server if one is configured, otherwise the sandbox in both dialects. */
const targets: { name: string; start(): Promise<SchedulerTarget> }[] = real
  ? [{ name: "real Nomad", start: async () => onNomad(real, process.env.REAL_NOMAD_TOKEN ?? "") }]
  : (["standard", "hashicorp"] as const).map((dialect) => ({ name: `sandbox, ${dialect}`, start: () => onSandbox(dialect) }));

/** Runs a suite on each target, with the connection `default` set. `said` collects the printed lines. */
export function onEachScheduler(what: string, suite: (current: () => SchedulerTarget, said: () => string[]) => void): void {
  describe.each(targets)(`${what} ($name)`, ({ start }) => {
    let current: SchedulerTarget;
    let log: jest.SpyInstance;
    beforeAll(async () => {
      current = await start();
      current.connect();
    });
    beforeEach(() => {
      current.connect();
      log = jest.spyOn(console, "log").mockImplementation(() => {});
    });
    afterEach(() => log.mockRestore());
    afterAll(() => current.stop());
    suite(
      () => current,
      () => log.mock.calls.flat().map(String),
    );
  });
}

export const newName = (): string => `steward-${randomBytes(6).toString("hex")}`;

/** A group of a mock task, which is healthy at once. */
export const groupOf = (more: object = {}, config: object = { run_for: "1h" }): object => ({
  Name: "main",
  Count: 1,
  RestartPolicy: { Attempts: 0, Interval: 5e9, Delay: 1e9, Mode: "fail" },
  ReschedulePolicy: { Attempts: 0, Unlimited: false, Interval: 1e10 },
  Tasks: [{ Name: "pretend", Driver: "mock_driver", Config: config, Resources: { CPU: 1, MemoryMB: 10 } }],
  ...more,
});

/** The update block of a job whose tasks are healthy after a tenth of a second. */
export const update = { MaxParallel: 1, HealthCheck: "task_states", MinHealthyTime: 1e8, HealthyDeadline: 2e9, ProgressDeadline: 6e9 };

/** A job of one group. */
export const jobOf = (ID: string, more: object = {}, config?: object): object => ({
  ID,
  Name: ID,
  Type: "service",
  Datacenters: ["*"],
  Update: update,
  TaskGroups: [groupOf({}, config)],
  ...more,
});

/** A job that runs nothing: its parameters make it a template. */
export const dormantJob = (ID: string, more: object = {}): object =>
  jobOf(ID, { Type: "batch", ParameterizedJob: {}, Update: null, ...more });

/** A job whose tasks are healthy only after a minute. */
export const slowJob = (ID: string, more: object = {}): object =>
  jobOf(ID, { Update: { ...update, MinHealthyTime: 6e10, HealthyDeadline: 1.2e11, ProgressDeadline: 1.8e11 }, ...more });

export const failingJob = (ID: string): object => jobOf(ID, {}, { run_for: "10ms", exit_code: 1 });

export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of source) found.push(each);
  return found;
}

async function onSandbox(dialect: SchedulerTarget["dialect"]): Promise<SchedulerTarget> {
  const sandbox = await start({ dialect });
  const { scheduler } = sandbox;
  const target = of(dialect, scheduler.url, scheduler.token);
  return {
    ...target,
    async makeNamespace(name) {
      scheduler.seed({ namespaces: [name] });
    },
    async mintReader(namespace) {
      const name = newName();
      scheduler.seed({ policies: [{ name, namespaces: { [namespace]: "read" } }] });
      return scheduler.tokens.mint({ policies: [name] }).secret;
    },
    stop: () => sandbox.close(),
  };
}

function onNomad(address: string, token: string): SchedulerTarget {
  const target = of("hashicorp", address, token);
  const write = async (path: string, body: object): Promise<Answer["json"]> => {
    const { status, text, json } = await target.outOfBand("PUT", path, body);
    expect([status, text]).toEqual([200, text]);
    return json;
  };
  return {
    ...target,
    async makeNamespace(Name) {
      await write("namespace", { Name });
    },
    async mintReader(namespace) {
      const Name = newName();
      await write(`acl/policy/${Name}`, { Name, Rules: `namespace "${namespace}" { policy = "read" }` });
      return (await write("acl/token", { Name, Type: "client", Policies: [Name] })).SecretID;
    },
    async stop() {},
  };
}

function of(
  dialect: SchedulerTarget["dialect"],
  address: string,
  token: string,
): Pick<SchedulerTarget, "dialect" | "address" | "token" | "connect" | "through" | "outOfBand"> {
  const connect: SchedulerTarget["connect"] = (more) =>
    setAllConfig({ "steward:default": JSON.stringify({ scheduler: { address, token, dialect, ...more } }) });
  return {
    dialect,
    address,
    token,
    connect,
    async through(use) {
      const gateway = await startGateway(address);
      connect({ address: gateway.url });
      try {
        return await use(gateway);
      } finally {
        connect();
        await gateway.close();
      }
    },
    outOfBand: (method, path, body) => call({ url: address, token }, method, `/v1/${path}`, body),
  };
}
