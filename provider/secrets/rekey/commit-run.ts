import { Connection } from "../../connection";
import { Doubt } from "../../definition";
import { StewardError } from "../../errors";
import { RekeyInputs } from "./declaration";
import { describeKeys } from "./pgp";
import { EncryptedShare, ShareSet } from "./server";
import { encryptedLine, Share } from "./share";
import { Ours } from "./situation";
import { Attempt, tell, unfinished } from "./steps";

// What the commit of a rekey keeps, and what it says while it cannot go on.

/** @internal */
export interface CommitInputs
  extends Pick<RekeyInputs, "currentShares" | "newShares" | "proof" | "removeBackup" | "onConflict" | "discardShares" | "connection"> {
  attempt: Attempt;
  nonces: string[];
  candidate: ShareSet;
  source: "reply" | "backup";
  kept: ShareSet[];
  foreign: string[];
  hadBackup: boolean;
}

/** @internal */
export interface CommitState {
  /** What is known of the candidate. */
  outcome: "open" | "unknown" | "dead" | "live";
  /** Shares that holders have brought, decrypted: base64, and where they stood in newShares. */
  gathered: Gathered[];
  /** The set that opens the service, as far as we know: the former one until the candidate is proven. */
  live?: ShareSet;
  /** The set before the live one, encrypted, where holders' word is the proof of the live one. */
  former?: ShareSet;
  shares: string[];
  encryptedShares: EncryptedShare[];
  fingerprints: string[];
  complete: boolean;
  /** When the live set was first known to be live, as an instance: they sort by time. */
  since?: string;
}

/** @internal */
export interface Gathered {
  label: string;
  share: string;
}

/** @internal */
export type Last = Partial<CommitInputs & CommitState> & Doubt;

/** One run: `state` is what is saved, however it ends. @internal */
export interface Run {
  connection: Connection;
  inputs: CommitInputs;
  ours: Ours;
  state: CommitState;
  /** The candidate's shares that are at hand in clear text. */
  shares: Share[];
  /** Of newShares, what is not at hand. */
  missing: string[];
}

/** @internal */
export const stateOf = (outcome: CommitState["outcome"], live: ShareSet | undefined, gathered: Gathered[]): CommitState => ({
  outcome,
  gathered,
  ...(live ? { live } : {}),
  shares: live?.shares ?? [],
  encryptedShares: live?.encrypted ?? [],
  fingerprints: (live?.encrypted ?? []).map(({ fingerprint }) => fingerprint),
  complete: outcome === "live",
});

/** The status is the same after a commit, a seal, a failover and a cancel: nothing is begun before the next run has asked the service itself. @internal */
export function noteUnknown(run: Run, reason: string): StewardError {
  run.state = stateOf("unknown", run.state.live, run.state.gathered);
  return unfinished(
    run,
    `${reason}: whether the new shares are live is not known yet: keep the former shares, beside the new ones that the state holds`,
    `Run \`pulumi up\` again: it asks the service which of them opens it${run.inputs.candidate.encrypted.length > 0 ? ", with the decrypted new shares of a threshold of holders as newShares" : ""}.`,
  );
}

/** Holders need their new shares now: without a backup there is no other place to have them from. @internal */
export async function waitForShares(run: Run, reason: string): Promise<StewardError> {
  const { attempt, candidate } = run.inputs;
  const { encrypted } = candidate;
  for (const { fingerprint, share } of encrypted) tell(run.connection, encryptedLine(fingerprint, share));
  return unfinished(
    run,
    reason,
    `Their holders (${await describeKeys(attempt.parameters.pgpKeys)}) decrypt theirs, with \`pulumi-steward rekey decrypt\`, \`gpg\` or secrets.decryptShare, and bring them as newShares; those brought in earlier runs are kept.`,
  );
}
