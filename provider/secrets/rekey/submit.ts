import { setTimeout as sleep } from "node:timers/promises";
import { Operation } from "../../connection";
import { StewardError } from "../../errors";
import { isInactiveNode } from "../../http/failure";
import { dialectOf } from "../client";
import { getBackup, mayReturnNoShares, submitShare, waitAfter429, wasNotCounted } from "./api";
import { flawOf } from "./candidate";
import { redacting, Share, shareDigest, shareOf } from "./crypto";
import { cancelOwnAttempt, log, newAttempt, observe, refuseTampered, resolveConflict, warn } from "./protocol";
import { Answer, begin, Command, Event, keptOffers, Offer, step } from "./round";
import { sharesAtHand } from "./share-sources";
import {
  AttemptIdentity,
  isEmpty,
  Observed,
  Parameters,
  RekeyBackup,
  RekeyStatus,
  ShareSet,
  SharesRun,
  SharesState,
  withNonce,
} from "./states";
import { endedByOthers, keptBySeal, noShares, StopId, stopped, unfinished } from "./stops";

// The current shares are submitted, one by one, and the new ones received.

const pollEvery = 2000;

/** Submits the shares one by one, as round.ts says; before each, the attempt is observed. */
export async function submit(run: SharesRun, first: Observed): Promise<SharesState> {
  const { inputs, identity } = run;
  const { submission } = run.state;
  const { waitSeconds = 0 } = inputs;
  const { shares: own, missing } = sharesAtHand(inputs.currentShares, "currentShares");
  // A share supplied before the new shares exist cannot be one of them. Parse these now, so that nothing can fail after the last submission.
  const { shares: priorShares } = sharesAtHand(inputs.newShares ?? [], "newShares");
  const offers: [Offer, ...Offer[]] = [{ shares: own }, ...keptOffers(submission.kept, submission.refused, first.status.required)];
  // The server may echo a share in any response from here on.
  run.operation = redacting(run.operation, offers);
  const { operation } = run;
  const until = Date.now() + waitSeconds * 1000;
  const seen = (observed: Observed): Event => ({ kind: "observed", observed, waits: Date.now() < until });
  const context = {
    nonce: identity.nonce as string,
    refusesRepeatedShares: dialectOf(operation).refusesRepeatedShares,
    waitSeconds,
    missing,
    kept: submission.kept,
    hasBackup: identity.parameters.backup,
  };
  let round = begin(context, offers, submission);
  let event = seen(first);
  for (;;) {
    const next = step(round, event);
    const { command } = next;
    round = next.round;
    // Saved even if the run fails.
    submission.submitted = [...round.submitted];
    submission.refused = [...round.refused];
    for (const line of next.lines) log(operation, line);
    switch (command.do) {
      case "observe":
        event = seen(await observe(operation, identity));
        break;
      case "wait":
        await sleep(Math.max(0, Math.min(pollEvery, until - Date.now())));
        event = seen(await observe(operation, identity));
        break;
      case "submit": {
        const { share, status } = command;
        await protectBackup(run);
        const answer = await submitOne(operation, identity, share, status);
        if (answer.kind === "counted" || answer.kind === "complete") submission.nonces = withNonce(submission.nonces, status.nonce);
        event = { kind: "answered", answer, status };
        break;
      }
      case "receive":
        return receive(run, command, priorShares);
      case "recover":
        return recover(run, command.observed);
      case "attempt lost":
        throw attemptLost(run, command.observed);
      case "start over":
        return startOver(run, command.status);
      case "count unknown":
        return countUnknown(run, command.status, command.error);
      case "stop":
        throw unfinished(run, command.id, command.reason, command.hint);
    }
  }
}

/** Submits one share. After any response but a success, the server's count shows whether the share was counted. */
async function submitOne(operation: Operation, identity: AttemptIdentity, share: Share, before: RekeyStatus): Promise<Answer> {
  try {
    const { set } = await submitShare(operation, { nonce: before.nonce, share: share.text }, identity.parameters);
    return set ? { kind: "complete", set } : { kind: "counted" };
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    if (wasNotCounted(error)) {
      await waitAfter429(operation, error);
      return { kind: "rate limited" };
    }
    const answered = error.status !== undefined && error.status >= 400;
    const { server, status } = await observe(operation, identity);
    if (server !== "collecting") return { kind: "unknown", status, error };
    if (status.progress === before.progress + 1) return { kind: "counted" };
    if (isInactiveNode(error) && dialectOf(operation).refusesRepeatedShares) {
      await waitAfter429(operation, error);
      return { kind: "rate limited" };
    }
    const { reason } = error.details;
    if (status.progress === 0 && (before.progress > 0 || (before.required === 1 && answered))) return { kind: "all refused", reason };
    return answered && error.status === 400 ? { kind: "share refused", reason } : { kind: "unknown", status, error };
  }
}

