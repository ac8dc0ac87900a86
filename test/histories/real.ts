import fc from "fast-check";
import { CommandLine } from "./command-line";
import { History, histories } from "./history";
import { Life } from "./life";
import { World } from "./world";

// Random histories on the real command line.

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

/** Runs so many of them, and prints how each ended. */
export async function liveOnCommandLine({ runs, seed }: { runs: number; seed: number }): Promise<void> {
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
