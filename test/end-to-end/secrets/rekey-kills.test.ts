import { Passing } from "../../support/gateway";
import { rekeyTargets, withRekeyTarget } from "../../support/rekey";
import { CommandLine } from "../../torture/runners";
import { Blow, Plan, Strike, tell } from "../../torture/story";

// The real command line, the real provider process, SIGKILL. What each blow does at each request is told in test/torture, in the process and in both
// dialects. Here it is seen that what is assumed there is so: what Pulumi has saved when it dies, after each of the steps that a rekey records, and that an
// orphan sends nothing that it must not, and ends.

const request =
  (method: string, path: string, nth = 1) =>
  (passing: Passing): boolean =>
    passing.method === method && passing.path.endsWith(path) && passing.nth === nth;
const strike = (blow: Blow, when: Strike["when"], at: Strike["at"]): Strike => ({ at, when, blow });

test("the command line dies when the attempt was started, when a share was given, and both die at the commit", async () => {
  const [{ start }] = rekeyTargets.slice(-1) as [(typeof rekeyTargets)[number]];
  const plan: Plan = { shares: 3, threshold: 2, pgp: false, backup: false, verification: true, holders: 1, rounds: 1, strikes: [] };
  plan.strikes = [
    // The attempt is not in the state.
    strike("command line", "after", request("PUT", "rekey/init")),
    // The attempt is, and no share; the orphan gives no other one.
    strike("command line", "after", request("PUT", "rekey/update")),
    // The new shares are, and not what became of them.
    strike("both", "after", request("PUT", "rekey/verify", 2)),
  ];
  await withRekeyTarget(start, { shares: 5, threshold: 3 }, async (target) => {
    const report = await tell(target, new CommandLine(target), plan);
    const rows = ["attempt: take over", "shares: give shares", "commit: note unknown", "commit: probe"];
    expect([...report.rows]).toEqual(expect.arrayContaining(rows));
    expect(report.struck.map((struck) => struck.opens)).toEqual(["former", "former", "new"]);
    expect(report.runs).toBe(5);
  });
});