type Received = Extract<Command, { do: "receive" }>;

/** Stores the new shares after the last current share is accepted. */
async function receive(run: SharesRun, received: Received, priorShares: Share[]): Promise<SharesState> {
  const { set, status } = received;
  if (isEmpty(set) && !run.identity.parameters.verification) return withoutShares(run, received);
  await assertUsable(run, set);
  log(run.operation, `${status.required} of ${status.required} current shares submitted`);
  return accepted(run, received, priorShares);
}

/** Cancels the attempt of a set that may not become the candidate, and starts another. Without verification the set is live, and is kept. */
async function assertUsable(run: SharesRun, set: ShareSet): Promise<void> {
  const { operation, identity } = run;
  const flaw = await flawOf(set, identity.parameters);
  if (!flaw) return;
  const { id, reason } = flaw;
  if (!identity.parameters.verification)
    return warn(operation, `${reason}. The new shares may be live: keep the service unsealed, and change triggers to make others`);
  log(operation, reason);
  const { status } = await observe(operation, identity);
  if (status.nonce === set.nonce) await endAttempt(run, status);
  return restart(run, id, `${reason}. The provider canceled the attempt and started a new one`);
}

/** The accepted set is the live one, so every kept set that cannot be it is dead. */
function accepted(
  { operation, state: { submission }, identity }: SharesRun,
  { set, share, offer: { set: used }, status: { required } }: Received,
  priorShares: Share[],
): SharesState {
  if (!isEmpty(set))
    log(
      operation,
      identity.parameters.verification ? "the new shares are made; nothing is committed yet" : "the new shares are made and live",
    );
  const digestOf = (each: Share): string => shareDigest(set.nonce, each);
  const submitted = [...submission.submitted, digestOf(share)];
  const excluded = [...submitted, ...priorShares.map(digestOf)];
  // The shares of an encrypted set are unknown, so any of them may have been submitted.
  const mayBeAccepted = ({ threshold, shares }: ShareSet): boolean => {
    const digests = shares.map((text) => digestOf(shareOf(text, "")));
    return threshold === required && (shares.length === 0 || submitted.every((digest) => digests.includes(digest)));
  };
  const kept = used ? [used] : submission.kept.filter(mayBeAccepted);
  return { submission: { ...submission, candidate: set, source: "reply", kept, excluded } };
}

/** The key was rotated but no shares were returned. Record this so that the next run does not rotate again. */
async function withoutShares(run: SharesRun, received: Received): Promise<SharesState> {
  const found = await fromBackup(run);
  if (found) return found;
  const state = accepted(run, received, []);
  if (!mayReturnNoShares(run.operation, run.identity.parameters))
    throw unfinished({ state }, "no-shares-returned", noShares.reason, noShares.hint);
  warn(run.operation, keptBySeal);
  return state;
}

/** Checks for another rekey's backup before a share is submitted, since the last share overwrites it. Any share may be the last one, as others submit too. */
async function protectBackup(run: SharesRun): Promise<void> {
  const { operation, inputs, identity } = run;
  const { submission } = run.state;
  if (!identity.parameters.backup) return;
  const backup = await getBackup(operation);
  if (!backup || submission.nonces.includes(backup.nonce)) return;
  if (!inputs.replaceBackup)
    throw stopped(
      "foreign-backup",
      `the service keeps a backup of another rekey, ${backup.nonce}, which this rekey would overwrite`,
      `Fetch it with \`pulumi-steward rekey backup\`, and remove it with \`pulumi-steward rekey backup --delete --nonce ${backup.nonce}\`. Or set replaceBackup: true, which keeps its ciphertext in the state.`,
    );
  if (submission.replacedBackup?.nonce === backup.nonce) return;
  submission.replacedBackup = backup;
  throw unfinished(
    run,
    "backup-saved",
    `the service keeps a backup of another rekey, ${backup.nonce}; its ciphertext is saved in the state now, before this rekey overwrites it`,
    "Run `pulumi up` again to continue.",
  );
}

function attemptLost(run: SharesRun, { server, status }: Observed): StewardError {
  if (server === "tampered") return refuseTampered({ server, status });
  const { verification } = run.identity.parameters;
  return unfinished(
    run,
    server === "none" ? "attempt-lost" : "attempt-replaced",
    server === "none" ? `the attempt is gone: ${endedByOthers}` : `the attempt is gone, and another one is in progress, ${status.nonce}`,
    verification
      ? "The provider committed nothing. Run `pulumi up` again: it continues from the status of the service."
      : "Without verification the last share commits, so the new keys may be live. Run `pulumi up` again: it reads them from the backup, if there is one.",
  );
}

