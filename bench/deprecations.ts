import { Sandbox, start } from "../sandbox/index";
import { say } from "../tools/command";
import { inTemporaryFolder, median } from "./measure";
import { program } from "./programs";
import { Operation, operations, pulumiProject } from "./pulumi";
import { fixed, table, whole } from "./table";

const modules = 50;
const versions = 20;

export interface Deprecations {
  count: number;
  modules: number;
  /** The number of requests per operation. */
  requests: Record<Operation, number>;
  report: string;
}

const source = `const { ModuleVersionDeprecation } = require("pulumi-steward").platform;
for (let module = 0; module < ${modules}; module++)
  for (let version = 0; version < ${versions}; version++)
    new ModuleVersionDeprecation(module + "-" + version, {
      organizationName: "acme",
      moduleName: "module-" + module,
      moduleProvider: "aws",
      moduleVersion: "1." + version + ".0",
      reason: "Use 2.0.0.",
    });
`;

/** Compares a thousand deprecated versions of fifty modules with the same number of resources of a no-op provider. */
export async function deprecations(runs: number): Promise<Deprecations> {
  const count = modules * versions;
  const seconds = { steward: [] as Record<Operation, number>[], floor: [] as Record<Operation, number>[] };
  let requests = {} as Record<Operation, number>;
  const sandbox = await start();
  try {
    for (let run = 1; run <= runs; run++) {
      say(`run ${run} of ${runs}, ${count} deprecations of ${modules} modules, and the engine floor`);
      await prepare(sandbox);
      const steward = await lifecycle(source, sandbox);
      requests = steward.requests;
      seconds.steward.push(steward.seconds);
      seconds.floor.push((await lifecycle(program("floor", count, "none"), sandbox)).seconds);
    }
  } finally {
    await sandbox.close();
  }
  const time = (of: "steward" | "floor", operation: Operation): number => median(seconds[of].map((each) => each[operation]));
  return {
    count,
    modules,
    requests,
    report: table(
      ["", ...operations],
      [
        ["seconds", ...operations.map((operation) => fixed(time("steward", operation)))],
        ["engine floor, seconds", ...operations.map((operation) => fixed(time("floor", operation)))],
        ["ratio", ...operations.map((operation) => fixed(time("steward", operation) / time("floor", operation)))],
        ["requests", ...operations.map((operation) => whole(requests[operation]))],
      ],
    ),
  };
}

/** Seeds the modules and disables the rate limit, so that waits do not affect the measurement. */
async function prepare(sandbox: Sandbox): Promise<void> {
  await sandbox.reset();
  const names = Array.from({ length: versions }, (_, index) => `1.${index}.0`);
  sandbox.platform.seed({
    modules: Array.from({ length: modules }, (_, index) => ({
      namespace: "acme",
      name: `module-${index}`,
      provider: "aws",
      versions: names,
    })),
  });
  const { status } = await fetch(`${sandbox.platform.url}/api/v2/admin/general-settings`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${sandbox.platform.token}`, "content-type": "application/vnd.api+json" },
    body: JSON.stringify({ data: { attributes: { "api-rate-limiting-enabled": false } } }),
  });
  if (status !== 200) throw new Error(`Cannot disable the rate limit of the sandbox: status ${status}.`);
}

async function lifecycle(
  text: string,
  sandbox: Sandbox,
): Promise<{ seconds: Record<Operation, number>; requests: Record<Operation, number> }> {
  return inTemporaryFolder(async (folder) => {
    const project = await pulumiProject(folder, text, sandbox.env);
    const [seconds, requests] = [{}, {}] as [Record<Operation, number>, Record<Operation, number>];
    for (const operation of operations) {
      const before = sandbox.requests().length;
      seconds[operation] = await project[operation]();
      requests[operation] = sandbox.requests().length - before;
    }
    return { seconds, requests };
  });
}
