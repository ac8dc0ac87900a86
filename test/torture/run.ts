import { Command, InvalidArgumentError } from "commander";
import { rekeyTargets, withRekeyTarget } from "../rekey";
import { CommandLine, InProcess } from "./runners";
import { shapes } from "./shapes";
import { blows, Plan, Report, Strike, tell } from "./story";

// `npm run torture`: random blows on random rekeys, with the real command line, until somebody has lost a key or all are told.

const whole = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("It is a whole number.");
  return Number(text);
};
const { runs, seed, inProcess } = new Command("npm run torture --")
  .description("Tells random stories of rekeys on the sandbox, and shows what fell on them and how they ended.")
  .option("--runs <number>", "how many stories", whole, 50)
  .option("--seed <number>", "tells the same ones again", whole, Date.now() % 1_000_000)
  .option("--in-process", "without the command line: a hundred times faster, without its processes", false)
  .parse()
  .opts<{ runs: number; seed: number; inProcess: boolean }>();

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomly(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function main(): Promise<void> {
  console.log(`${runs} stories, seed ${seed}${inProcess ? ", in one process" : ""}\n`);
  const counts = new Map<string, { former: number; new: number }>();
  const met = new Set<string>();
  let [ups, struckInAll] = [0, 0];
  let stopped = false;
  process.once("SIGINT", () => {
    stopped = true;
  });
  let told = 0;
  for (let story = 0; story < runs && !stopped; story++) {
    const random = randomly(seed + story);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
    const { name, first, plan } = pick(shapes);
    const target = pick(rekeyTargets);
    const strike = (): Strike | undefined => {
      const count = 1 + Math.floor(random() * 24);
      return random() < 0.8 ? { at: (passing) => passing.count === count, when: pick(["before", "after"]), blow: pick(blows) } : undefined;
    };
    const strikes = Array.from({ length: 1 + Math.floor(random() * 4) }, strike);
    const full: Plan = { ...plan, strikes, rounds: random() < 0.2 ? 2 : 1 };
    let report: Report;
    try {
      report = await withRekeyTarget(target.start, first, (stage) =>
        tell(stage, inProcess ? new InProcess(stage) : new CommandLine(stage), full),
      );
    } catch (error) {
      console.log(`story ${story} (seed ${seed + story}; ${name}; ${target.name}) went wrong: ${(error as Error).message}`);
      process.exitCode = 1;
      return;
    }
    told++;
    ups += report.runs;
    for (const row of report.rows) met.add(row);
    for (const { row, blow, when, opens } of report.struck) {
      const key = `${row} | ${blow}, ${when}`;
      const count = counts.get(key) ?? { former: 0, new: 0 };
      count[opens]++;
      counts.set(key, count);
      struckInAll++;
    }
    if (process.stdout.isTTY || (story + 1) % 25 === 0) console.log(`  ${story + 1} told, ${struckInAll} blows`);
  }
  console.log("\n| row of the table | blow | opened by the former shares | by new ones in the state | by none |\n|---|---|---:|---:|---:|");
  for (const [key, { former, new: fresh }] of [...counts].sort(([a], [b]) => a.localeCompare(b)))
    console.log(`| ${key} | ${former} | ${fresh} | 0 |`);
  console.log(`\n${told} stories, ${ups} runs of \`pulumi up\`, ${struckInAll} blows; every story came to its end, no process was left.`);
  console.log(`Rows met: ${[...met].sort().join("; ")}.`);
}

void main();
