import { OutcomeUnknown } from "../../../contract/definition";
import { RekeyInputs, StepInputs } from "../inputs";
import { EncryptedShare, Share, ShareSet } from "../protocol/crypto";
import { StepRun } from "../protocol/rows";
import { RekeyProgress, Submission } from "../submission/state";

export interface CommitInputs extends StepInputs, Pick<RekeyInputs, "removeBackup"> {
  submission: Submission;
}

export interface CommitState {
  /** The known outcome of the new shares. */
  outcome: "open" | "unknown" | "dead" | "live";
  /** The set known to be valid: the previous one until the candidate is proven. */
  live?: ShareSet;
  /** The set before the live one, encrypted, if only the holders' claim proves the live one. */
  previousLive?: ShareSet;
  shares: string[];
  encryptedShares: EncryptedShare[];
  fingerprints: string[];
  progress: RekeyProgress;
  complete: boolean;
}

export type LastCommit = Partial<CommitInputs & CommitState> & OutcomeUnknown;

/** One run. Its progress is in `state`, which is saved however the run ends. */
export interface CommitRun extends StepRun {
  inputs: CommitInputs;
  candidate: ShareSet;
  state: CommitState;
  /** The shares of the candidate, unless only their holders have them. */
  shares: Share[];
}

/** The outputs show the new shares of holders as soon as they exist, and otherwise the live ones. */
export function stateOf(outcome: CommitState["outcome"], live: ShareSet | undefined, { candidate, progress }: Submission): CommitState {
  const encryptedShares = candidate && candidate.encrypted.length > 0 ? candidate.encrypted : (live?.encrypted ?? []);
  const { threshold: count = 0 } = candidate ?? {};
  return {
    outcome,
    ...(live ? { live } : {}),
    shares: live?.shares ?? [],
    encryptedShares,
    fingerprints: encryptedShares.map(({ fingerprint }) => fingerprint),
    progress: outcome === "live" ? { phase: "complete", count, required: count } : progress,
    complete: outcome === "live",
  };
}
