import { allRekeyTargets, First, withRekeyTarget } from "../../support/rekey";
import { Keys, RekeyDialect } from "../../support/rekey-wire";
import { oneIn } from "../../support/scope";
import { InProcessRekeyRunner } from "./runners";
import { Fault, Plan, Report, Strike, tell } from "./story";

const stride = oneIn(5);

/** The current and the new shares of a rekey. */
export interface Shape {
  name: string;
  first: First;
  plan: Omit<Plan, "strikes" | "rounds">;
}

const shape = (name: string, first: [number, number], [shares, threshold]: [number, number], more: Partial<Plan> = {}): Shape => ({
  name,
  first: { shares: first[0], threshold: first[1] },
  plan: { shares, threshold, pgp: false, backup: false, verification: true, holders: "one", ...more },
});

const ofHolders: Partial<Plan> = { pgp: true, holders: "each" };

export const shapes: readonly Shape[] = [
  shape("1/1 to 1/1", [1, 1], [1, 1]),
  shape("5/3 to 3/2", [5, 3], [3, 2]),
  shape("3/2 to 3/2", [3, 2], [3, 2]),
  shape("0/0 to 3/2", [0, 0], [3, 2]),
  shape("5/3 to 5/3, each holder", [5, 3], [5, 3], { holders: "each" }),
  // The main case: each holder brings one share.
  shape("3/2 to 3/2, PGP", [3, 2], [3, 2], ofHolders),
  shape("3/2 to 5/3, PGP", [3, 2], [5, 3], ofHolders),
  shape("5/3 to 3/2, PGP and backup", [5, 3], [3, 2], { ...ofHolders, backup: true }),
  shape("3/2 to 3/2, PGP and backup", [3, 2], [3, 2], { ...ofHolders, backup: true }),
  shape("3/2 to 3/2, PGP and backup, one person", [3, 2], [3, 2], { pgp: true, backup: true }),
  shape("3/2 to 3/2, PGP and backup, no verification", [3, 2], [3, 2], { ...ofHolders, backup: true, verification: false }),
  shape("0/0 to 3/2, PGP and backup", [0, 0], [3, 2], { ...ofHolders, backup: true }),
];

const kinds: { fault: Fault; when: Strike["when"] }[] = [
  { fault: "both", when: "before" },
  { fault: "both", when: "after" },
  { fault: "late request", when: "before" },
  { fault: "reply", when: "before" },
  { fault: "reply", when: "after" },
  { fault: "standby", when: "before" },
  { fault: "standby", when: "after" },
  { fault: "seal", when: "before" },
  { fault: "seal", when: "after" },
];

/**
 * Tests every fault at every request of a rekey, before and after the server receives it. The provider runs in this process. For the command line
 * and its processes, see test/end-to-end/secrets/rekey-kills.test.ts.
 */
export function everyBlow(dialect: RekeyDialect, names: readonly string[], keys: Keys = "unseal"): void {
  const { start } = allRekeyTargets.find((each) => each.dialect === dialect && each.keys === keys) as (typeof allRekeyTargets)[number];
  test.each(names.map((name) => shapes.find((shape) => shape.name === name) as (typeof shapes)[number]))(
    "$name: no fault at any request loses a key, and the rekey completes",
    async ({ first, plan }) => {
      const story = (strikes: Plan["strikes"]): Promise<Report> =>
        withRekeyTarget(start, first, (target) => tell(target, new InProcessRekeyRunner(target), { ...plan, strikes, rounds: 1 }));
      const calm = await story([]);
      const told: Report[] = [];
      for (let run = 0; run < calm.runs; run++)
        for (const [index, { fault, when }] of kinds.entries())
          for (let count = 1 + (index % stride); ; count += stride) {
            const quiet = Array.from({ length: run }, () => undefined);
            const report = await story([...quiet, { at: (passing) => passing.count === count, when, fault }]);
            // The run has no request with this number.
            if (report.struck.length === 0) break;
            told.push(report);
          }
      expect(told.length).toBeGreaterThan((calm.runs * kinds.length * (stride === 1 ? 6 : 1)) / 2);
      // Both outcomes occur: either the previous shares or the new ones are valid.
      expect([...new Set(told.flatMap(({ struck }) => struck.map(({ opens }) => opens)))].sort()).toEqual(["new", "previous"]);
    },
  );
}
