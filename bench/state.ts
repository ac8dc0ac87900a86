import { start } from "../sandbox/index";
import { say } from "../tools/command";
import { inTemporaryFolder } from "./measure";
import { Contender, isNative, program, titles } from "./programs";
import { Operation, operations, pulumiProject } from "./pulumi";
import { table, whole } from "./table";

const count = 100;
const contenders = ["empty", "floor", "role", "roles", "nativeRole", "nativeRoles", "closure"] as const;

export interface Cost {
  /** The size of the checkpoint file. */
  stateBytes: number;
  /** The methods of the requests. */
  requests: Record<Operation, string[]>;
}

export interface StateAndRequests {
  bytesPerRole(contender: Contender): number;
  requests(contender: Contender): Cost["requests"];
  count: number;
  requestReport: string;
  stateReport: string;
}

/** Measures the requests and the size of the checkpoint file for 100 roles in the sandbox. */
export async function stateAndRequests(): Promise<StateAndRequests> {
  const costs = new Map<Contender, Cost>();
  const sandbox = await start();
  try {
    for (const contender of contenders) {
      say(`${count} roles in the sandbox, ${titles[contender]}`);
      costs.set(
        contender,
        await inTemporaryFolder(async (folder) => {
          const project = await pulumiProject(folder, program(contender, count, "scheduler"), sandbox.env, isNative(contender));
          const requests = { create: [], preview: [], refresh: [], destroy: [] } as Cost["requests"];
          let stateBytes = 0;
          for (const operation of operations) {
            const before = sandbox.requests().length;
            await project[operation]();
            requests[operation] = sandbox
              .requests()
              .slice(before)
              .map(({ method }) => method);
            if (operation === "create") stateBytes = project.stateBytes();
          }
          return { stateBytes, requests };
        }),
      );
    }
  } finally {
    await sandbox.close();
  }
  const cost = (contender: Contender): Cost => costs.get(contender) as Cost;
  const bytesPerRole = (contender: Contender): number => (cost(contender).stateBytes - cost("empty").stateBytes) / count;
  return {
    count,
    bytesPerRole,
    requests: (contender) => cost(contender).requests,
    requestReport: table(
      ["", ...operations],
      (["role", "roles", "nativeRole", "nativeRoles"] as const).map((each) => [
        titles[each],
        ...operations.map((operation) => tally(cost(each).requests[operation])),
      ]),
    ),
    stateReport: table(
      ["", "bytes per role"],
      contenders.filter((each) => each !== "empty").map((each) => [titles[each], whole(bytesPerRole(each))]),
    ),
  };
}

function tally(methods: readonly string[]): string {
  const counts = [...new Set(methods)].map((method) => `${methods.filter((each) => each === method).length} ${method}`);
  return counts.length > 0 ? counts.join(" + ") : "0";
}
