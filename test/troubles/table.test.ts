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
const stride = oneIn(7);

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

const [rows, names] = [Object.keys(changes), Object.keys(troubles)];

// Each row runs the columns on a diagonal, so that each column meets each trouble in one of `stride` rows.
describe.each(Object.entries(changes))("a resource that %s", (title, change) => {
  test.each(Object.entries(troubles))("%s", async (name, trouble) => {
    const diagonal = rows.indexOf(title) + names.indexOf(name);
    for (const [column, [kind, dialect, mechanism]] of columns(change.kinds ?? kindNames).entries())
      if ((diagonal + column) % stride === 0 && (await live(dialect, mechanism, historyOf(change, trouble, kind), 1))) met.add(name);
  });
});

test("each trouble is met", () => {
  const meant = names.filter((name) => name !== "nothing" && !troubles[name]?.targets);
  expect(meant.filter((name) => !met.has(name))).toEqual([]);
});

describe.each(Object.entries(found))("%s", (_, { kinds, turns }) => {
  // The mechanisms share their life cycle, so one order is enough for the second.
  test.each(kinds)("%s", async (kind) => {
    await live("hashicorp", "dynamic", turns(kind), isWhole ? 8 : 2);
    await live("hashicorp", "native", turns(kind), 1);
  });
});
