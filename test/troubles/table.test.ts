import fc from "fast-check";
import { isWhole, oneIn, seed } from "../support/scope";
import { Turn } from "./history";
import { KindName, kindNames } from "./kinds";
import { Life } from "./life";
import { InProcess, MechanismName, worldOf } from "./runner";
import { changes, found, historyOf, troubles } from "./table";
import { Dialect } from "./world";

const mechanisms: readonly MechanismName[] = ["dynamic", "native"];
const dialects: readonly Dialect[] = ["standard", "hashicorp"];
/** No row has a multiple of it as its number of columns, so each column meets each trouble. */
const stride = oneIn(7);
let count = 0;

/** Lives a history in this many orders of its concurrent steps. Returns true if it met trouble. */
async function live(dialect: Dialect, mechanism: MechanismName, turns: Turn[], numRuns: number): Promise<boolean> {
  let hasMetTrouble = false;
  const inOrder = async (scheduler: fc.Scheduler): Promise<void> => {
    const world = await worldOf(dialect);
    const runner = new InProcess(world, scheduler, mechanism);
    await new Life(world, runner).live({ dialect, turns });
    hasMetTrouble ||= runner.hasMetTrouble;
  };
  await fc.assert(fc.asyncProperty(fc.scheduler(), inOrder), { numRuns, seed });
  return hasMetTrouble;
}

/** The columns of a row: each kind of resource in each dialect and mechanism. */
const columns = (kinds: readonly KindName[]): [KindName, Dialect, MechanismName][] =>
  kinds.flatMap((kind) =>
    dialects.flatMap((dialect) => mechanisms.map((mechanism) => [kind, dialect, mechanism] as [KindName, Dialect, MechanismName])),
  );

/** The troubles that histories have met. */
const met = new Set<string>();

describe.each(Object.entries(changes))("a resource that %s", (_, change) => {
  test.each(Object.entries(troubles))("%s", async (name, trouble) => {
    for (const [kind, dialect, mechanism] of columns(change.kinds ?? kindNames))
      if (count++ % stride === 0 && (await live(dialect, mechanism, historyOf(change, trouble, kind), 1))) met.add(name);
  });
});

test("each trouble is met", () => {
  const names = Object.keys(troubles).filter((name) => name !== "nothing" && !troubles[name]?.targets);
  expect(names.filter((name) => !met.has(name))).toEqual([]);
});

describe.each(Object.entries(found))("%s", (_, { kinds, turns }) => {
  // The mechanisms share their life cycle, so one order is enough for the second.
  test.each(kinds)("%s", async (kind) => {
    await live("hashicorp", "dynamic", turns(kind), isWhole ? 8 : 2);
    await live("hashicorp", "native", turns(kind), 1);
  });
});
