import fc from "fast-check";
import { draws } from "../support/scope";
import { History, histories } from "./history";
import { Life } from "./life";
import { InProcess, MechanismName, worldOf } from "./runner";

// `HISTORIES=100000 HISTORIES_SEED=2 npm test -- test/troubles/histories` runs others. HISTORIES_PATH, which a failure prints, repeats one.
const runs = Number(process.env.HISTORIES ?? draws(750));
const seed = Number(process.env.HISTORIES_SEED ?? 1);
const path = process.env.HISTORIES_PATH;

const live =
  (mechanism: MechanismName) =>
  async (history: History, scheduler: fc.Scheduler): Promise<void> => {
    const world = await worldOf(history.dialect);
    await new Life(world, new InProcess(world, scheduler, mechanism)).live(history);
  };

const title = "%s: after each random history the servers hold what the program declares and all other objects";
test.each(["dynamic", "native"] as const)(
  title,
  (mechanism) => fc.assert(fc.asyncProperty(histories, fc.scheduler(), live(mechanism)), { numRuns: runs, seed, path }),
  24 * 3_600_000,
);
