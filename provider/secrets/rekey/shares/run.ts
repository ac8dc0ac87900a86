import { Share, ShareSet } from "../protocol/crypto";
import { SharesRun } from "../submission/state";

/** Shares of one set: the program's own, or those of a set that the state keeps. */
interface Batch {
  shares: readonly Share[];
  /** The kept set. Undefined for the program's own shares. */
  set?: ShareSet;
}

/** A run that submits shares, and what it has done. All shares are resolved, so that nothing can fail after the last submission. */
export interface SubmissionRun extends SharesRun {
  /** Share references that could not be resolved. */
  readonly missing: readonly string[];
  /** The program's newShares. A share supplied before the new shares exist cannot be one of them. */
  readonly priorShares: readonly Share[];
  /** The shares that are submitted now, and the kept sets to try next. */
  batch: Batch;
  readonly otherBatches: Batch[];
  /** The index of the next share in the batch. */
  next: number;
  /** The number of the program's own shares that an earlier run submitted. */
  submittedBefore: number;
  /** The share whose response was lost once. */
  retried?: Share;
  /** True if the server has restarted its count in this run, so that all shares were submitted again. */
  isRestarted: boolean;
  /** True if the server has discarded shares that it had counted. */
  areGone: boolean;
  /** The reasons for which the server rejected single shares. */
  readonly refusals: string[];
  /** The last count of the server that was printed. */
  printedCount: number;
  isWaitPrinted: boolean;
}

/** Continues with the next set. Returns false if there is no other one to try. */
export function takeNextBatch(run: SubmissionRun): boolean {
  const batch = run.otherBatches.shift();
  if (batch) Object.assign(run, { batch, next: 0 });
  return batch !== undefined;
}
