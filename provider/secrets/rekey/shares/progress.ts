import { Share, ShareSet } from "../protocol/crypto";

/** Shares of one set: the program's own, or those of a set that the state keeps. */
export interface Batch {
  shares: readonly Share[];
  /** The kept set. Undefined for the program's own shares. */
  set?: ShareSet;
}

/** The progress of a run with the shares that it can submit. Each of the functions below returns the next one. */
export interface SubmissionProgress {
  /** The shares that are submitted now. */
  readonly batch: Batch;
  /** The kept sets to try next. */
  readonly otherBatches: readonly Batch[];
  /** The index of the next share in the batch. */
  readonly next: number;
  /** The number of the program's own shares that an earlier run submitted. */
  readonly submittedBefore: number;
  /** The share whose response was lost once. */
  readonly retried?: Share;
  /** True if the server has restarted its count in this run, so that all shares were submitted again. */
  readonly isRestarted: boolean;
  /** True if the server has discarded shares that it had counted. */
  readonly areGone: boolean;
  /** The reasons for which the server rejected single shares. */
  readonly refusals: readonly string[];
  /** The last count of the server that was printed. */
  readonly printedCount: number;
  readonly isWaitPrinted: boolean;
}

export const nextShare = (progress: SubmissionProgress): SubmissionProgress => ({ ...progress, next: progress.next + 1 });

/** Undefined if there is no other set to try. */
export function nextBatch(progress: SubmissionProgress): SubmissionProgress | undefined {
  const [batch, ...otherBatches] = progress.otherBatches;
  return batch && { ...progress, batch, otherBatches, next: 0 };
}

/** The server has discarded all shares. */
export const countRestarted = (progress: SubmissionProgress): SubmissionProgress => ({
  ...progress,
  submittedBefore: 0,
  retried: undefined,
});
