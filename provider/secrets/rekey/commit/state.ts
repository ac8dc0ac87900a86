import { OutcomeUnknown } from "../../../contract/definition";
import { newInstance } from "../../../contract/operation";
import { RekeyInputs, StepInputs } from "../inputs";
import { EncryptedShare, Share, ShareSet } from "../protocol/crypto";
import { StepRun } from "../protocol/rows";
import { Submission } from "../shares/state";

export interface CommitInputs extends StepInputs, Pick<RekeyInputs, "proof" | "removeBackup"> {
  submission: Submission & { candidate: ShareSet };
}

export interface CommitState {
  /** The known outcome of the candidate. */
  outcome: "open" | "unknown" | "dead" | "live";
  /** The decrypted shares that holders have brought. */
  gathered: Gathered[];
  /** The set known to be valid: the previous one until the candidate is proven. */
  live?: ShareSet;
  /** The set before the live one, encrypted, if only the holders' claim proves the live one. */
  previousLive?: ShareSet;
  shares: string[];
  encryptedShares: EncryptedShare[];
  fingerprints: string[];
  complete: boolean;
  /** The time at which the live set was first known to be live, as an instance id, which sorts by time. */
  since?: string;
}

export interface Gathered {
  label: string;
  share: string;
}

export type LastCommit = Partial<CommitInputs & CommitState> & OutcomeUnknown;

/** One run. Its progress is in `state`, which is saved however the run ends. */
export interface CommitRun extends StepRun {
  inputs: CommitInputs;
  state: CommitState;
  /** The candidate's shares that are available in plaintext. */
  shares: Share[];
  /** The references in newShares that are not available. */
  missing: string[];
}

export const stateOf = (outcome: CommitState["outcome"], live: ShareSet | undefined, gathered: Gathered[]): CommitState => ({
  outcome,
  gathered,
  ...(live ? { live } : {}),
  shares: live?.shares ?? [],
  encryptedShares: live?.encrypted ?? [],
  fingerprints: (live?.encrypted ?? []).map(({ fingerprint }) => fingerprint),
  complete: outcome === "live",
  ...(outcome === "live" ? { since: newInstance() } : {}),
});
