import { RekeyRecordEntry } from "../../../../provider/secrets";
import { hashOf } from "../../../../provider/secrets/rekey/protocol/record";
import { formsIn } from "../../../support/canaries";
import { onEachRekeyTarget } from "../../../support/rekey";
import { stack, tools } from "./story";

onEachRekeyTarget("the record of a rekey", (current) => {
  const { inputs, madeFor, submit, interrupt, status } = tools(current);
  const record = (): RekeyRecordEntry[] => (stack.commit.outputs() as { record: RekeyRecordEntry[] }).record;
  const events = (): string[] => record().map(({ event, phase, count }) => [event, phase, phase && count].join(" ").trim());

  test("has the parameters, each share with its count, and the commit, in a chain without a share", async () => {
    const { pgp, newShares } = await madeFor(3, { backup: true, removeBackup: true, confirm: "all" });
    const { nonce } = await status();
    await stack.up({ ...pgp, newShares });
    expect(events()).toEqual([
      "started submitting 0",
      "submitted submitting 1",
      "submitted submitting 2",
      "submitted submitting 3",
      "created verifying 0",
      "confirmed verifying 0",
      "restarted verifying 0",
      "verified verifying 1",
      "verified",
      "committed",
      "backup-removed",
    ]);
    const [first, ...others] = record() as [RekeyRecordEntry, ...RekeyRecordEntry[]];
    expect(first).toMatchObject({ target: current().keys, nonce, shares: 3, threshold: 2, backup: true, verification: true });
    expect(first.fingerprints).toEqual(stack.candidate.encrypted.map(({ fingerprint }) => fingerprint));
    if (current().dialect !== "standard" && !current().namespace) expect(first.version).toMatch(/^\d/);
    expect(others.map(({ previous }) => previous)).toEqual(record().slice(0, -1).map(hashOf));
    expect(formsIn(JSON.stringify(record()), [...newShares, ...current().first])).toEqual([]);
  });

  test("names a lost response, and what a killed run or another holder did", async () => {
    await stack.up(inputs(), "attempt");
    const [a = "", b = "", c = ""] = current().first;
    await submit(a);
    interrupt("PUT", "verify", { when: "after" }, 1);
    await stack.stops(inputs({ currentShares: [b, c] })).catch(() => {});
    await stack.up(inputs({ currentShares: [b, c] }));
    expect(events().filter((each) => !each.startsWith("rejected"))).toEqual([
      "started submitting 0",
      "observed submitting 1",
      "submitted submitting 2",
      "submitted submitting 3",
      "created verifying 0",
      "restarted verifying 0",
      "unknown verifying 0",
      "observed verifying 1",
      "verified",
      "committed",
    ]);
    // A later rekey continues the chain, so that a signature of the earlier entries stays valid.
    const before = record();
    await stack.up(inputs({ currentShares: stack.candidate.shares, triggers: ["2"] }));
    expect(record().slice(0, before.length)).toEqual(before);
    // The first step, which did not see the commit, finds no attempt: that is no news.
    expect(events().slice(before.length, before.length + 2)).toEqual(["started submitting 0", "submitted submitting 1"]);
  });
});
