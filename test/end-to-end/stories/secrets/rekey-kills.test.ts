import { Passing } from "../../../support/gateway";
import { rekeyTargets, withRekeyTarget } from "../../../support/rekey";
import { InProcess } from "../../../troubles/rekey/runners";
import { Fault, Plan, Strike, tell } from "../../../troubles/rekey/story";

// Faults during a rekey, and how the next runs complete it. The suite with real kills of Pulumi and its processes is
// test/end-to-end/secrets/rekey-kills.test.ts. test/troubles/rekey runs every fault at every request.

const request =
  (method: string, path: string, nth = 1) =>
  (passing: Passing): boolean =>
    passing.method === method && passing.path.endsWith(path) && passing.nth === nth;
const strike = (fault: Fault, when: Strike["when"], at: Strike["at"]): Strike => ({ at, when, fault });
const plan: Plan = { shares: 3, threshold: 2, pgp: false, backup: false, verification: true, holders: 1, strikes: [], rounds: 1 };

const stories: { name: string; plan: Partial<Plan>; rows: string[]; opens: string[] }[] = [
  {
    name: "survives kills of the command line after the start and after the last current share",
    plan: {
      strikes: [
        strike("command line", "after", request("PUT", "rekey/init")),
        strike("command line", "after", request("PUT", "rekey/update", 3)),
      ],
    },
    rows: [
      "attempt: a matching attempt without shares is in progress: the rekey takes it over",
      "shares: the response with the new shares is missing: the rekey reads the backup or starts over",
    ],
    opens: ["previous", "previous"],
  },
  {
    name: "survives a kill of both processes at the commit, and another one during the probe",
    plan: {
      strikes: [
        strike("both", "after", request("PUT", "rekey/verify", 2)),
        undefined,
        strike("both", "after", request("PUT", "rekey/update", 5)),
      ],
    },
    rows: [
      "commit: the attempt is gone, committed or not: the outcome is unknown",
      "commit: the outcome is unknown: a probe tests which shares are live",
      "commit: an old probe of this rekey is in progress: the rekey cancels it",
    ],
    opens: ["new", "new"],
  },
  {
    name: "survives a kill of the provider between shares, and a commit request that arrives late",
    plan: {
      strikes: [
        strike("provider", "before", request("PUT", "rekey/update", 2)),
        strike("late request", "before", request("PUT", "rekey/verify", 2)),
      ],
    },
    rows: [
      "shares: the attempt is collecting current shares: the rekey submits the available ones",
      "commit: the new shares are saved but not verified: the rekey proves and commits them",
    ],
    opens: ["previous", "previous"],
  },
  {
    name: "survives a seal between shares and one during the verification, and runs a second rekey",
    plan: {
      rounds: 2,
      strikes: [
        strike("seal", "after", request("PUT", "rekey/update", 2)),
        undefined,
        strike("seal", "before", request("PUT", "rekey/verify", 1)),
      ],
    },
    rows: [
      "shares: the attempt is gone: the rekey starts a new one and saves its nonce",
      "commit: the outcome is unknown: a probe tests which shares are live",
    ],
    opens: ["previous", "previous"],
  },
  {
    name: "recovers a lost response with the new shares of three holders from the backup",
    plan: {
      pgp: true,
      backup: true,
      holders: 3,
      strikes: [undefined, strike("both", "after", request("PUT", "rekey/update", 3))],
    },
    rows: [
      "shares: the response with the new shares is missing: the rekey reads the backup or starts over",
      "commit: the new shares are saved but not verified: the rekey proves and commits them",
    ],
    opens: ["previous"],
  },
];

describe.each(rekeyTargets)("$name", ({ start }) => {
  test.each(stories)("$name", async ({ plan: more, rows, opens }) => {
    const report = await withRekeyTarget(start, { shares: 5, threshold: 3 }, (target) =>
      tell(target, new InProcess(target), { ...plan, ...more }),
    );
    expect([...report.rows]).toEqual(expect.arrayContaining(rows));
    expect(report.struck.map((struck) => struck.opens)).toEqual(opens);
  });
});
