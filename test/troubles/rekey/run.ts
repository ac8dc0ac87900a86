import { Command, InvalidArgumentError, Option } from "commander";
import { allRekeyTargets, firstKeysTargets, withRekeyTarget } from "../../support/rekey";
import { liveOnCommandLine } from "../real";
import { randomly } from "./random";
import { CommandLineRekeyRunner, InProcessRekeyRunner } from "./runners";
import { shapes } from "./shapes";
import { faults, Plan, Report, Strike, tell } from "./story";

// `node tools/run.js chaos`: random faults in random rekeys, with the real command line, until a key is lost or all rekeys have run.

interface Options {
  runs: number;
  seed: number;
  inProcess: boolean;
  target?: string;
}

const whole = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("It is a whole number.");
  return Number(text);
};
const many = (flag: string, usual: number): Option => new Option(`${flag} <number>`, "how many").argParser(whole).default(usual);
const seed = new Option("--seed <number>", "draws the same again").argParser(whole).default(Date.now() % 1_000_000);
const program = new Command("node tools/run.js chaos")
  .description("Tells random stories of rekeys on the sandbox, until one goes wrong.")
  .enablePositionalOptions()
  .addOption(many("--runs", 50))
  .addOption(seed)
  .option("--in-process", "without the command line: a hundred times faster, without its processes", false)
  .option("--target <name>", 'only on this service, such as "real Vault, recovery keys"')
  .action((options: Options) => main(options));
program
  .command("histories")
  .description("Lives random histories of programs on the real command line.")
  .addOption(many("--runs", 30))
  .addOption(seed)
  .action((options: { runs: number; seed: number }) => liveOnCommandLine(options));
void program.parseAsync();

async function main({ runs, seed, inProcess, target: only }: Options): Promise<void> {
  console.log(`${runs} stories, seed ${seed}${inProcess ? ", in one process" : ""}\n`);
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
    const target = pick((first.shares > 0 ? allRekeyTargets : firstKeysTargets).filter((each) => !only || each.name === only));
    // Not every service can begin without keys.
    if (!target) continue;
    const strike = (): Strike | undefined => {
      const count = 1 + Math.floor(random() * 16);
      return random() < 0.8
        ? { at: (passing) => passing.count === count, when: pick(["before", "after"]), fault: pick(faults) }
        : undefined;
    };
    const strikes = Array.from({ length: 1 + Math.floor(random() * 4) }, strike);
    const full: Plan = { ...plan, strikes, rounds: random() < 0.2 ? 2 : 1 };
    let report: Report;
    try {
      report = await withRekeyTarget(target.start, first, (stage) =>
        tell(stage, inProcess ? new InProcessRekeyRunner(stage) : new CommandLineRekeyRunner(stage), full),
      );
    } catch (error) {
      console.log(`story ${story} (seed ${seed + story}; ${name}; ${target.name}) went wrong: ${(error as Error).message}`);
      process.exitCode = 1;
      return;
    }
    told++;
    ups += report.runs;
    for (const row of report.rows) met.add(row);
    struckInAll += report.struck.length;
    if (process.stdout.isTTY || (story + 1) % 25 === 0) console.log(`  ${story + 1} told, ${struckInAll} faults`);
  }
  console.log(`\n${told} stories, ${ups} runs of \`pulumi up\`, ${struckInAll} faults; every story came to its end, no process was left.`);
  console.log(`Rows met: ${[...met].sort().join("; ")}.`);
}
