import fc from "fast-check";
import { History, Operation, Turn } from "./history";
import { KindName, Place } from "./kinds";
import { Life } from "./life";
import { Edit } from "./program";
import { InProcess, MechanismName, worldOf } from "./runner";

// The failures that random histories have found, reduced, for each kind of resource and in many orders of their concurrent steps.

/** The number of orders. The mechanisms share their life cycle, so one order is enough for the second. */
const orders: Record<MechanismName, number> = { dynamic: 8, native: 1 };

const add = (kind: KindName, part = 0, more: { isSecret?: boolean; adopt?: boolean; place?: Place; level?: number } = {}): Edit => ({
  edit: "add",
  kind,
  part,
  place: "home",
  level: 0,
  isSecret: false,
  adopt: true,
  ...more,
});
const set = (item: number, part: number, level: number, isSecret = false): Edit => ({ edit: "set part", item, part, level, isSecret });
const drop = (item: number, part: number): Edit => ({ edit: "drop part", item, part, level: 0, isSecret: false });
const rename = (item: number): Edit => ({ edit: "rename", item, isAliased: false });
const move = (item: number): Edit => ({ edit: "move", item, parent: 1, isAliased: false });
const place = (item: number, to: Place): Edit => ({ edit: "place", item, place: to });
const retype = (item: number): Edit => ({ edit: "between types", item, adopt: true });

const up = (edits: Edit[], run: Partial<Operation> = {}): Turn => ({ edits, run: { operation: "up", troubles: [], ...run } });

async function lives(...turns: Turn[]): Promise<void> {
  const history: History = { dialect: "hashicorp", turns };
  for (const [mechanism, count] of Object.entries(orders) as [MechanismName, number][]) {
    const live = async (scheduler: fc.Scheduler): Promise<void> => {
      const world = await worldOf(history.dialect);
      await new Life(world, new InProcess(world, scheduler, mechanism)).live(history);
    };
    const numRuns = Number(process.env.HISTORIES_ORDERS ?? count);
    await fc.assert(fc.asyncProperty(fc.scheduler(), live), { numRuns, seed: 1 });
  }
}

/** One resource of each kind, and another role. */
const renamed: KindName[] = ["role", "set", "access", "lease", "general", "saml", "deprecation", "workspace"];
const sibling = add("role", 2);

describe.each(renamed)("a resource renamed without an alias keeps its object: %s", (kind) => {
  test.each([1, 2])("when write %i of the run is rejected", (write) =>
    lives(up([add(kind)]), up([rename(0), sibling], { troubles: [[write, "refused"]] }), up([])),
  );
  test("when the run is interrupted", () =>
    lives(up([add(kind)]), up([rename(0), sibling], { stop: { at: 2, how: "interrupt", isSentAll: true } }), up([])));
  test("when the command line is killed", () =>
    lives(up([add(kind)]), up([rename(0), sibling], { stop: { at: 2, how: "kill", isSentAll: true } }), up([])));
  test("when only the new resource is a target", () => lives(up([add(kind)]), up([move(0)], { targets: [0] }), up([])));
  test("when the new resource is rejected under --continue-on-error", () =>
    lives(up([add(kind, 0, { adopt: false })]), up([rename(0)], { continueOnError: true }), up([])));
});

describe.each(renamed.filter((kind) => kind !== "workspace"))(
  "what the page on kills says to run leaves the declared object on the server: %s",
  (kind) => {
    const kill: Partial<Operation> = { stop: { at: 1, how: "kill", isSentAll: true } };
    test("after a killed update that the program reverts", () => lives(up([add(kind)]), up([set(0, 0, 1)], kill), up([set(0, 0, 0)])));
    test("after a killed destroy", () =>
      lives(up([add(kind)]), { edits: [], run: { operation: "destroy", troubles: [], ...kill } }, up([])));
  },
);

test("a resource that moves to another mount keeps the old object for the resource that took it over", () =>
  lives(up([add("lease")]), up([place(0, "second"), add("lease")], { targets: [1] }), up([])));

describe("roles survive a move between SchedulerRole and SchedulerRoles", () => {
  const three = [add("role", 0), add("role", 1), add("role", 2)];
  test("of three roles into a new set", () => lives(up(three), up([retype(0), retype(0), retype(0)]), up([])));
  test("of a whole set into single roles", () => lives(up([add("set", 0), set(0, 1, 0), set(0, 2, 0)]), up([retype(0)]), up([])));
  test("of one role into an existing set", () => lives(up([add("set", 0), add("role", 1)]), up([retype(1)]), up([])));
  test("of one role out of a set that remains", () => lives(up([add("set", 0), set(0, 1, 0)]), up([drop(0, 0), add("role", 0)]), up([])));
});

test.each<KindName>(["role", "set", "access", "lease", "deprecation", "workspace"])(
  "up rejects a program that declares an object twice: %s",
  (kind) => lives(up([add(kind, 0, { adopt: false }), { edit: "twice", item: 0 }])),
);

describe("a secret that is removed from the program stays encrypted if the response is lost", () => {
  const lost: [string, Partial<Operation>][] = [
    ["when the object can be read afterwards", { troubles: [[1, "lost after"]] }],
    ["when the object cannot be read afterwards", { troubles: [[1, "lost after, and all that follow"]] }],
    ["when the write was not applied", { troubles: [[1, "lost before"]] }],
  ];
  describe.each(lost)("%s", (_, run) => {
    test("the private key of SAML settings", () => lives(up([add("saml", 2), set(0, 0, 0)]), up([drop(0, 0), set(0, 0, 1)], run)));
    test("a role of a set", () => lives(up([add("set", 0, { isSecret: true }), set(0, 1, 0)]), up([drop(0, 0)], run)));
    test.each<KindName>(["role", "set", "access", "lease", "general", "saml", "deprecation"])("a value that becomes plain: %s", (kind) =>
      lives(up([add(kind, 0, { isSecret: true })]), up([set(0, 0, 1)], run)),
    );
  });
});

test("a secret reason is encrypted as the published reason as well", () => lives(up([add("deprecation", 0, { isSecret: true })])));

test("a role stays if the deletion in its replacement is rejected and another resource holds it", () =>
  lives(
    up([add("role", 0, { adopt: false })]),
    up([retype(0)], { targets: [0] }),
    up([], { troubles: [[1, "refused"]], continueOnError: true, replace: 0 }),
    up([]),
  ));

test("a secret value of a killed creation that is captured as an original value stays encrypted", () =>
  lives(
    up([add("saml", 0, { isSecret: true })], { stop: { at: 1, how: "kill", isSentAll: true } }),
    up([set(0, 0, 0)]),
    up([], { troubles: [[1, "lost after"]], replace: 0 }),
  ));

test("renamed settings restore a removed attribute, although the response to the creation was lost", () =>
  lives(
    up([add("saml", 2)]),
    up([set(0, 0, 0)]),
    up([drop(0, 1), rename(0)], { troubles: [[1, "lost before"]], continueOnError: true }),
    up([]),
  ));

test("a set of roles whose creation lost its response writes its roles, although only its connection was renamed", () =>
  lives(up([add("set", 0, { adopt: false })], { troubles: [[1, "lost before"]] }), up([place(0, "twin")])));
