import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "../../connection";
import { StewardError } from "../../errors";
import { dialectOf } from "../client";
import { getBackup, mayReturnNoShares, submitShare, waitAfter429, wasNotCounted } from "./api";
import { redacting, Share, shareDigest } from "./crypto";
import { sharesAtHand } from "./inputs";
import { cancelOurs, log, newAttempt, observe, refuseTampered, warn } from "./protocol";
import { Answer, begin, Command, Event, keptOffers, Offer, step } from "./round";
import { isEmpty, isWhole, Observed, Ours, Parameters, RekeyBackup, RekeyStatus, ShareSet, SharesRun, SharesState } from "./states";
import { keptBySeal, noShares, StopId, stopped, unfinished } from "./stops";

// The current shares are submitted, one by one, and the new ones received.

const pollEvery = 2000;

/** Submits the shares one by one, as round.ts says; before each, the attempt is observed. @internal */
export async function submit(run: SharesRun, first: Observed): Promise<SharesState> {
  const { inputs, ours } = run;
  const { submission } = run.state;
  const { waitSeconds = 0 } = inputs;
  const { shares: own, missing } = sharesAtHand(inputs.currentShares, "currentShares");
  // A share that is at hand before the new ones are made is not one of them. Read them now: after the last submission no error may occur.
  const { shares: early } = sharesAtHand(inputs.newShares ?? [], "newShares");
  const offers: [Offer, ...Offer[]] = [{ shares: own }, ...keptOffers(submission.kept, submission.refused, first.status.required)];
  // The server may echo a share in any response from here on.
  run.connection = redacting(run.connection, offers);
  const { connection } = run;
  const until = Date.now() + waitSeconds * 1000;
  const seen = (observed: Observed): Event => ({ kind: "observed", observed, waits: Date.now() < until });
  const about = {
    nonce: ours.nonce as string,
    refusesRepeatedShares: dialectOf(connection).refusesRepeatedShares,
    waitSeconds,
    missing,
    kept: submission.kept,
    hasBackup: ours.parameters.backup,
  };
  let round = begin(about, offers, submission);
  let event = seen(first);
  for (;;) {
    const next = step(round, event);
    const { command } = next;
    round = next.round;
    // Saved however the run ends.
    submission.submitted = [...round.submitted];
    submission.refused = [...round.refused];
    for (const line of next.lines) log(connection, line);
    switch (command.do) {
      case "observe":
        event = seen(await observe(connection, ours));
        break;
      case "wait":
        await sleep(Math.max(0, Math.min(pollEvery, until - Date.now())));
        event = seen(await observe(connection, ours));
        break;
      case "submit":
        await protectBackup(run);
        event = { kind: "answered", answer: await submitOne(connection, ours, command.share, command.status), status: command.status };
        break;
      case "receive":
        return receive(run, command, early);
      case "recover":
        return recover(run, command.observed);
      case "attempt lost":
        throw attemptLost(run, command.observed);
      case "count unknown":
        return countUnknown(run, command.status, command.error);
      case "stop":
        throw unfinished(run, command.id, command.reason, command.hint);
    }
  }
}

/** Submits one share. After any response but a success, the server's count tells if it counted. */
async function submitOne(connection: Connection, ours: Ours, share: Share, before: RekeyStatus): Promise<Answer> {
  try {
    const { set } = await submitShare(connection, { nonce: before.nonce, share: share.text }, ours.parameters);
    return set ? { kind: "complete", set } : { kind: "counted" };
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    if (error.status === 429) {
      await waitAfter429(connection, error);
      return { kind: "rate limited" };
    }
    if (wasNotCounted(error)) throw error;
    const answered = error.status !== undefined && error.status >= 400;
    const { server, status } = await observe(connection, ours);
    if (server !== "collecting") return { kind: "unknown", status, error };
    if (status.progress === before.progress + 1) return { kind: "counted" };
    const { reason } = error.details;
    if (status.progress === 0 && (before.progress > 0 || (before.required === 1 && answered))) return { kind: "all refused", reason };
    return answered && error.status === 400 ? { kind: "share refused", reason } : { kind: "unknown", status, error };
  }
}

