import fc from "fast-check";
import { draws, seed } from "../support/scope";
import { History, histories } from "./history";
import { Life } from "./life";
import { InProcess, MechanismName, worldOf } from "./runner";

// `RUNS=100000 SEED=2 npm test -- test/troubles/histories` runs others.

const live =
  (mechanism: MechanismName) =>
  async (history: History, scheduler: fc.Scheduler): Promise<void> => {
    const world = await worldOf(history.dialect);
    await new Life(world, new InProcess(world, scheduler, mechanism)).live(history);
  };

const title = "%s: after each random history the servers hold what the program declares and all other objects";
test.each(["dynamic", "native"] as const)(
  title,
  (mechanism) => fc.assert(fc.asyncProperty(histories, fc.scheduler(), live(mechanism)), { numRuns: draws(750), seed }),
  24 * 3_600_000,
);
