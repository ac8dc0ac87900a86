import { rekeyTargets, withRekeyTarget } from "../../../support/rekey";
import { InProcess } from "../../../troubles/rekey/runners";
import { Plan, Strike, tell } from "../../../troubles/rekey/story";

// Faults in several runs of a rekey. test/troubles/rekey runs every fault at every request, and test/end-to-end/secrets/rekey-kills.test.ts kills
// Pulumi and its processes.

const strike = (fault: Strike["fault"], when: Strike["when"], path: string, nth: number): Strike => ({
  ...{ fault, when },
  at: (passing) => passing.method === "PUT" && passing.path.endsWith(`rekey/${path}`) && passing.nth === nth,
});
const plan: Plan = { shares: 3, threshold: 2, pgp: false, backup: false, verification: true, holders: 1, strikes: [], rounds: 1 };
const stories: [name: string, plan: Partial<Plan>, opens: string[]][] = [
  [
    "survives a kill at the commit, and another one during the probe",
    { strikes: [strike("both", "after", "verify", 2), undefined, strike("both", "after", "update", 5)] },
    ["new", "new"],
  ],
  [
    "survives a kill between shares, and a commit request that arrives late",
    { strikes: [strike("both", "before", "update", 2), strike("late request", "before", "verify", 2)] },
    ["previous", "previous"],
  ],
  [
    "survives a seal between shares and one during the verification, and runs a second rekey",
    { rounds: 2, strikes: [strike("seal", "after", "update", 2), undefined, strike("seal", "before", "verify", 1)] },
    ["previous", "previous"],
  ],
];

describe.each(rekeyTargets)("$name", ({ start }) => {
  test.each(stories)("%s", async (_, more, opens) => {
    const first = { shares: 5, threshold: 3 };
    const { struck } = await withRekeyTarget(start, first, (target) => tell(target, new InProcess(target), { ...plan, ...more }));
    expect(struck.map((each) => each.opens)).toEqual(opens);
  });
});
