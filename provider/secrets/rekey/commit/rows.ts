import { oldProbe } from "../attempt/cancel";
import { conflictingAttempt, tamperedAttempt } from "../attempt/conflict";
import { followRows, Row, unexpectedState } from "../protocol/rows";
import { stopped } from "../protocol/stops";
import { SharesState } from "../submission/state";
import { areFirst, CommitRun, candidateOf, unknownOutcome } from "./run";
import { notCommitted, settle, stopDead } from "./settle";
import { verify } from "./verify";

/** The new shares are saved, and either they or the previous ones are valid. */
export const commitRows: readonly Row<CommitRun, SharesState>[] = [
  {
    server: ["verifying"],
    log: "the new shares are generated, and the server verifies them: the rekey sends the available ones",
    act: verify,
  },
  {
    holds: ["a candidate"],
    server: ["none"],
    log: "the attempt is gone, and it may have been committed: the outcome is unknown",
    act: async (run) => {
      throw unknownOutcome(run, "the attempt is gone, after a commit, a seal, a failover or a cancel");
    },
  },
  {
    server: ["noKeys"],
    log: "the attempt is gone, and there are no recovery keys: the new ones are not valid",
    act: async (run, observed) => {
      // Current shares made this set, so there were keys: another service responds.
      if (!areFirst(run.state.submission)) throw unexpectedState(run.operation, observed, "a candidate");
      return stopDead(run);
    },
  },
  { ...oldProbe, holds: ["a candidate"] },
  tamperedAttempt,
  conflictingAttempt,
  {
    holds: ["an unknown outcome"],
    server: ["none", "probe"],
    log: "the outcome is unknown: a probe tests the available new shares",
    act: settle,
  },
];

/** Commits the new shares, or settles if they are valid. */
export async function commit(run: CommitRun): Promise<SharesState> {
  const { outcome } = run.state.submission;
  if (outcome === "dead") throw notCommitted(run);
  if (outcome === "not accepted" && run.shares.length === 0)
    throw stopped(
      "not-accepted",
      `the new shares of ${candidateOf(run).nonce} were not accepted, and this run has neither new nor current shares`,
    );
  return followRows(commitRows, outcome === "open" ? "a candidate" : "an unknown outcome", run);
}
