import { Command, InvalidArgumentError } from "commander";
import fc from "fast-check";
import { CommandLine } from "./command-line";
import { History, histories } from "./history";
import { Life } from "./life";
import { World } from "./world";

// Random histories on the real command line.

const whole = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("It is a whole number.");
  return Number(text);
};

async function live(history: History): Promise<void> {
  const world = await World.create(history.dialect);
  world.reset();
  const runner = await CommandLine.create(world);
  try {
    await new Life(world, runner).live(history);
  } finally {
    await runner.close();
  }
}

const { runs, seed } = new Command("histories")
  .description("Runs random histories of programs on the real command line, and shows what went wrong.")
  .option("--runs <number>", "how many", whole, 30)
  .option("--seed <number>", "draws the same ones again", whole, Date.now() % 1_000_000)
  .parse()
  .opts<{ runs: number; seed: number }>();

async function main(): Promise<void> {
  console.log(`${runs} histories, seed ${seed}`);
  for (const [number, history] of fc.sample(histories, { numRuns: runs, seed }).entries())
    try {
      await live(history);
      console.log(`  ${number + 1}: as declared`);
    } catch (error) {
      console.log(`  ${number + 1}: ${(error as Error).message}\n${JSON.stringify(history)}`);
      process.exitCode = 1;
    }
}

void main();
