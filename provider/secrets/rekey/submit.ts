import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "../../connection";
import { StewardError } from "../../errors";
import { dialectOf } from "../client";
import { getBackup, mayReturnNoShares, submitShare, waitAfter429, wasNotCounted } from "./api";
import { redacting, Share, shareDigest, shareOf } from "./crypto";
import { sharesAtHand } from "./inputs";
import { cancelOurs, log, newAttempt, observe, warn } from "./protocol";
import { isEmpty, isWhole, Observed, Ours, Parameters, RekeyBackup, RekeyStatus, ShareSet, SharesRun, SharesState } from "./states";
import { keptBySeal, noShares, refuseTampered, stopped, unfinished } from "./stops";

// The current shares are given, one by one.

/** A set of shares to give: what is at hand, or one that the state keeps. */
interface Offer {
  shares: Share[];
  /** Not the program's own. */
  set?: ShareSet;
}

/** Gives the shares one by one; before each, the attempt is looked at. @internal */
export async function submit(run: SharesRun, first: Observed): Promise<SharesState> {
  const { inputs, ours, state } = run;
  const nonce = ours.nonce as string;
  const { shares: own, missing } = sharesAtHand(inputs.currentShares, "currentShares");
  // What is there before the new shares are made is none of them. It is read before anything is given: afterwards nothing may go wrong.
  const { shares: early } = sharesAtHand(inputs.newShares ?? [], "newShares");
  const offers: Offer[] = [{ shares: own }, ...keptOffers(run, first.status.required)];
  // Whatever is sent from here on may be answered with a share in it.
  run.connection = redacting(run.connection, offers);
  const { connection } = run;
  const until = Date.now() + (inputs.waitSeconds ?? 0) * 1000;
  const refusals: string[] = [];
  let offer = offers.shift() as Offer;
  let position = 0;
  let repeated = false;
  let told = 0;
  let hasToldWait = false;
  // How many of those at hand an earlier run has given.
  let before = 0;
  // Of the offer at hand, since the count last began.
  let counted = 0;
  for (let observed: Observed | undefined = first; ; observed = undefined) {
    const { server, status } = observed ?? (await observe(connection, ours));
    if (server === "verifying") return recover(run, { server, status });
    if (server !== "collecting") throw lostMeanwhile(run, { server, status });
    if (status.progress < state.given.length) state.given = [];
    if (told !== status.progress) log(`${status.progress} of ${status.required} current shares given`);
    told = status.progress;

    const waits = Date.now() < until;
    // Who gives the last share gets the new ones: while others are awaited, ours is kept for the end.
    const isKeptForLast = waits && position === offer.shares.length - 1 && status.progress < status.required - 1;
    const share = offer.shares[position];
    if (!share || isKeptForLast) {
      if (!offer.set && waits) {
        if (!hasToldWait) log(waiting(inputs.waitSeconds));
        hasToldWait = true;
        await sleep(Math.max(0, Math.min(pollEvery, until - Date.now())));
        continue;
      }
      // Shares of another set would make what other holders gave worthless.
      const next = status.progress <= counted ? offers.shift() : undefined;
      if (!next) throw tooFew(run, status, before, missing, refusals);
      log("the shares at hand are not enough: trying those of an earlier rekey that the state keeps");
      [offer, position, counted] = [next, 0, 0];
      continue;
    }
    // Where a repeated share is refused without loss, it is given again: the count may have begun anew in between.
    const mark = shareDigest(nonce, share);
    const wasGiven = state.given.includes(mark);
    if (wasGiven && !dialectOf(connection).refusesRepeatedShares) {
      if (!offer.set && counted === before) before++;
      counted++;
      position++;
      continue;
    }
    await protectBackup(run);
    const outcome = await submitOne(connection, ours, share, status);
    const isAlone = counted + 1 >= status.required;
    switch (outcome.kind) {
      case "complete":
        if (ours.parameters.verification && !isWhole(outcome.set, ours.parameters)) throw await refuseParts(run, status, outcome.set);
        if (isEmpty(outcome.set)) return withoutShares(run, outcome.set, share, offer);
        log(`${status.required} of ${status.required} current shares given`);
        return accepted(run, outcome.set, share, early, offer);
      case "counted":
        if (!wasGiven) state.given.push(mark);
        counted++;
        position++;
        repeated = false;
        break;
      case "not taken":
        break;
      case "refused alone":
        if (!wasGiven) refusals.push(`${share.label}: ${outcome.reason}`);
        else if (!offer.set) before++;
        if (wasGiven) counted++;
        position++;
        break;
      case "refused together": {
        state.given = [];
        counted = 0;
        if (offer.set && !isAlone) {
          position = 0;
          break;
        }
        if (offer.set) state.refused.push(offer.set.nonce);
        const next = offers.shift();
        if (!next) throw refusedTogether(run, status, outcome.reason, isAlone);
        log("the shares at hand are not the current ones: trying those of an earlier rekey that the state keeps");
        [offer, position, counted] = [next, 0, 0];
        break;
      }
      case "unknown":
        // The attempt itself tells: it has new shares, or it is gone.
        if (!outcome.status.started || outcome.status.verification) break;
        // The real product refuses a repeated share without loss; of another server nothing is known.
        if (dialectOf(connection).refusesRepeatedShares && !repeated) {
          repeated = true;
          break;
        }
        return cancelUnknown(run, outcome.status, outcome.error);
    }
  }
}

