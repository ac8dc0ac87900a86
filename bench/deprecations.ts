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
  /** How many the server got in one operation. */
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

/** A thousand deprecated versions of fifty modules, against as many resources whose provider does nothing. */
export async function deprecations(runs: number): Promise<Deprecations> {
  const count = modules * versions;
  const seconds = { ours: [] as Record<Operation, number>[], floor: [] as Record<Operation, number>[] };
  let requests = {} as Record<Operation, number>;
  const sandbox = await start();
  try {
    for (let run = 1; run <= runs; run++) {
      say(`run ${run} of ${runs}, ${count} deprecations of ${modules} modules, and the engine floor`);
      await prepare(sandbox);
      const ours = await lifecycle(source, sandbox);
      requests = ours.requests;
      seconds.ours.push(ours.seconds);
      seconds.floor.push((await lifecycle(program("floor", count, "none"), sandbox)).seconds);
    }
  } finally {
    await sandbox.close();
  }
  const time = (of: "ours" | "floor", operation: Operation): number => median(seconds[of].map((each) => each[operation]));
  return {
    count,
    modules,
    requests,
    report: table(
      ["", ...operations],
      [
        ["seconds", ...operations.map((operation) => fixed(time("ours", operation)))],
        ["engine floor, seconds", ...operations.map((operation) => fixed(time("floor", operation)))],
        ["ratio", ...operations.map((operation) => fixed(time("ours", operation) / time("floor", operation)))],
        ["requests", ...operations.map((operation) => whole(requests[operation]))],
      ],
    ),
  };
}

/** The modules, and no limit to the rate of requests: what is measured is us, not the waiting that a platform asks for. */
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
  if (status !== 200) throw new Error(`The sandbox goes on limiting the rate of requests: ${status}.`);
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
