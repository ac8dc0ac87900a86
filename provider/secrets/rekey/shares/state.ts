import { OutcomeUnknown } from "../../../contract/definition";
import { withNonce } from "../attempt/start";
import { Attempt } from "../attempt/state";
import { RekeyInputs, StepInputs } from "../inputs";
import { RekeyBackup } from "../protocol/api";
import { Share, ShareSet } from "../protocol/crypto";
import { StepRun } from "../protocol/rows";

export interface SharesInputs extends StepInputs, Pick<RekeyInputs, "waitSeconds" | "replaceBackup"> {
  attempt: Attempt;
}

/** The result of submitting the current shares, which the commit receives. */
export interface Submission {
  attempt: Attempt;
  /** The nonce of the current attempt. The first one may have been lost. */
  nonce?: string;
  nonces: string[];
  /** The new shares. */
  candidate?: ShareSet;
  /** The source of the new shares. Those from a backup may already be live without verification. */
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
  /** The ciphertext of the backup that this rekey overwrote. */
  replacedBackup?: RekeyBackup;
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

/** A run that submits shares. All of them are resolved, so that nothing can fail after the last submission. */
export interface SubmissionRun extends SharesRun {
  /** Share references that could not be resolved. */
  missing: readonly string[];
  /** The program's newShares. A share supplied before the new shares exist cannot be one of them. */
  priorShares: readonly Share[];
}

export function remember({ state }: SharesRun, changes: Partial<Submission>): void {
  state.submission = { ...state.submission, ...changes };
}

/** From then on, the attempt with this nonce is the rekey's own. */
export const rememberNonce = (run: SharesRun, nonce: string): void =>
  remember(run, { nonces: withNonce(run.state.submission.nonces, nonce) });