type Received = Extract<Command, { do: "receive" }>;

/** The last share was accepted. */
async function receive(run: SharesRun, received: Received, early: Share[]): Promise<SharesState> {
  const { set, status } = received;
  const { parameters } = run.ours;
  if (parameters.verification && !isWhole(set, parameters)) throw await refuseParts(run, status, set);
  if (isEmpty(set)) return withoutShares(run, received);
  log(run.connection, `${status.required} of ${status.required} current shares given`);
  return accepted(run, received, early);
}

async function refuseParts(run: SharesRun, status: RekeyStatus, set: ShareSet): Promise<StewardError> {
  await cancelOurs(run.connection, status);
  return unfinished(
    run,
    "new-shares-incomplete",
    `the service answered with ${set.shares.length + set.encrypted.length} new shares where ${run.ours.parameters.shares} were asked for, or with those of other holders; nothing was committed, and our attempt was cancelled`,
    "Find out what stands between, and run `pulumi up` again to begin anew.",
  );
}

/** The accepted set is the live one, so every other kept set is dead. */
function accepted(
  { connection, state: { submission }, ours }: SharesRun,
  { set, share, offer: { set: used } }: Received,
  early: Share[],
): SharesState {
  if (!isEmpty(set))
    log(
      connection,
      ours.parameters.verification ? "the new shares are made; nothing is committed yet" : "the new shares are made and live",
    );
  const excluded = [...submission.submitted, ...[share, ...early].map((each) => shareDigest(set.nonce, each))];
  return { submission: { ...submission, candidate: set, source: "reply", kept: used ? [used] : [], excluded } };
}

/** The key is rotated, and no share came back. The state says so in any case: the next run must not rotate the key again. */
async function withoutShares(run: SharesRun, received: Received): Promise<SharesState> {
  const found = await fromBackup(run);
  if (found) return found;
  const state = accepted(run, received, []);
  if (!mayReturnNoShares(run.connection, run.ours.parameters))
    throw unfinished({ state }, "no-shares-returned", noShares.reason, noShares.hint);
  warn(run.connection, keptBySeal);
  return state;
}

/** The last share overwrites the backup. Other holders submit too, so any share may be the last one. */
async function protectBackup(run: SharesRun): Promise<void> {
  const { connection, inputs, ours } = run;
  const { submission } = run.state;
  if (!ours.parameters.backup) return;
  const backup = await getBackup(connection);
  if (!backup || submission.nonces.includes(backup.nonce)) return;
  if (!inputs.replaceBackup)
    throw stopped(
      "foreign-backup",
      `the service keeps a backup of another rekey, ${backup.nonce}, which ours would overwrite`,
      `Fetch it with \`pulumi-steward rekey backup\`, and remove it with \`pulumi-steward rekey backup --delete --nonce ${backup.nonce}\`; or set replaceBackup: true, which keeps what it holds, ciphertext, in the state.`,
    );
  if (submission.replacedBackup?.nonce === backup.nonce) return;
  submission.replacedBackup = backup;
  throw unfinished(
    run,
    "backup-saved",
    `the service keeps a backup of another rekey, ${backup.nonce}; what it holds, ciphertext, is saved in the state now, before ours overwrites it`,
    "Run `pulumi up` again to go on.",
  );
}

function attemptLost(run: SharesRun, { server, status }: Observed): StewardError {
  if (server === "tampered") return refuseTampered({ server, status });
  const { verification } = run.ours.parameters;
  return unfinished(
    run,
    server === "none" ? "attempt-lost" : "attempt-replaced",
    server === "none"
      ? "our attempt is gone: the service was sealed, failed over, or somebody cancelled it"
      : `our attempt is gone, and another one runs, ${status.nonce}`,
    verification
      ? "Nothing was committed by us: run `pulumi up` again, which goes on from what the server shows."
      : "Without verification the last share commits, so the new keys may be live: run `pulumi up` again, which looks for them in the backup where there is one.",
  );
}

