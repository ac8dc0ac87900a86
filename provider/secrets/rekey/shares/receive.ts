import { getBackup, mayReturnNoShares, RekeyBackup, RekeyParameters } from "../protocol/api";
import { flawOf, isEmpty, Share, ShareSet, shareDigest, sharesIn } from "../protocol/crypto";
import { log, warn } from "../protocol/operation";
import { Observed, observe } from "../protocol/server-state";
import { keptBySeal, noShares, unfinished } from "../protocol/stops";
import { remember, SharesRun, SharesState } from "../submission/state";
import { endAttempt, restart } from "./restart";
import { SubmissionRun } from "./run";

// The new shares come in the response to the last current share, or from the backup.

/** Stores the new shares after the server, which required this number of current shares, has accepted the last one. */
export async function receive(run: SubmissionRun, set: ShareSet, share: Share, required: number): Promise<SharesState> {
  const { operation, identity } = run;
  const { verification } = identity.parameters;
  if (isEmpty(set) && !verification) {
    const recovered = await fromBackup(run);
    if (recovered) return recovered;
    // The key was rotated but no shares were returned. Record this so that the next run does not rotate again.
    accept(run, set, share, required);
    if (!mayReturnNoShares(operation, identity.parameters)) throw unfinished(run, "no-shares-returned", noShares);
    warn(operation, keptBySeal);
    return run.state;
  }
  await assertUsable(run, set);
  accept(run, set, share, required);
  log(operation, `${required} of ${required} current shares submitted`);
  log(operation, verification ? "the new shares are generated; nothing is committed yet" : "the new shares are made and valid");
  return run.state;
}

/** The accepted set is the valid one, so every kept set that cannot be it is invalid. */
function accept(run: SubmissionRun, set: ShareSet, share: Share, required: number): void {
  const { submission } = run.state;
  const used = run.batch.set;
  const digest = (each: Share): string => shareDigest(set.nonce, each);
  const submitted = [...submission.submitted, digest(share)];
  const excluded = [...submitted, ...run.priorShares.map(digest)];
  // The shares of an encrypted set are unknown, so any of them may have been submitted.
  const mayBeAccepted = (each: ShareSet): boolean => {
    const digests = sharesIn(each).map(digest);
    return each.threshold === required && (digests.length === 0 || submitted.every((one) => digests.includes(one)));
  };
  const kept = used ? [used] : submission.kept.filter(mayBeAccepted);
  // A set of one has the key itself, and a share of any other has a point as well.
  const shareLength = share.bytes.length - (required > 1 ? 1 : 0) + (set.encrypted.length > 1 ? 1 : 0);
  remember(run, { candidate: set, source: "reply", kept, excluded, shareLength });
}

/**
 * Cancels the attempt of a set that may not become the candidate, and starts a new one. Without verification the set is valid, and is kept.
 */
async function assertUsable(run: SharesRun, set: ShareSet): Promise<void> {
  const { operation, identity } = run;
  const flaw = await flawOf(set, identity.parameters);
  if (!flaw) return;
  const { id, reason } = flaw;
  if (!identity.parameters.verification)
    return warn(
      operation,
      `${reason}. The new shares may be valid: keep ${operation.server.words.service} unsealed, and change triggers to create new ones`,
    );
  log(operation, reason);
  const { status } = await observe(operation, identity);
  if (status.nonce !== set.nonce) return restart(run, id, `${reason}. The attempt is gone, so the provider started a new one`);
  await endAttempt(run, status);
  return restart(run, id, `${reason}. The provider canceled the attempt and started a new one. Nothing was committed`);
}

/** The encrypted shares in a backup of this rekey, in the order of the keys. */
function candidateIn(backup: RekeyBackup | undefined, nonce: string, { threshold, fingerprints }: RekeyParameters): ShareSet | undefined {
  if (backup?.nonce !== nonce) return undefined;
  const encrypted = fingerprints.map((fingerprint) => ({ fingerprint, share: backup.keys[fingerprint]?.[0] }));
  const complete = encrypted.filter((each): each is { fingerprint: string; share: string } => each.share !== undefined);
  return complete.length === fingerprints.length ? { nonce, threshold, shares: [], encrypted: complete } : undefined;
}

/** The new shares of this attempt, if the backup has them. */
export async function fromBackup(run: SharesRun): Promise<SharesState | undefined> {
  const { operation } = run;
  const { parameters, nonce } = run.identity;
  if (!parameters.backup || !nonce) return undefined;
  const candidate = candidateIn(await getBackup(operation), nonce, parameters);
  if (!candidate) return undefined;
  await assertUsable(run, candidate);
  const { submission } = run.state;
  log(operation, "the response with the new shares went to another holder, or was lost: took them from the backup");
  const kept = submission.kept.filter((set) => set.nonce !== nonce);
  remember(run, { candidate, source: "backup", excluded: submission.submitted, kept });
  return run.state;
}

/** Recovers the new shares from the backup, or restarts: the response with them was lost. */
export async function recover(run: SharesRun, { status }: Observed): Promise<SharesState> {
  const state = await fromBackup(run);
  if (state) return state;
  await endAttempt(run, status);
  return restart(
    run,
    "new-shares-lost",
    "the response with the new shares is missing, so the provider canceled the attempt and started a new one. Nothing was committed",
  );
}
