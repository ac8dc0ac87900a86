import { oldProbe } from "../attempt/cancel";
import { conflictingAttempt, tamperedAttempt } from "../attempt/conflict";
import { followRows, Row, unexpectedState } from "../protocol/rows";
import { Observed } from "../protocol/server-state";
import { stopped } from "../protocol/stops";
import { SharesRun, SharesState, saveProgress } from "../submission/state";
import { areFirst, candidateOf, HolderRun, unknownOutcome, withNewShares } from "./run";
import { notCommitted, removeDead, settle } from "./settle";
import { verify } from "./verify";

/** New shares for holders are made, and not known to be live. */
export const holderRows: readonly Row<HolderRun, SharesState>[] = [
  {
    server: ["verifying"],
    log: "the new shares are made, and the server verifies them: the rekey sends the available ones",
    act: (run, observed) => verify(run, observed).catch(saveProgress(run)),
  },
  {
    holds: ["a candidate"],
    server: ["none"],
    log: "the attempt of the new shares is gone, and it may have been committed: the outcome is unknown",
    act: async (run) => {
      throw unknownOutcome(run, "the attempt is gone, after a commit, a seal, a failover or a cancel");
    },
  },
  {
    server: ["noKeys"],
    log: "the attempt is gone, and there are no recovery keys: the new ones are not valid",
    act: stopFirst,
  },
  { ...oldProbe, holds: ["a candidate"] },
  tamperedAttempt,
  conflictingAttempt,
  {
    holds: ["an unknown outcome"],
    server: ["none", "probe"],
    log: "the outcome is unknown: a probe tests the available new shares",
    act: (run, observed) => settle(run, observed).catch(saveProgress(run)),
  },
];

/** Continues with new shares that were made in an earlier run. */
export async function continueWithHolders(run: SharesRun): Promise<SharesState> {
  const { outcome } = run.state.submission;
  if (outcome === "dead") throw notCommitted(run);
  const withShares = withNewShares(run);
  if (outcome === "not accepted" && withShares.shares.length === 0)
    throw stopped(
      "not-accepted",
      `the new shares of ${candidateOf(run).nonce} were not accepted, and this run has neither new nor current shares`,
    );
  return followRows(holderRows, outcome === "open" ? "a candidate" : "an unknown outcome", withShares);
}

async function stopFirst(run: HolderRun, observed: Observed): Promise<never> {
  // Current shares made this set, so there were keys: another service responds.
  if (!areFirst(run.state.submission)) throw unexpectedState(run.operation, observed, "a candidate");
  await removeDead(run);
  throw notCommitted(run);
}
