import fc from "fast-check";
import { History, histories } from "./history";
import { Life } from "./life";
import { InProcess, worldOf } from "./runner";

const runs = Number(process.env.HISTORIES ?? 1000);
const seed = Number(process.env.HISTORIES_SEED ?? 1);

const live = async (history: History, scheduler: fc.Scheduler): Promise<void> => {
  const world = await worldOf(history.dialect);
  await new Life(world, new InProcess(world, scheduler)).live(history);
};

test(`${runs} random histories leave on the servers what the program declares and what others made`, async () => {
  await fc.assert(fc.asyncProperty(histories, fc.scheduler(), live), {
    numRuns: runs,
    seed,
    endOnFailure: process.env.HISTORIES_SHRINK === "0",
  });
});
