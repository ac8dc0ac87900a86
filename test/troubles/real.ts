import fc from "fast-check";
import { CommandLine } from "./command-line";
import { History, histories } from "./history";
import { Life } from "./life";
import { MechanismName, newWorld } from "./runner";

// Random histories on the real command line.

async function live(history: History, mechanism: MechanismName): Promise<void> {
  const world = await newWorld(history.dialect);
  const runner = await CommandLine.create(world, mechanism);
  try {
    await new Life(world, runner).live(history);
  } finally {
    await runner.close();
  }
}

/** Runs histories, which alternate between the mechanisms, and prints the outcome of each. */
export async function liveOnCommandLine({ runs, seed }: { runs: number; seed: number }): Promise<void> {
  console.log(`${runs} histories, seed ${seed}`);
  for (const [number, history] of fc.sample(histories, { numRuns: runs, seed }).entries()) {
    const mechanism = number % 2 === 0 ? "dynamic" : "native";
    try {
      await live(history, mechanism);
      console.log(`  ${number + 1}, ${mechanism}: as declared`);
    } catch (error) {
      console.log(`  ${number + 1}, ${mechanism}: ${(error as Error).message}\n${JSON.stringify(history)}`);
      process.exitCode = 1;
    }
  }
}