/** Cancels the attempt. One that this rekey neither started nor submitted a share to is another client's. */
async function endAttempt({ operation, inputs, state: { submission } }: SharesRun, status: RekeyStatus): Promise<void> {
  if (submission.nonces.includes(status.nonce)) await cancelOwnAttempt(operation, status);
  else await resolveConflict(operation, { server: "foreign", status }, inputs.onConflict, false);
}

/** Cancels an attempt whose shares cannot be combined, and starts a new one. */
async function startOver(run: SharesRun, status: RekeyStatus): Promise<never> {
  await endAttempt(run, status);
  const { progress } = status;
  const keepsOthers = run.state.submission.kept.some(({ shares }) => shares.length > 0);
  const others = keepsOthers ? " To submit those of an earlier rekey that the state keeps, and no others, set currentShares: []." : "";
  const why = `the ${progress} current shares submitted cannot be combined, so at least one of them is wrong. The provider canceled the attempt and started a new one`;
  return restart(run, "shares-not-combined", why, `Correct currentShares and run \`pulumi up\` again.${others}`);
}

/** Neither the response nor the count shows whether the share was counted. */
async function countUnknown(run: SharesRun, status: RekeyStatus, error: StewardError): Promise<never> {
  const { operation, identity, state } = run;
  if (status.nonce !== identity.nonce || dialectOf(operation).refusesRepeatedShares)
    throw unfinished(
      run,
      "share-count-unknown",
      `${error.details.reason}; it is unknown whether the share was counted`,
      "Run `pulumi up` again: it continues from the status of the service.",
    );
  if (status.progress > state.submission.submitted.length)
    throw unfinished(
      run,
      "share-count-unknown-with-others",
      `${error.details.reason}; it is unknown whether the share was counted, and other holders have submitted shares to the attempt ${status.nonce}`,
      'To start over, set onConflict: "cancel" and change triggers, and ask the other holders to submit their shares again.',
    );
  await cancelOwnAttempt(operation, status);
  const why = `the provider could not tell whether the share was counted (${error.details.reason}), so it canceled the attempt and started a new one`;
  return restart(run, "share-count-unknown-restarted", why);
}

/** The nonce of another attempt: saved before a share is submitted to it. */
export function restarted(
  run: SharesRun,
  id: StopId,
  nonce: string,
  reason: string,
  hint = "Run `pulumi up` again to submit the current shares.",
): StewardError {
  run.state = { submission: { ...run.state.submission, nonce, submitted: [] } };
  return unfinished(run, id, `${reason}. The nonce ${nonce} is saved`, hint);
}

export async function restart(run: SharesRun, id: StopId, why: string, hint?: string): Promise<never> {
  const { submission } = run.state;
  const { nonce, nonces } = await newAttempt(run.operation, { ...run.identity, nonces: submission.nonces });
  submission.nonces = nonces;
  const committed = run.identity.parameters.verification
    ? "Nothing was committed"
    : "Without verification, the previous attempt may have been committed";
  throw restarted(run, id, nonce, `${why}. ${committed}`, hint);
}

/** The encrypted shares in a backup of this rekey, in the order of the keys. */
function candidateIn(backup: RekeyBackup | undefined, nonce: string, { threshold, fingerprints }: Parameters): ShareSet | undefined {
  if (backup?.nonce !== nonce) return undefined;
  const encrypted = fingerprints.map((fingerprint) => ({ fingerprint, share: backup.keys[fingerprint]?.[0] }));
  const complete = encrypted.filter((each): each is { fingerprint: string; share: string } => each.share !== undefined);
  return complete.length === fingerprints.length ? { nonce, threshold, shares: [], encrypted: complete } : undefined;
}

/** The new shares of this attempt, if the backup has them. */
export async function fromBackup(run: SharesRun): Promise<SharesState | undefined> {
  const { operation, state } = run;
  const { parameters, nonce } = run.identity;
  if (!parameters.backup || !nonce) return undefined;
  const candidate = candidateIn(await getBackup(operation), nonce, parameters);
  if (!candidate) return undefined;
  await assertUsable(run, candidate);
  const { submission } = state;
  log(operation, "the response with the new shares went to another holder, or was lost: took them from the backup");
  const kept = submission.kept.filter((set) => set.nonce !== nonce);
  return { submission: { ...submission, candidate, source: "backup", excluded: submission.submitted, kept } };
}

/** Recovers the new shares from the backup, or restarts: the response with them was lost. */
export async function recover(run: SharesRun, { status }: Observed): Promise<SharesState> {
  const found = await fromBackup(run);
  if (found) return found;
  await endAttempt(run, status);
  return restart(
    run,
    "new-shares-lost",
    "the response with the new shares is missing, so the provider canceled the attempt and started a new one",
  );
}
