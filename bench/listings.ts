import { Sandbox, start } from "../sandbox/index";
import { say } from "../tools/command";
import { cleanEnvironment } from "../tools/environment";
import { inTemporaryFolder, median, run } from "./measure";
import { writeProgram } from "./pulumi";
import { fixed, table, whole } from "./table";

/** Pairs of the number of jobs and the page size. */
const turns: readonly [number, number][] = [
  [1000, 500],
  [10_000, 100],
  [10_000, 500],
  [10_000, 1000],
  [50_000, 500],
];

const contenders = ["steward", "plain"] as const;
type Contender = (typeof contenders)[number];

/** The output of a process that lists jobs. Memory is in bytes. */
interface Result {
  items: number;
  seconds: number;
  /** The CPU seconds of the process. */
  processor: number;
  /** The peak resident memory of the process. */
  peak: number;
  /** The heap after a garbage collection at the first page. `most`: the maximum of all pages. */
  first: number;
  most: number;
}

interface Listed {
  count: number;
  pageSize: number;
  requests: number;
  median(of: Contender, measured: "seconds" | "processor" | "peak"): number;
  /** The bytes per job after the first page. */
  kept(of: Contender): number;
  growth(of: Contender): number;
}

export interface Listings {
  turns: Listed[];
  report: string;
}

const namespace = "bench";

/** A program around `list`, which calls `page()` after each page and returns the number of jobs. */
const program = (list: string): string => `
const { performance } = require("node:perf_hooks");
const heap = [];
function page() {
  if (!global.gc) return;
  global.gc();
  heap.push(process.memoryUsage().heapUsed);
}
async function main() {
  const [start, before] = [performance.now(), process.cpuUsage()];
  const items = await list(Number(process.argv[2]));
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify({
    items,
    seconds: (performance.now() - start) / 1e3,
    processor: (user + system) / 1e6,
    peak: process.resourceUsage().maxRSS * 1024,
    first: heap[0],
    most: Math.max(...heap),
  }));
}
${list}
main();`;

const programs: Record<Contender, string> = {
  steward: program(`
const { scheduler } = require("pulumi-steward");
async function list(pageSize) {
  let [items, last] = [0, undefined];
  const jobs = scheduler.listJobs({ namespace: "${namespace}", pageSize });
  for await (const job of jobs) {
    items++;
    if (jobs.page !== last) page();
    last = jobs.page;
  }
  return items;
}`),
  // Loads the same package, so that the memory of both is comparable.
  plain: program(`
require("pulumi-steward");
async function list(pageSize) {
  const { SCHEDULER_ADDR, SCHEDULER_TOKEN } = process.env;
  let items = 0;
  for (let next = ""; ; ) {
    const response = await fetch(SCHEDULER_ADDR + "/v1/jobs?namespace=${namespace}&per_page=" + pageSize + (next && "&next_token=" + next), {
      headers: { "X-Scheduler-Token": SCHEDULER_TOKEN },
    });
    const jobs = JSON.parse(await response.text());
    page();
    items += jobs.length;
    next = response.headers.get("X-Scheduler-NextToken");
    if (!next) return items;
  }
}`),
};

/** Compares `listJobs` in a separate process that keeps no job with a loop of `fetch` and `JSON.parse`. */
export async function listings(runs: number): Promise<Listings> {
  const sandbox = await start();
  try {
    return await inTemporaryFolder(async (folder) => {
      writeProgram(folder, { "package.json": "{}", "steward.js": programs.steward, "plain.js": programs.plain });
      const measured: Listed[] = [];
      for (const [count, pageSize] of turns) measured.push(await measure(sandbox, folder, count, pageSize, runs));
      return { turns: measured, report: report(measured) };
    });
  } finally {
    await sandbox.close();
  }
}

async function measure(sandbox: Sandbox, folder: string, count: number, pageSize: number, runs: number): Promise<Listed> {
  say(`Listing ${count} jobs in pages of ${pageSize}, ${runs} times.`);
  await sandbox.reset();
  sandbox.scheduler.seed({
    jobs: Array.from({ length: count }, (_, index) => ({
      ID: `job-${String(index).padStart(6, "0")}`,
      Namespace: namespace,
      Status: "running",
      TaskGroups: [{ Name: "web", Count: 2, Tasks: [{ Name: "server", Driver: "docker" }] }],
    })),
  });
  const runOnce = async (contender: Contender, ...flags: string[]): Promise<Result> => {
    const args = [...flags, `${contender}.js`, String(pageSize)];
    const { stdout } = await run(process.execPath, args, { cwd: folder, env: { ...cleanEnvironment(), ...sandbox.env } });
    const result = JSON.parse(stdout) as Result;
    if (result.items !== count) throw new Error(`${contender} listed ${result.items} jobs instead of ${count}.`);
    return result;
  };
  let requests = 0;
  const timed: Record<Contender, Result[]> = { steward: [], plain: [] };
  for (let round = 0; round < runs; round++)
    for (const contender of contenders) {
      const before = sandbox.requests().length;
      timed[contender].push(await runOnce(contender));
      if (contender === "steward") requests = sandbox.requests().length - before;
    }
  // Measured separately, since the garbage collections distort the times.
  const collected = { steward: await runOnce("steward", "--expose-gc"), plain: await runOnce("plain", "--expose-gc") };
  const growth = (of: Contender): number => collected[of].most - collected[of].first;
  for (const of of contenders)
    say(`${of}: ${JSON.stringify({ ...timed[of].at(-1), first: collected[of].first, most: collected[of].most })}`);
  return {
    count,
    pageSize,
    requests,
    median: (of, what) => median(timed[of].map((each) => each[what])),
    growth,
    kept: (of) => growth(of) / (count - pageSize),
  };
}

function report(measured: readonly Listed[]): string {
  const megabytes = (bytes: number): string => fixed(bytes / 1e6);
  const times = table(
    ["jobs", "in pages of", "requests", "seconds", "plain", "ratio", "processor, s", "plain", "ratio"],
    measured.map((each) => [
      whole(each.count),
      whole(each.pageSize),
      whole(each.requests),
      ...(["seconds", "processor"] as const).flatMap((what) => {
        const [steward, plain] = [each.median("steward", what), each.median("plain", what)];
        return [fixed(steward), fixed(plain), fixed(steward / plain)];
      }),
    ]),
    0,
  );
  const memory = table(
    ["jobs", "in pages of", "peak, MB", "plain", "kept after the first page, MB", "plain", "bytes for each job"],
    measured.map((each) => [
      whole(each.count),
      whole(each.pageSize),
      ...contenders.map((of) => megabytes(each.median(of, "peak"))),
      ...contenders.map((of) => megabytes(each.growth(of))),
      whole(each.kept("steward")),
    ]),
    0,
  );
  return [times, memory].join("\n\n");
}
