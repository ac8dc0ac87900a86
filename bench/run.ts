import { writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root, say } from "../tools/command";
import { getPulumi } from "../tools/pulumi";
import { deprecations } from "./deprecations";
import { listings } from "./listings";
import { load } from "./load";
import { interruption } from "./measure";
import { picture } from "./picture";
import { start } from "./start";
import { stateAndRequests } from "./state";
import { targets } from "./targets";
import { findTerraform } from "./terraform";
import { timing } from "./timing";
import { types } from "./types";

const help = `node tools/run.js bench [options]

  --runs <number>  number of runs, of which the median counts (5)
  --roles <list>   numbers of roles (10,100,1000)
  --only <list>    some of time, state, deprecations, listings, load, start and types (all)

With time and state, it also draws docs/bench.svg.
`;

const parts = ["time", "state", "deprecations", "listings", "load", "start", "types"];

function numbers(text: string, option: string): number[] {
  const values = text.split(",").map(Number);
  if (values.some((value) => !Number.isInteger(value) || value < 1)) throw new TypeError(`${option} requires whole numbers from 1.`);
  return values;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: "5" },
      roles: { type: "string", default: "10,100,1000" },
      only: { type: "string", default: parts.join(",") },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return print(help);
  const [runs = 5] = numbers(values.runs, "--runs");
  const counts = numbers(values.roles, "--roles");
  const only = values.only.split(",");
  const unknown = only.find((part) => !parts.includes(part));
  if (unknown !== undefined) throw new TypeError(`Unknown part "${unknown}" of --only. Parts: ${parts.join(", ")}.`);
  const wanted = (part: string): boolean => only.includes(part);

  const terraform = wanted("time") ? await findTerraform() : undefined;
  const { version } = await getPulumi();
  const [cpu] = cpus();
  const versions = `Pulumi ${version}, @pulumi/pulumi ${require("@pulumi/pulumi/package.json").version}, Node ${process.versions.node}${typeof terraform === "object" ? `, Terraform ${terraform.version}` : ""}; ${availableParallelism()} x ${cpu?.model.trim()}`;
  print(`# Benchmarks\n\n${versions}.`);

  const timed = wanted("time") ? await timing(counts, runs, typeof terraform === "object" ? terraform : undefined) : undefined;
  if (timed) {
    print(`## Time\n\nSeconds on one real Vault, median of ${runs}. The last columns are ratios in the same order.\n\n${timed.report}`);
    if (typeof terraform === "string") print(terraform);
  }
  const state = wanted("state") ? await stateAndRequests() : undefined;
  if (state) {
    print(`## Requests\n\nThe requests for ${state.count} roles.\n\n${state.requestReport}`);
    print(`## State\n\nThe bytes that a role adds to the checkpoint file.\n\n${state.stateReport}`);
  }
  if (timed && state) {
    const file = join(root, "docs/bench.svg");
    writeFileSync(file, picture(`${versions}; median of ${runs}`, Math.max(...counts), timed, state));
    print("docs/bench.svg shows these results.");
  }
  const deprecated = wanted("deprecations") ? await deprecations(runs) : undefined;
  if (deprecated)
    print(
      `## Deprecations\n\n${deprecated.count} versions of ${deprecated.modules} modules in the sandbox, median of ${runs}.\n\n${deprecated.report}`,
    );
  const listed = wanted("listings") ? await listings(runs) : undefined;
  if (listed)
    print(
      `## Listings\n\n\`scheduler.listJobs()\` on the sandbox, in a separate process that keeps no job. "plain" is a loop of \`fetch\` and \`JSON.parse\` over the same pages. Medians of ${runs}. The kept memory is the heap after a garbage collection at each page.\n\n${listed.report}`,
    );
  const loaded = wanted("load") ? await load() : undefined;
  if (loaded)
    print(
      `## Load\n\n${loaded.resources} resources of all kinds in one program on the sandbox, with the platform's rate limit of 30 requests per second.\n\n${loaded.report}`,
    );
  const started = wanted("start") ? await start() : undefined;
  if (started) print(`## Start of a program\n\n${started.report}`);
  const typed = wanted("types") ? types() : undefined;
  if (typed) print(`## Type-checking\n\n${typed.report}`);
  print(`## Targets\n\n${targets({ timing: timed, state, deprecations: deprecated, listings: listed, start: started, types: typed })}`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n\n`);
}

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => interruption.abort(new Error("The benchmark was interrupted.")));

main().catch((error: Error) => {
  say(error.message);
  process.exitCode = 1;
});
