import { setTimeout as sleep } from "node:timers/promises";
import { CustomResource, CustomResourceOptions, Output } from "@pulumi/pulumi";
import { z } from "zod";
import { Comparison, ignored } from "../../comparison";
import { Connection } from "../../connection";
import { Definition, Doubt } from "../../definition";
import { StewardError, Unfinished } from "../../errors";
import { Args, registration } from "../../resource";
import { dialectOf } from "../client";
import { candidateIn } from "./backup";
import { RekeyInputs, rekeyFields } from "./declaration";
import { getBackup, giveShare, isReplyLost, RekeyBackup, RekeyStatus, ShareSet } from "./server";
import { formsOf, markOf, Share, sharesAtHand, sharesOf } from "./share";
import { look, Ours, Situation } from "./situation";
import { Attempt, begin, cancelProbe, giveUp, newAttempt, refuseAltered, settleConflict, stopped, tell, unforeseen } from "./steps";
import { decide } from "./table";

// The second of the three resources of a rekey: it gives the current shares, and keeps the new ones, of which nothing is committed yet.

const taken = ["currentShares", "newShares", "waitSeconds", "replaceBackup", "onConflict", "discardShares", "connection"] as const;
/** @internal */
export interface SharesInputs extends Pick<RekeyInputs, (typeof taken)[number]> {
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
  /** A kept set whose holders have to bring their shares. */
  wanted?: ShareSet;
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

type Last = Partial<SharesInputs & SharesState> & Doubt;

/** One run. What it has done so far is in `state`, which is saved however the run ends. */
interface Run {
  connection: Connection;
  inputs: SharesInputs;
  ours: Ours;
  state: SharesState;
}

async function up(connection: Connection, inputs: SharesInputs, last: Last): Promise<SharesState> {
  const { attempt } = inputs;
  const isSame = last.attempt?.id === attempt.id;
  if (isSame && last.candidate && !last.unfinished) return last as SharesState;
  begin(connection);
  // A set that we made and do not know to be dead may be the one that opens the service.
  const kept = [...(last.candidate ? [last.candidate] : []), ...(last.kept ?? [])];
  const nonce = (isSame ? last.nonce : undefined) ?? attempt.nonce;
  const state: SharesState = {
    nonce,
    nonces: [...new Set([...(last.nonces ?? []), ...attempt.nonces])],
    kept,
    given: isSame ? (last.given ?? []) : [],
    foreign: [],
    refused: isSame ? (last.refused ?? []) : [],
    hadBackup: (last.hadBackup ?? false) || attempt.parameters.backup,
    ...(isSame && last.wanted ? { wanted: last.wanted } : {}),
    ...(last.replacedBackup ? { replacedBackup: last.replacedBackup } : {}),
  };
  const ours: Ours = { nonce, nonces: state.nonces, parameters: attempt.parameters, probe: attempt.probe.fingerprint };
  return step({ connection, inputs, ours, state });
}

async function step(run: Run): Promise<SharesState> {
  const { connection, inputs, ours, state } = run;
  for (;;) {
    const situation = await look(connection, ours);
    const holds = ours.nonce ? "a nonce" : "no nonce";
    switch (decide("shares", holds, situation)) {
      case "start again":
        return (await fromBackupWithoutVerification(run)) ?? (await startAgain(run));
      case "give up and start":
        await giveUp(connection, situation.status);
        return startAgain(run);
      case "cancel probe":
        await cancelProbe(connection, situation);
        break;
      case "take over":
        throw begunAnew(run, situation.status.nonce, "an attempt exactly like ours, without a share, was taken over");
      case "give shares":
        return give(run, situation);
      case "recover":
        return recover(run, situation);
      case "refuse altered":
        throw refuseAltered(situation);
      case "conflict": {
        const nonce = await settleConflict(connection, situation, inputs.onConflict, true);
        if (nonce) throw begunAnew(run, nonce, "somebody else's attempt, exactly like ours, goes on as ours");
        break;
      }
      default:
        throw unforeseen(situation, holds);
    }
    run.state = state;
  }
}

/** What was done so far is saved, and the next run goes on from it. */
const pause = ({ state }: Run, reason: string, advice: string): StewardError =>
  new Unfinished({ ...state, unfinished: true }, { reason, advice });

/** The nonce of another attempt: saved before a share is given to it. */
function begunAnew(run: Run, nonce: string, reason: string): StewardError {
  run.state = { ...run.state, nonce, nonces: [...new Set([...run.state.nonces, nonce])], given: [] };
  return pause(run, `${reason}, and its nonce ${nonce} is saved now`, "Run `pulumi up` again to give it the current shares.");
}

async function startAgain(run: Run): Promise<never> {
  const { nonce } = await newAttempt(run.connection, run.ours);
  throw begunAnew(run, nonce, "the attempt was gone (a seal, a failover or a cancel), nothing was committed, and a new one was started");
}

/** Without verification the last share commits: what its lost reply brought is in the backup, whether it is live is found out later. */
async function fromBackupWithoutVerification({ connection, ours, state }: Run): Promise<SharesState | undefined> {
  const { parameters, nonce } = ours;
  if (parameters.verification || !parameters.backup || !nonce) return undefined;
  const candidate = candidateIn(await getBackup(connection), nonce, parameters);
  if (!candidate) return undefined;
  tell("the reply with the new shares was lost: took them from the backup");
  return { ...state, candidate, source: "backup", foreign: state.given, kept: state.kept.filter((set) => set.nonce !== nonce) };
}

/** The last share was accepted, and its reply was lost. */
async function recover(run: Run, { status }: Situation): Promise<SharesState> {
  const { connection, ours, state } = run;
  if (ours.parameters.backup) {
    const candidate = candidateIn(await getBackup(connection), status.nonce, ours.parameters);
    if (candidate) {
      tell("the reply with the new shares was lost: took them from the backup");
      return { ...state, candidate, source: "backup", foreign: state.given };
    }
  }
  await giveUp(connection, status);
  const { nonce } = await newAttempt(connection, ours);
  throw begunAnew(
    run,
    nonce,
    "the new shares of our attempt were lost with a reply; nothing was committed, it was cancelled, and a new one was started",
  );
}

/** A set of shares to give: what is at hand, or one that the state keeps. */
interface Offer {
  shares: Share[];
  /** Not the program's own. */
  set?: ShareSet;
}

/** Gives the shares one by one; before each, the attempt is looked at. */
async function give(run: Run, first: Situation): Promise<SharesState> {
  const { inputs, ours, state } = run;
  const nonce = ours.nonce as string;
  const { shares: own, missing } = sharesAtHand(inputs.currentShares, "currentShares");
  const offers: Offer[] = [{ shares: own }, ...keptOffers(run, first.status.required)];
  const connection = { ...run.connection, secrets: [...run.connection.secrets, ...offers.flatMap(({ shares }) => formsOf(shares))] };
  const until = Date.now() + (inputs.waitSeconds ?? 0) * 1000;
  const refusals: string[] = [];
  let offer = offers.shift() as Offer;
  let position = 0;
  let repeated = false;
  let told = 0;
  // Of the offer at hand, since the count last began.
  let counted = 0;
  for (let situation: Situation | undefined = first; ; situation = undefined) {
    const { kind, status } = situation ?? (await look(connection, ours));
    if (kind === "verifying") return recover(run, { kind, status });
    if (kind !== "collecting") throw lostMeanwhile(run, { kind, status });
    if (status.progress < state.given.length) state.given = [];
    if (told !== status.progress) tell(`${status.progress} of ${status.required} current shares given`);
    told = status.progress;

    const waits = Date.now() < until;
    // Who gives the last share gets the new ones: while others are awaited, ours is kept for the end.
    const isKeptForLast = waits && position === offer.shares.length - 1 && status.progress < status.required - 1;
    const share = offer.shares[position];
    if (!share || isKeptForLast) {
      if (!offer.set && waits) {
        await sleep(Math.max(0, Math.min(pollEvery, until - Date.now())));
        continue;
      }
      const next = offers.shift();
      if (!next) throw tooFew(run, status, missing, refusals);
      tell("the shares at hand are not enough: trying those of an earlier rekey that the state keeps");
      [offer, position, counted] = [next, 0, 0];
      continue;
    }
    if (state.given.includes(markOf(nonce, share))) {
      counted++;
      position++;
      continue;
    }
    await protectBackup(run);
    const outcome = await giveOne(connection, ours, share, status);
    const isAlone = counted + 1 >= status.required;
    switch (outcome.kind) {
      case "complete":
        if (outcome.set.shares.length + outcome.set.encrypted.length === 0) throw noShares();
        return accepted(run, outcome.set, share, offer);
      case "counted":
        state.given.push(markOf(nonce, share));
        counted++;
        position++;
        repeated = false;
        break;
      case "refused alone":
        refusals.push(`${share.label}: ${outcome.reason}`);
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
        tell("the shares at hand are not the current ones: trying those of an earlier rekey that the state keeps");
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
        return giveUpUnknown(run, outcome.status, outcome.error);
    }
  }
}

const pollEvery = 2000;

const keptOffers = ({ inputs, state }: Run, required: number): Offer[] => {
  const brought = state.wanted ? sharesAtHand(inputs.newShares ?? [], "newShares").shares : [];
  const wanted = state.wanted && brought.length >= required ? [{ set: state.wanted, shares: brought }] : [];
  const plain = state.kept
    .filter((set) => set.threshold === required && set.shares.length > 0 && !state.refused.includes(set.nonce))
    .map((set) => ({ set, shares: sharesOf(set.shares.slice(0, required), `the share of ${set.nonce}`) }));
  return [...wanted, ...plain];
};

type Given =
  | { kind: "complete"; set: ShareSet }
  | { kind: "counted" }
  | { kind: "refused alone"; reason: string }
  | { kind: "refused together"; reason: string }
  | { kind: "unknown"; status: RekeyStatus; error: StewardError };

/** Gives one share. Whatever else comes back than a plain yes, the server's own count tells what became of it. */
async function giveOne(connection: Connection, ours: Ours, share: Share, before: RekeyStatus): Promise<Given> {
  try {
    const { set } = await giveShare(connection, { nonce: before.nonce, share: share.text }, ours.parameters);
    return set ? { kind: "complete", set } : { kind: "counted" };
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    const answered = error.status !== undefined && error.status >= 400;
    if (!isReplyLost(error) && (!answered || [401, 403, 404, 429, 503].includes(error.status as number))) throw error;
    const { kind, status } = await look(connection, ours);
    if (kind !== "collecting") return { kind: "unknown", status, error };
    if (status.progress === before.progress + 1) return { kind: "counted" };
    const { reason } = error.facts;
    if (status.progress === 0 && (before.progress > 0 || before.required === 1)) return { kind: "refused together", reason };
    return answered && error.status === 400 ? { kind: "refused alone", reason } : { kind: "unknown", status, error };
  }
}

/** The set that was accepted is the live one: whatever else we kept is dead. */
function accepted({ inputs, state, ours }: Run, set: ShareSet, share: Share, { set: used }: Offer): SharesState {
  tell(ours.parameters.verification ? "the new shares are made; nothing is committed yet" : "the new shares are made and live");
  const { wanted, ...rest } = state;
  const { shares: early } = sharesAtHand(inputs.newShares ?? [], "newShares");
  const foreign = [...state.given, ...[share, ...early].map((each) => markOf(set.nonce, each))];
  // Of shares that holders brought it is their word that they are of that set.
  const kept = !used ? [] : used.encrypted.length > 0 ? state.kept : [used];
  return { ...rest, candidate: set, source: "reply", kept, foreign };
}

/** The last share writes the backup, over any older one. Which share is the last one is not ours to know. */
async function protectBackup(run: Run): Promise<void> {
  const { connection, inputs, ours, state } = run;
  if (!ours.parameters.backup) return;
  const backup = await getBackup(connection);
  if (!backup || state.nonces.includes(backup.nonce)) return;
  if (!inputs.replaceBackup)
    throw stopped(
      `the service keeps a backup of another rekey, ${backup.nonce}, which ours would overwrite`,
      "Fetch it with secrets.getRekeyBackup and remove it, or set replaceBackup: true, which keeps what it holds, ciphertext, in the state.",
    );
  if (state.replacedBackup?.nonce === backup.nonce) return;
  state.replacedBackup = backup;
  throw pause(
    run,
    `the service keeps a backup of another rekey, ${backup.nonce}; what it holds, ciphertext, is saved in the state now, before ours overwrites it`,
    "Run `pulumi up` again to go on.",
  );
}

function tooFew(run: Run, { progress, required }: RekeyStatus, missing: string[], refusals: string[]): StewardError {
  const kept = run.state.kept.find((set) => set.encrypted.length > 0 && set.threshold === required);
  if (kept) run.state.wanted = kept;
  return pause(
    run,
    [
      `${progress} of ${required} current shares given`,
      ...(missing.length > 0 ? [`not at hand: ${missing.join(", ")}`] : []),
      ...refusals.map((refusal) => `refused: ${refusal}`),
    ].join("; "),
    `Run \`pulumi up\` again where ${required - progress === 1 ? "the missing share is" : "missing shares are"} at hand; other holders may give theirs in the meantime, but the last one has to be given here.${kept ? ` If the shares of the rekey ${kept.nonce} are the live ones, its holders bring theirs, decrypted, as newShares.` : ""}`,
  );
}

function refusedTogether(run: Run, { required, nonce }: RekeyStatus, reason: string, isAlone: boolean): StewardError {
  const kept = run.state.kept.find((set) => set.encrypted.length > 0);
  if (kept) run.state.wanted = kept;
  return pause(
    run,
    `the ${required} shares given${isAlone ? "" : ", some of them by other holders,"} do not open the service (${reason}); the attempt ${nonce} stands, and begins again with no share`,
    `At least one of them is wrong: correct currentShares and run again.${kept ? ` If the shares of the rekey ${kept.nonce} are the live ones, its holders bring theirs, decrypted, as newShares.` : ""}`,
  );
}

function lostMeanwhile(run: Run, { kind, status }: Situation): StewardError {
  if (kind === "altered") return refuseAltered({ kind, status });
  const { verification } = run.ours.parameters;
  return pause(
    run,
    kind === "none"
      ? "our attempt is gone: the service was sealed, failed over, or somebody cancelled it"
      : `our attempt is gone, and another one runs, ${status.nonce}`,
    verification
      ? "Nothing was committed by us: run `pulumi up` again, which goes on from what the server shows."
      : "Without verification the last share commits, so the new keys may be live: run `pulumi up` again, which looks for them in the backup where there is one.",
  );
}

/** Whether the share counted cannot be known. */
async function giveUpUnknown(run: Run, status: RekeyStatus, error: StewardError): Promise<never> {
  const { connection, ours, state } = run;
  const isOurs = status.started && status.nonce === ours.nonce && !status.verification;
  if (!isOurs || dialectOf(connection).refusesRepeatedShares)
    throw pause(
      run,
      `${error.facts.reason}, and whether the share counted is not known`,
      "Run `pulumi up` again: it goes on from what the server shows.",
    );
  if (status.progress > state.given.length)
    throw pause(
      run,
      `${error.facts.reason}, whether the share counted is not known, and other holders have given shares to the attempt ${status.nonce}`,
      'Ask them to begin again, and cancel it: with onConflict: "cancel" and a change of triggers.',
    );
  await giveUp(connection, status);
  return startAgain(run);
}

const noShares = (): StewardError =>
  new StewardError({
    code: "ERR_REFUSED",
    reason: "the service rotated its key and gave out no shares: its seal keeps the key itself",
    advice: "There is nothing to keep: remove this resource from the program.",
  });

/** Where the commit, deleted in the same run, has left word that its sets are settled. @internal */
export const settledKey = ({ server }: Connection): string => `rekey settled on ${server}`;

/** Only another attempt is a change. */
const attempts: Comparison = { equal: (a, b) => (a as Attempt | undefined)?.id === (b as Attempt | undefined)?.id };
const { currentShares, newShares, waitSeconds, replaceBackup, onConflict, discardShares, connection } = rekeyFields;

/** @internal */
export const rekeyShares: Definition<SharesInputs, SharesState> = {
  token: "secrets:RekeyShares",
  noun: "rekey",
  name: () => "",
  id: () => "sys/rekey/update",
  idForm: "sys/rekey/update",
  parseId: () => undefined,
  inputs: z.strictObject({ attempt: z.any(), currentShares, newShares, waitSeconds, replaceBackup, onConflict, discardShares, connection }),
  state: ["nonce", "nonces", "candidate", "source", "kept", "wanted", "given", "foreign", "refused", "hadBackup", "replacedBackup"],
  compare: {
    attempt: attempts,
    currentShares: ignored,
    newShares: ignored,
    waitSeconds: ignored,
    replaceBackup: ignored,
    onConflict: ignored,
  },
  replaces: [],
  deleteBeforeReplace: true,
  secrets: ["currentShares", "newShares", "candidate", "kept", "wanted"],
  read: async (_connection, previous) => previous,
  create: (connection, inputs) => up(connection, inputs, {}),
  update: (connection, inputs, _previous, last) => up(connection, inputs, last),
  async delete(connection, state) {
    const { attempt, candidate, kept = [], nonces, discardShares } = state as Last;
    if (!attempt) return;
    const ours: Ours = { nonce: state.nonce, nonces: nonces ?? [], parameters: attempt.parameters, probe: attempt.probe.fingerprint };
    const situation = await look(connection, ours);
    if (situation.kind === "probe") await cancelProbe(connection, situation);
    const running = ["collecting", "verifying", "former"].includes(situation.kind);
    if (running) await giveUp(connection, situation.status);
    // The commit, gone before, has judged them; or they died with the attempt that was just cancelled.
    const judged =
      connection.memory.has(settledKey(connection)) || (kept.length === 0 && (!candidate || (running && situation.kind === "verifying")));
    if (judged || discardShares) return;
    throw stopped(
      "the state holds shares that may be the live ones",
      "Run `pulumi up` until it is settled; or set discardShares: true, run `pulumi up`, and delete then.",
    );
  },
};

/** @internal */
export interface RekeyShares {
  readonly nonces: Output<string[]>;
  readonly candidate: Output<ShareSet>;
  readonly source: Output<"reply" | "backup">;
  readonly kept: Output<ShareSet[]>;
  readonly foreign: Output<string[]>;
  readonly hadBackup: Output<boolean>;
}

/** @internal */
export class RekeyShares extends CustomResource {
  constructor(name: string, args: Args<Omit<SharesInputs, "attempt">> & { attempt: Output<Attempt> }, opts?: CustomResourceOptions) {
    super(...registration(rekeyShares, name, args, opts));
  }
}
