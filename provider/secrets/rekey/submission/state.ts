import { OutcomeUnknown } from "../../../contract/definition";
import { PartialState, StewardError } from "../../../contract/errors";
import { withNonce } from "../attempt/start";
import { Attempt } from "../attempt/state";
import { RekeyInputs, StepInputs } from "../inputs";
import { RekeyBackup } from "../protocol/api";
import { ShareSet } from "../protocol/crypto";
import { RekeyRecordEntry } from "../protocol/record";
import { StepRun } from "../protocol/rows";
import { RekeyProgress } from "../protocol/status";

export interface SharesInputs
  extends StepInputs,
    Pick<RekeyInputs, "newShares" | "waitSeconds" | "replaceBackup" | "confirm" | "onWaiting"> {
  attempt: Attempt;
}

/** The outcome of new shares that holders bring. `not accepted` proves nothing: a holder may have brought a wrong share. */
export type Outcome = "open" | "unknown" | "not accepted" | "dead" | "live";

/** The result of submitting the current shares, which the commit receives. */
export interface Submission {
  attempt: Attempt;
  /** The nonce of the current attempt. The first one may have been lost. */
  nonce?: string;
  nonces: string[];
  /** The new shares. */
  candidate?: ShareSet;
  /** The source of the new shares. Those from a backup may already be valid without verification. */
  source?: "reply" | "backup";
  /** Sets whose outcome is unknown: they may be valid. */
  kept: ShareSet[];
  /** Digests of the shares that were submitted to this attempt. */
  submitted: string[];
  /** Digests of shares that do not belong to the candidate: submitted for it, or brought before it existed. */
  excluded: string[];
  /** Nonces of the kept sets that this attempt rejected. */
  refused: string[];
  /** True if an attempt of this rekey may have left a backup. */
  hadBackup: boolean;
  /** The ciphertext of the backups that this rekey overwrote. */
  replacedBackups: RekeyBackup[];
  /** The outcome of encrypted new shares. The commit decides about the others, which the state has. */
  outcome: Outcome;
  /** Digests of the new shares that this rekey gave to the verification, or to the probe, with this nonce. */
  given?: { nonce: string; digests: string[] };
  /** Digests of the new shares whose holders confirmed them. */
  confirmed: string[];
  /** The length of a new share in bytes, if it is known. */
  shareLength?: number;
  /** True if only the claim of holders shows that the accepted shares are the new ones. */
  isClaimed?: boolean;
  progress: RekeyProgress;
  /** The entries of this step and of the one before. */
  record: RekeyRecordEntry[];
}

export interface SharesState {
  submission: Submission;
}

export type LastShares = Partial<SharesInputs & SharesState> & OutcomeUnknown;

/** One run. Its progress is in `state`, which only `remember` changes, and which is saved however the run ends. */
export interface SharesRun extends StepRun {
  inputs: SharesInputs;
  readonly state: SharesState;
}

/** True while new shares, encrypted to their holders, are neither valid nor given up. */
export const isForHolders = ({ candidate, outcome }: Submission): boolean =>
  candidate !== undefined && candidate.encrypted.length > 0 && outcome !== "live";

/** True for new shares of holders that may be valid. */
export const isUnknown = ({ outcome }: Submission): boolean => outcome === "unknown" || outcome === "not accepted";

/** True while the next run has something to do. */
export const isPending = (submission: Submission): boolean => !submission.candidate || isForHolders(submission);

export function remember({ state }: SharesRun, changes: Partial<Submission>): void {
  state.submission = { ...state.submission, ...changes };
}

/** From then on, the attempt with this nonce is the rekey's own. */
export const rememberNonce = (run: SharesRun, nonce: string): void =>
  remember(run, { nonces: withNonce(run.state.submission.nonces, nonce) });

/** Saves what was submitted or verified before an error, so that no run does it again. */
export const saveProgress =
  (run: SharesRun) =>
  (error: unknown): never => {
    const { submitted, given } = run.state.submission;
    if (error instanceof PartialState || !(error instanceof StewardError) || (submitted.length === 0 && !given)) throw error;
    throw new PartialState({ ...run.state, outcomeUnknown: true }, error.details);
  };
