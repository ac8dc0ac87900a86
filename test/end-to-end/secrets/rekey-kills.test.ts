import { Passing } from "../../support/gateway";
import { slowRekeyTargets, withRekeyTarget } from "../../support/rekey";
import { CommandLineRekeyRunner, YamlRekeyRunner } from "../../troubles/rekey/runners";
import { Fault, Plan, Strike, tell } from "../../troubles/rekey/story";

// SIGKILL of the real command line and the real provider process. test/troubles/rekey runs every fault at every request in the process, in both
// dialects. This suite checks the two assumptions of test/troubles/rekey. When Pulumi dies after a recorded step of a rekey, it has saved the state.
// An orphaned provider ends without another request.

const request =
  (method: string, path: string, nth = 1) =>
  (passing: Passing): boolean =>
    passing.method === method && passing.path.endsWith(path) && passing.nth === nth;
const strike = (fault: Fault, when: Strike["when"], at: Strike["at"]): Strike => ({ at, when, fault });

const stages = [
  ...slowRekeyTargets.map((target) => ({ ...target, program: "a Node program", Runner: CommandLineRekeyRunner })),
  ...slowRekeyTargets
    .slice(0, 1)
    .map((target) => ({ ...target, program: "a YAML program, with the native plugin", Runner: YamlRekeyRunner })),
];

test.each(stages)(
  "a rekey of $program completes after kills at the start, at a share and at the commit ($name)",
  async ({ start, Runner }) => {
    const plan: Plan = { shares: 3, threshold: 2, pgp: false, backup: false, verification: true, holders: "one", rounds: 1, strikes: [] };
    plan.strikes = [
      // The state does not contain the attempt.
      strike("command line", "after", request("PUT", "rekey/init")),
      // The state contains the attempt, but no share. The orphaned provider submits no other share.
      strike("command line", "after", request("PUT", "rekey/update")),
      // The state contains the new shares, but not the outcome of the commit.
      strike("both", "after", request("PUT", "rekey/verify", 2)),
    ];
    await withRekeyTarget(start, { shares: 5, threshold: 3 }, async (target) => {
      const report = await tell(target, new Runner(target), plan);
      const rows = [
        "attempt: a matching attempt without shares is in progress: the rekey adopts it",
        "shares: the attempt is collecting current shares: the rekey submits the available ones",
        "commit: the attempt is gone, and it may have been committed: the outcome is unknown",
        "commit: the outcome is unknown: a probe tests the available new shares",
      ];
      expect([...report.rows]).toEqual(expect.arrayContaining(rows));
      expect(report.struck.map((struck) => struck.opens)).toEqual(["previous", "previous", "new"]);
      expect(report.runs).toBe(5);
    });
  },
);
