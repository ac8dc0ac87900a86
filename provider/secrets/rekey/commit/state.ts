import { OutcomeUnknown } from "../../../contract/definition";
import { RekeyInputs, StepInputs } from "../inputs";
import { EncryptedShare, ShareSet } from "../protocol/crypto";
import { RekeyRecordEntry } from "../protocol/record";
import { RekeyProgress } from "../protocol/status";
import { Submission } from "../submission/state";

export interface CommitInputs extends StepInputs, Pick<RekeyInputs, "removeBackup"> {
  submission: Submission;
}

export interface CommitState {
  /** The known outcome of the new shares. */
  outcome: "open" | "unknown" | "dead" | "live";
  /** The set known to be valid: the previous one until the candidate is proven. */
  live?: ShareSet;
  /** The set before the valid one, encrypted, if only the holders' claim proves the valid one. */
  previousLive?: ShareSet;
  shares: string[];
  encryptedShares: EncryptedShare[];
  fingerprints: string[];
  progress: RekeyProgress;
  complete: boolean;
  record: RekeyRecordEntry[];
}

export type LastCommit = Partial<CommitInputs & CommitState> & OutcomeUnknown;

/** The outputs show the new shares of holders as soon as they exist, and otherwise the valid ones. */
export function stateOf(
  outcome: CommitState["outcome"],
  live: ShareSet | undefined,
  { candidate, progress }: Submission,
  record: RekeyRecordEntry[],
): CommitState {
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
    record,
  };
}