/** Neither the response nor the count tells if the share counted. */
async function countUnknown(run: SharesRun, status: RekeyStatus, error: StewardError): Promise<never> {
  const { connection, ours, state } = run;
  if (status.nonce !== ours.nonce || dialectOf(connection).refusesRepeatedShares)
    throw unfinished(
      run,
      "share-count-unknown",
      `${error.details.reason}, and whether the share counted is not known`,
      "Run `pulumi up` again: it goes on from what the server shows.",
    );
  if (status.progress > state.submission.submitted.length)
    throw unfinished(
      run,
      "share-count-unknown-with-others",
      `${error.details.reason}, whether the share counted is not known, and other holders have given shares to the attempt ${status.nonce}`,
      'Ask them to begin again, and cancel it: with onConflict: "cancel" and a change of triggers.',
    );
  await cancelOurs(connection, status);
  const why = `whether a share counted was not known (${error.details.reason}), so the attempt was cancelled`;
  return restart(run, "share-count-unknown-restarted", why);
}

/** The nonce of another attempt: saved before a share is given to it. @internal */
export function restarted(run: SharesRun, id: StopId, nonce: string, reason: string): StewardError {
  const { submission } = run.state;
  run.state = { submission: { ...submission, nonce, nonces: [...new Set([...submission.nonces, nonce])], submitted: [] } };
  return unfinished(run, id, `${reason}, and its nonce ${nonce} is saved now`, "Run `pulumi up` again to give it the current shares.");
}

/** @internal */
export async function restart(run: SharesRun, id: StopId, why: string): Promise<never> {
  const { nonce } = await newAttempt(run.connection, run.ours);
  const committed = run.ours.parameters.verification
    ? "nothing was committed"
    : "without verification nobody can tell whether it was committed";
  throw restarted(run, id, nonce, `${why}, ${committed}, and a new one was started`);
}

/** The encrypted shares of an attempt of ours, as the service keeps them; in the order of the keys. */
function candidateIn(backup: RekeyBackup | undefined, nonce: string, { threshold, fingerprints }: Parameters): ShareSet | undefined {
  if (backup?.nonce !== nonce) return undefined;
  const encrypted = fingerprints.map((fingerprint) => ({ fingerprint, share: backup.keys[fingerprint]?.[0] }));
  const complete = encrypted.filter((each): each is { fingerprint: string; share: string } => each.share !== undefined);
  return complete.length === fingerprints.length ? { nonce, threshold, shares: [], encrypted: complete } : undefined;
}

/** The new shares of our attempt, where the backup has them. @internal */
export async function fromBackup({ connection, ours, state: { submission } }: SharesRun): Promise<SharesState | undefined> {
  const { parameters, nonce } = ours;
  if (!parameters.backup || !nonce) return undefined;
  const candidate = candidateIn(await getBackup(connection), nonce, parameters);
  if (!candidate) return undefined;
  log(
    connection,
    "the reply with the new shares did not come here, but to whoever gave the last share, or was lost: took them from the backup",
  );
  const kept = submission.kept.filter((set) => set.nonce !== nonce);
  return { submission: { ...submission, candidate, source: "backup", excluded: submission.submitted, kept } };
}

/** The last share was accepted, and its reply was lost. @internal */
export async function recover(run: SharesRun, { status }: Observed): Promise<SharesState> {
  const found = await fromBackup(run);
  if (found) return found;
  await cancelOurs(run.connection, status);
  const { nonce } = await newAttempt(run.connection, run.ours);
  throw restarted(
    run,
    "new-shares-lost",
    nonce,
    "the reply with the new shares of our attempt did not come here; nothing was committed, it was cancelled, and a new one was started",
  );
}
