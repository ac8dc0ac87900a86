import { platform, scheduler, secrets } from "../../provider";

type Options = Record<string, unknown>;

const systems = { platform, scheduler, secrets } as unknown as Record<string, Record<string, (options: unknown) => unknown>>;
/** Functions that send nothing. */
const silent = ["scheduler.filter", "secrets.decryptShare"];
const isClass = (value: unknown): boolean => /^class\b/.test(String(value));

/** Every function of the package that sends requests, as `<system>.<name>`. */
export const functionNames = Object.entries(systems)
  .flatMap(([system, names]) =>
    Object.entries(names).flatMap(([name, value]) => (typeof value === "function" && !isClass(value) ? [`${system}.${name}`] : [])),
  )
  .filter((name) => !silent.includes(name));

const module = { organizationName: "acme", moduleName: "network", moduleProvider: "aws" };
const group = { Name: "a", Tasks: [{ Name: "t", Driver: "exec", Config: { command: "x" } }] };
/** The options that a function needs, or that make it send more requests. */
const options: Record<string, Options> = {
  "platform.getModuleVersion": { ...module, moduleVersion: "1.0.0" },
  "platform.getWorkspace": { id: "ws-acmeNetworkTest", include: ["organization"] },
  "platform.listModuleVersions": module,
  "platform.listRevokedModuleVersions": module,
  "platform.listWorkspaces": { pageSize: 1 },
  "scheduler.listJobs": { namespace: "*", pageSize: 2 },
  "scheduler.registerJob": { job: { ID: "web", Type: "batch", TaskGroups: [group] } },
  "scheduler.waitForDeployment": { jobId: "api", electionTimeout: 1 },
  "scheduler.watch": { resource: "nodes", electionTimeout: 1 },
};
export const optionsOf = (name: string): Options => options[name] ?? {};

/** Calls a function, and returns its result, or at most `most` items of a list. */
export async function call(name: string, given: unknown, most = 99): Promise<unknown> {
  const [system = "", of = ""] = name.split(".");
  const result = systems[system]?.[of]?.(given) as AsyncIterable<unknown>;
  if (typeof result?.[Symbol.asyncIterator] !== "function") return result;
  const items: unknown[] = [];
  for await (const item of result) if (items.push(item) >= most) break;
  return items;
}
