import { Connection } from "../../connection";
import { Doubt } from "../../definition";
import { StewardError } from "../../errors";
import { RekeyInputs } from "./declaration";
import { getBackup, Parameters, RekeyBackup, ShareSet } from "./server";
import { Ours, Situation } from "./situation";
import { Attempt, cancelOurs, newAttempt, tell, unfinished } from "./steps";

// What the shares of a rekey keep, and how their attempt begins anew.

/** @internal */
export interface SharesInputs
  extends Pick<
    RekeyInputs,
    "currentShares" | "newShares" | "waitSeconds" | "replaceBackup" | "onConflict" | "discardShares" | "connection"
  > {
  attempt: Attempt;
}

/** @internal */
export interface SharesState {
  /** Of the attempt at work: the first one may have been lost. */
  nonce?: string;
  nonces: string[];
  /** The new shares. */
  candidate?: ShareSet;
  /** "backup": they come from there, and without verification may be live already. */
  source?: "reply" | "backup";
  /** Sets of which it is not settled whether they are live: they may be what opens the service. */
  kept: ShareSet[];
  /** Marks of the shares given to this attempt. */
  given: string[];
  /** Marks of shares that are none of the candidate's: given for it, or brought before anybody could know it. */
  foreign: string[];
  /** Kept sets that were given to this attempt, and refused. */
  refused: string[];
  /** Whether an attempt of ours has ever left a backup. */
  hadBackup: boolean;
  /** What ours has overwritten: ciphertext. */
  replacedBackup?: RekeyBackup;
}

/** @internal */
export type Last = Partial<SharesInputs & SharesState> & Doubt;

/** One run. What it has done so far is in `state`, which is saved however the run ends. @internal */
export interface Run {
  connection: Connection;
  inputs: SharesInputs;
  ours: Ours;
  state: SharesState;
}

/** The nonce of another attempt: saved before a share is given to it. @internal */
export function begunAnew(run: Run, nonce: string, reason: string): StewardError {
  run.state = { ...run.state, nonce, nonces: [...new Set([...run.state.nonces, nonce])], given: [] };
  return unfinished(run, `${reason}, and its nonce ${nonce} is saved now`, "Run `pulumi up` again to give it the current shares.");
}

/** @internal */
export async function startAgain(run: Run, why: string): Promise<never> {
  const { nonce } = await newAttempt(run.connection, run.ours);
  const committed = run.ours.parameters.verification
    ? "nothing was committed"
    : "without verification nobody can tell whether it was committed";
  throw begunAnew(run, nonce, `${why}, ${committed}, and a new one was started`);
}

/** The encrypted shares of an attempt of ours, as the service keeps them; in the order of the keys. */
function candidateIn(backup: RekeyBackup | undefined, nonce: string, { threshold, fingerprints }: Parameters): ShareSet | undefined {
  if (backup?.nonce !== nonce) return undefined;
  const encrypted = fingerprints.map((fingerprint) => ({ fingerprint, share: backup.keys[fingerprint]?.[0] }));
  const complete = encrypted.filter((each): each is { fingerprint: string; share: string } => each.share !== undefined);
  return complete.length === fingerprints.length ? { nonce, threshold, shares: [], encrypted: complete } : undefined;
}

/** The new shares of our attempt, where the backup has them. @internal */
export async function fromBackup({ connection, ours, state }: Run): Promise<SharesState | undefined> {
  const { parameters, nonce } = ours;
  if (!parameters.backup || !nonce) return undefined;
  const candidate = candidateIn(await getBackup(connection), nonce, parameters);
  if (!candidate) return undefined;
  tell(
    connection,
    "the reply with the new shares did not come here, but to whoever gave the last share, or was lost: took them from the backup",
  );
  return { ...state, candidate, source: "backup", foreign: state.given, kept: state.kept.filter((set) => set.nonce !== nonce) };
}

/** The last share was accepted, and its reply was lost. @internal */
export async function recover(run: Run, { status }: Situation): Promise<SharesState> {
  const found = await fromBackup(run);
  if (found) return found;
  await cancelOurs(run.connection, status);
  const { nonce } = await newAttempt(run.connection, run.ours);
  throw begunAnew(
    run,
    nonce,
    "the reply with the new shares of our attempt did not come here; nothing was committed, it was cancelled, and a new one was started",
  );
}
