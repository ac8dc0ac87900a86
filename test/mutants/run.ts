import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { root } from "../../tools/command";
import { Copy, Failure, Limits } from "./copy";
import { files, MutatedFile } from "./index";

// `node tools/run.js mutants`: applies one mutant after another to a copy of the repository, and prints the test that detects it.

interface Options {
  check: boolean;
  commandLine: boolean;
  only: string;
}

const inProcess: Limits = { test: 60_000, all: 5 * 60_000 };
const realCommandLine: Limits = { test: 10 * 60_000, all: 30 * 60_000 };

/** Suites that pass without a mutant, so that their failure is meaningful. */
const sound = new Set<string>();

async function firstFailure(
  copy: Copy,
  file: string,
  text: string,
  suites: readonly string[],
  limits: Limits,
): Promise<Failure | undefined> {
  if (suites.length === 0) return undefined;
  const restore = copy.change(file, text);
  const failure = await copy.run(suites, limits).finally(restore);
  if (!failure || failure.isLate || sound.has(failure.suite)) return failure;
  if (await copy.run([failure.suite], limits)) throw new Error(`${failure.suite} fails without a mutant, too.`);
  sound.add(failure.suite);
  return failure;
}

/** The test that detected a mutant. */
async function judge(copy: Copy, { file, suites, commandLine = [] }: MutatedFile, mutated: string, options: Options): Promise<string> {
  const first = await firstFailure(copy, file, mutated, suites, inProcess);
  if (first) return `${first.suite}: ${first.title}`;
  const second = options.commandLine ? await firstFailure(copy, file, mutated, commandLine, realCommandLine) : undefined;
  return second ? `**only ${second.suite}**: ${second.title}` : "**survives**";
}

/** Throws with the names of the mutants that do not apply to the sources in exactly one place. */
function assertApply(chosen: readonly MutatedFile[]): void {
  const wrong = chosen.flatMap(({ file, mutants }) => {
    const path = join(root, file);
    const source = existsSync(path) ? readFileSync(path, "utf8") : "";
    return mutants.filter(({ from, to }) => from === to || source.split(from).length !== 2).map(({ name }) => `${file}: ${name}`);
  });
  const advice = "Adapt their `file`, `from` and `to` in test/mutants/mutants.yaml: `from` occurs exactly once in its file.";
  if (wrong.length > 0) throw new Error(`${wrong.length} mutants no longer apply:\n${wrong.join("\n")}\n${advice}`);
}

async function main(options: Options): Promise<void> {
  const isChosen = (text: string): boolean => text.toLowerCase().includes(options.only.toLowerCase());
  const chosen = files
    .map((each) => ({ ...each, mutants: each.mutants.filter(({ name }) => isChosen(`${each.file}: ${name}`)) }))
    .filter(({ mutants }) => mutants.length > 0);
  if (chosen.length === 0) throw new Error(`No mutant's \`file: name\` contains "${options.only}": see test/mutants/mutants.yaml.`);
  assertApply(chosen);
  if (options.check) return;
  const copy = new Copy();
  process.once("exit", () => copy.remove());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  let survivors = 0;
  for (const each of chosen) {
    const source = readFileSync(join(copy.folder, each.file), "utf8");
    for (const { name, from, to } of each.mutants) {
      const verdict = await judge(
        copy,
        each,
        source.replace(from, () => to),
        options,
      );
      if (verdict === "**survives**") survivors++;
      process.stdout.write(`| ${each.file} | ${name} | ${verdict.replaceAll("|", "\\|")} |\n`);
    }
  }
  process.stdout.write(`\n${survivors} survive.\n`);
}

new Command("node tools/run.js mutants")
  .description("Changes one line after the other in a copy of this repository, and says which test notices it.")
  .option("--check", "checks only that every mutant applies to the sources", false)
  .option("--command-line", "runs the suites of the real command line on what the others do not notice", false)
  .option("--only <text>", "those whose `file: name` contains it", "")
  .action(main)
  .parseAsync()
  .catch(({ message }: Error) => {
    process.stderr.write(`${message}\n`);
    process.exitCode = 1;
  });