const pollEvery = 2000;

const waiting = (seconds = 0): string =>
  `waiting up to ${seconds} s for other holders to give their shares. The first Ctrl-C does not end the wait. A second one ends it at once, and leaves a pending operation: then run \`pulumi cancel\``;

const keptOffers = ({ state }: SharesRun, required: number): Offer[] =>
  state.kept
    .filter((set) => set.threshold === required && set.shares.length > 0 && !state.refused.includes(set.nonce))
    .map((set) => ({ set, shares: set.shares.slice(0, required).map((share) => shareOf(share, `a share of ${set.nonce}`)) }));

type Given =
  | { kind: "complete"; set: ShareSet }
  | { kind: "counted" }
  | { kind: "not taken" }
  | { kind: "refused alone"; reason: string }
  | { kind: "refused together"; reason: string }
  | { kind: "unknown"; status: RekeyStatus; error: StewardError };

/** Gives one share. Whatever else comes back than a plain yes, the server's own count tells what became of it. */
async function submitOne(connection: Connection, ours: Ours, share: Share, before: RekeyStatus): Promise<Given> {
  try {
    const { set } = await submitShare(connection, { nonce: before.nonce, share: share.text }, ours.parameters);
    return set ? { kind: "complete", set } : { kind: "counted" };
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    if (error.status === 429) {
      await waitAfter429(connection, error);
      return { kind: "not taken" };
    }
    if (wasNotCounted(error)) throw error;
    const answered = error.status !== undefined && error.status >= 400;
    const { server, status } = await observe(connection, ours);
    if (server !== "collecting") return { kind: "unknown", status, error };
    if (status.progress === before.progress + 1) return { kind: "counted" };
    const { reason } = error.facts;
    if (status.progress === 0 && (before.progress > 0 || (before.required === 1 && answered))) return { kind: "refused together", reason };
    return answered && error.status === 400 ? { kind: "refused alone", reason } : { kind: "unknown", status, error };
  }
}

async function refuseParts(run: SharesRun, status: RekeyStatus, set: ShareSet): Promise<StewardError> {
  await cancelOurs(run.connection, status);
  return unfinished(
    run,
    `the service answered with ${set.shares.length + set.encrypted.length} new shares where ${run.ours.parameters.shares} were asked for, or with those of other holders; nothing was committed, and our attempt was cancelled`,
    "Find out what stands between, and run `pulumi up` again to begin anew.",
  );
}

/** The set that was accepted is the live one: whatever else we kept is dead. */
function accepted({ state, ours }: SharesRun, set: ShareSet, share: Share, early: Share[], { set: used }: Offer): SharesState {
  if (!isEmpty(set))
    log(ours.parameters.verification ? "the new shares are made; nothing is committed yet" : "the new shares are made and live");
  const foreign = [...state.given, ...[share, ...early].map((each) => shareDigest(set.nonce, each))];
  return { ...state, candidate: set, source: "reply", kept: used ? [used] : [], foreign };
}

/** The key is rotated, and no share came back. The state says so in any case: the next run must not rotate the key again. */
async function withoutShares(run: SharesRun, set: ShareSet, share: Share, offer: Offer): Promise<SharesState> {
  const found = await fromBackup(run);
  if (found) return found;
  const state = accepted(run, set, share, [], offer);
  if (!mayReturnNoShares(run.connection, run.ours.parameters)) throw unfinished({ state }, noShares.reason, noShares.advice);
  warn(keptBySeal);
  return state;
}

/** The last share writes the backup, over any older one. Which share is the last one is not ours to know. */
async function protectBackup(run: SharesRun): Promise<void> {
  const { connection, inputs, ours, state } = run;
  if (!ours.parameters.backup) return;
  const backup = await getBackup(connection);
  if (!backup || state.nonces.includes(backup.nonce)) return;
  if (!inputs.replaceBackup)
    throw stopped(
      `the service keeps a backup of another rekey, ${backup.nonce}, which ours would overwrite`,
      `Fetch it with \`pulumi-steward rekey backup\`, and remove it with \`pulumi-steward rekey backup --delete --nonce ${backup.nonce}\`; or set replaceBackup: true, which keeps what it holds, ciphertext, in the state.`,
    );
  if (state.replacedBackup?.nonce === backup.nonce) return;
  state.replacedBackup = backup;
  throw unfinished(
    run,
    `the service keeps a backup of another rekey, ${backup.nonce}; what it holds, ciphertext, is saved in the state now, before ours overwrites it`,
    "Run `pulumi up` again to go on.",
  );
}

function tooFew(run: SharesRun, { progress, required }: RekeyStatus, repeated: number, missing: string[], refusals: string[]): StewardError {
  const { backup } = run.ours.parameters;
  return unfinished(
    run,
    [
      `${progress} of ${required} current shares given`,
      ...(repeated > 0 ? [`given before: ${repeated} of those at hand`] : []),
      ...(missing.length > 0 ? [`not at hand: ${missing.join(", ")}`] : []),
      ...refusals.map((refusal) => `refused: ${refusal}`),
    ].join("; "),
    `Run \`pulumi up\` again where ${required - progress === 1 ? "the missing share is" : "missing shares are"} at hand; other holders may give theirs in the meantime${backup ? "" : ", but the last one has to be given here"}.${hintAtKept(run, required)}`,
  );
}

function refusedTogether(run: SharesRun, { required, nonce }: RekeyStatus, reason: string, isAlone: boolean): StewardError {
  return unfinished(
    run,
    `the ${required} shares given${isAlone ? "" : ", some of them by other holders,"} do not open the service (${reason}); the attempt ${nonce} stands, and begins again with no share`,
    `At least one of them is wrong: correct currentShares and run again.${hintAtKept(run, required)}`,
  );
}

/** An encrypted set that may be the one that is asked for: only its holders can tell. */
function hintAtKept({ state }: SharesRun, required: number): string {
  const kept = state.kept.find((set) => set.encrypted.length > 0 && set.threshold === required);
  return kept ? ` If the shares of the rekey ${kept.nonce} are the live ones, its holders bring theirs, decrypted, as currentShares.` : "";
}

function lostMeanwhile(run: SharesRun, { server, status }: Observed): StewardError {
  if (server === "tampered") return refuseTampered({ server, status });
  const { verification } = run.ours.parameters;
  return unfinished(
    run,
    server === "none"
      ? "our attempt is gone: the service was sealed, failed over, or somebody cancelled it"
      : `our attempt is gone, and another one runs, ${status.nonce}`,
    verification
      ? "Nothing was committed by us: run `pulumi up` again, which goes on from what the server shows."
      : "Without verification the last share commits, so the new keys may be live: run `pulumi up` again, which looks for them in the backup where there is one.",
  );
}

/** Whether the share counted cannot be known. */
async function cancelUnknown(run: SharesRun, status: RekeyStatus, error: StewardError): Promise<never> {
  const { connection, ours, state } = run;
  if (status.nonce !== ours.nonce || dialectOf(connection).refusesRepeatedShares)
    throw unfinished(
      run,
      `${error.facts.reason}, and whether the share counted is not known`,
      "Run `pulumi up` again: it goes on from what the server shows.",
    );
  if (status.progress > state.given.length)
    throw unfinished(
      run,
      `${error.facts.reason}, whether the share counted is not known, and other holders have given shares to the attempt ${status.nonce}`,
      'Ask them to begin again, and cancel it: with onConflict: "cancel" and a change of triggers.',
    );
  await cancelOurs(connection, status);
  return restart(run, `whether a share counted was not known (${error.facts.reason}), so the attempt was cancelled`);
}

/** The nonce of another attempt: saved before a share is given to it. @internal */
export function restarted(run: SharesRun, nonce: string, reason: string): StewardError {
  run.state = { ...run.state, nonce, nonces: [...new Set([...run.state.nonces, nonce])], given: [] };
  return unfinished(run, `${reason}, and its nonce ${nonce} is saved now`, "Run `pulumi up` again to give it the current shares.");
}

/** @internal */
export async function restart(run: SharesRun, why: string): Promise<never> {
  const { nonce } = await newAttempt(run.connection, run.ours);
  const committed = run.ours.parameters.verification
    ? "nothing was committed"
    : "without verification nobody can tell whether it was committed";
  throw restarted(run, nonce, `${why}, ${committed}, and a new one was started`);
}

/** The encrypted shares of an attempt of ours, as the service keeps them; in the order of the keys. */
function candidateIn(backup: RekeyBackup | undefined, nonce: string, { threshold, fingerprints }: Parameters): ShareSet | undefined {
  if (backup?.nonce !== nonce) return undefined;
  const encrypted = fingerprints.map((fingerprint) => ({ fingerprint, share: backup.keys[fingerprint]?.[0] }));
  const complete = encrypted.filter((each): each is { fingerprint: string; share: string } => each.share !== undefined);
  return complete.length === fingerprints.length ? { nonce, threshold, shares: [], encrypted: complete } : undefined;
}

/** The new shares of our attempt, where the backup has them. @internal */
export async function fromBackup({ connection, ours, state }: SharesRun): Promise<SharesState | undefined> {
  const { parameters, nonce } = ours;
  if (!parameters.backup || !nonce) return undefined;
  const candidate = candidateIn(await getBackup(connection), nonce, parameters);
  if (!candidate) return undefined;
  log("the reply with the new shares did not come here, but to whoever gave the last share, or was lost: took them from the backup");
  return { ...state, candidate, source: "backup", foreign: state.given, kept: state.kept.filter((set) => set.nonce !== nonce) };
}

/** The last share was accepted, and its reply was lost. @internal */
export async function recover(run: SharesRun, { status }: Observed): Promise<SharesState> {
  const found = await fromBackup(run);
  if (found) return found;
  await cancelOurs(run.connection, status);
  const { nonce } = await newAttempt(run.connection, run.ours);
  throw restarted(
    run,
    nonce,
    "the reply with the new shares of our attempt did not come here; nothing was committed, it was cancelled, and a new one was started",
  );
}
