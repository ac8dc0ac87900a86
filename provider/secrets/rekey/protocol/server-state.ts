import { isDeepStrictEqual } from "node:util";
import { Claims, FindRequest, Objects, OutcomeUnknown, UpdateRequest } from "../../../contract/definition";
import { StewardError } from "../../../contract/errors";
import { system } from "../../client";
import { RekeyInputs, RekeyTarget } from "../inputs";
import * as api from "./api";
import { RekeyBackup, RekeyOperation, RekeyParameters, RekeyStatus, Requested } from "./api";
import { lossCauses, runAgain, stopped, wrongTarget } from "./stops";

// Each step of a rekey has a table of what the next `pulumi up` does. This file observes the server, finds the row, and contains the code
// that the steps share.

/**
 * The attempt on the server, as one of the three resources classifies it:
 *
 * - `none`: no attempt;
 * - `noKeys`: no attempt, and no keys either, so that a start returns the first ones;
 * - `collecting`, `verifying`: the attempt of this rekey, before and after the last current share;
 * - `tampered`: the nonce of this rekey, but other parameters;
 * - `abandoned`: an earlier attempt of this rekey;
 * - `matchingUnused`: the parameters of this rekey, with verification, and no share yet, so adopting it harms no other client;
 * - `matchingInUse`: the same, with shares of other holders;
 * - `matchingFirst`: the same on a service without keys, so that the response to its start has the first ones, of which none is verified;
 * - `probe`: the throw-away attempt of this rekey, known by its key;
 * - `foreign`: another client's attempt.
 */
export type ServerState =
  | "none"
  | "noKeys"
  | "collecting"
  | "verifying"
  | "tampered"
  | "abandoned"
  | "matchingUnused"
  | "matchingInUse"
  | "matchingFirst"
  | "probe"
  | "foreign";

export interface Observed {
  server: ServerState;
  status: RekeyStatus;
}

/** The details by which a resource recognizes its attempts. */
export interface AttemptIdentity {
  /** The nonce of the current attempt. Undefined without one. */
  nonce?: string;
  /** The nonce of every attempt that this rekey started, or to which it submitted a share. */
  nonces: readonly string[];
  parameters: RekeyParameters;
  /** The fingerprint of the throw-away key. */
  probe: string;
}

function serverStateOf(status: RekeyStatus, { nonce, nonces, parameters, probe }: AttemptIdentity, target: RekeyTarget): ServerState {
  const hasNoKeys = target === "recovery" && status.required === 0;
  if (!status.started) return hasNoKeys ? "noKeys" : "none";
  if (isProbe(status, probe)) return "probe";
  const same = matches(status, parameters);
  if (status.nonce === nonce) return !same ? "tampered" : status.verification ? "verifying" : "collecting";
  if (nonces.includes(status.nonce)) return "abandoned";
  if (hasNoKeys && same && status.verification?.progress === 0) return "matchingFirst";
  if (!same || status.verification) return "foreign";
  // Without verification the last share commits. The subkeys to which it encrypts the new shares are unknown until then.
  if (!parameters.verification) return "foreign";
  return status.progress === 0 ? "matchingUnused" : "matchingInUse";
}

/** True for an attempt for the throw-away key with this fingerprint. */
export const isProbe = (status: RekeyStatus, fingerprint: string | undefined): boolean =>
  status.shares === 1 && isDeepStrictEqual(status.pgpFingerprints, [fingerprint]);

/** True if the status shows exactly these parameters. A share for other parameters could produce keys for an attacker. */
export const matches = (status: RekeyStatus, { shares, threshold, fingerprints, backup, verification }: Requested): boolean =>
  status.shares === shares &&
  status.threshold === threshold &&
  status.backup === backup &&
  status.verificationRequired === verification &&
  isDeepStrictEqual(status.pgpFingerprints, fingerprints);

export const withNonce = (nonces: readonly string[], nonce: string): string[] => [...new Set([...nonces, nonce])];

export const sizeOf = (shares: number, threshold: number): string =>
  `${shares} ${shares === 1 ? "share" : "shares"}, threshold ${threshold}`;

/** `7 shares, threshold 4; with verification; 1 of 3 current shares submitted`. */
export function describe(status: RekeyStatus): string {
  const { pgpFingerprints, progress, required, verification } = status;
  return [
    sizeOf(status.shares, status.threshold),
    status.verificationRequired ? "with verification" : "without verification",
    ...(pgpFingerprints.length > 0 ? [`encrypted to subkeys of ${pgpFingerprints.join(", ")}`] : []),
    ...(status.backup ? ["with backup"] : []),
    verification
      ? `${verification.progress} of ${verification.threshold} new shares verified`
      : `${progress} of ${required} current shares submitted`,
  ].join("; ");
}

/** The content of a step's state. */
type Holds = "nothing" | "an attempt" | "a nonce" | "no nonce" | "a candidate" | "an unknown outcome";

/** One of the three resources of a rekey. */
export type Step = "attempt" | "shares" | "commit";

/** The action of a step for one content of its state and one state of the server. */
export interface Row<Run, State> {
  /** If omitted, any. */
  holds?: readonly Holds[];
  server: readonly ServerState[];
  /** Printed when the row is taken. */
  log: string;
  /** Returns the state that ends the step. Without one, the step observes the server again. */
  act(run: Run, observed: Observed): Promise<State | undefined>;
}

export const oldProbe: Row<Run, never> = {
  server: ["probe"],
  log: "an old probe of this rekey is in progress: the rekey cancels it",
  act: cancelObserved,
};
export const tamperedAttempt: Row<Run, never> = {
  server: ["tampered"],
  log: "the attempt has the expected nonce but other parameters: the rekey submits no share",
  act: async (_run, observed) => {
    throw tampered(observed);
  },
};
export const onConflictDecides = "another client's attempt is in progress: onConflict decides";

export const lineOf = (step: Step, { log }: { log: string }): string => `rekey, ${step}: ${log}`;

/** One run of a step. */
interface Run {
  operation: RekeyOperation;
  identity: AttemptIdentity;
}

export async function observe(operation: RekeyOperation, identity: AttemptIdentity): Promise<Observed> {
  const status = await api.getStatus(operation);
  return { server: serverStateOf(status, identity, operation.target), status };
}

/**
 * Observes the server and does what the row says, until an action ends the step. A pair without a row stops: it never falls through to a start.
 * A live set, a dead set, and an unknown set whose holders' shares are missing are handled before the table.
 */
export async function followRows<StepRun extends Run, State extends object>(
  step: Step,
  rows: readonly Row<StepRun, State>[],
  holds: Holds,
  run: StepRun,
): Promise<State> {
  for (;;) {
    const observed = await observe(run.operation, run.identity);
    const row = rows.find((each) => (!each.holds || each.holds.includes(holds)) && each.server.includes(observed.server));
    if (!row) throw unexpectedState(run.operation, observed, holds);
    run.operation.run.log.info(lineOf(step, row));
    const state = await row.act(run, observed);
    if (state) return state;
  }
}

/** Prints what a rekey does in the output of `pulumi up`. */
export const log = (operation: RekeyOperation, message: string): void => operation.run.log.info(`rekey: ${message}`);
export const warn = (operation: RekeyOperation, message: string): void => operation.run.log.warn(`rekey: ${message}`);

/** Throws if no start can return the first recovery keys, or if its response would be their only copy. */
export function assertMakesFirst(operation: RekeyOperation, { verification }: Pick<RekeyParameters, "verification">): void {
  const { service } = operation.server.words;
  if (!api.returnsFirstKeys(operation))
    throw stopped(
      "wrong-dialect",
      `${service} has no recovery keys yet, and only OpenBao (sys/rotate/recovery) creates the first ones`,
      'Nothing was sent. Set the connection\'s dialect to "openbao".',
    ).with({ code: "ERR_REJECTED" });
  if (verification) return;
  const reason = `${service} has no recovery keys yet: without verification the start makes them live, and the response is their only copy`;
  throw stopped("first-keys-unverified", reason);
}

/** Throws if the engine does not save the state after each resource. Call it before the first request that changes anything. */
export function assertSavesEachStep(operation: RekeyOperation): void {
  if (operation.run.engine.savesEachStep) return;
  const reason = "PULUMI_SKIP_CHECKPOINTS is set, and a rekey needs the state that Pulumi saves after each resource; nothing was sent";
  throw stopped("checkpoints-skipped", reason);
}

/**
 * Starts an attempt and reads the status back, which also resolves a lost response. Another client may have started the attempt that it then shows, so
 * `nonces` gets its nonce only after a response.
 */
export async function newAttempt(operation: RekeyOperation, identity: AttemptIdentity): Promise<{ nonce: string; nonces: string[] }> {
  const { parameters } = identity;
  let nonce: string | undefined;
  let lost: unknown;
  try {
    ({ nonce } = await api.startAttempt(operation, parameters));
  } catch (error) {
    if (!api.isReplyLost(error)) throw error;
    lost = error;
  }
  const { server, status } = await observe(operation, { ...identity, nonce });
  if (server === "none") throw lost ?? stopped("attempt-lost", `the new attempt no longer exists: ${lossCauses}`, runAgain);
  // Its nonce is known, so it is the new attempt, although other holders may have submitted shares to it.
  const hasNonce = server === "collecting" || server === "verifying";
  const isFresh = matches(status, parameters) && !status.verification && status.progress === 0;
  // Without verification, a matching attempt of unknown origin could be there to obtain the shares.
  if (hasNonce || (isFresh && (server === "matchingUnused" || !(lost || nonce)))) {
    log(operation, `started attempt ${status.nonce}: ${describe(status)}`);
    return { nonce: status.nonce, nonces: lost ? [...identity.nonces] : withNonce(identity.nonces, status.nonce) };
  }
  if (!lost && status.shares === 1 && parameters.shares > 1)
    throw wrongTarget(
      operation.target,
      operation.server.words,
      `; cancel the attempt ${status.nonce} with \`${api.commandFor(operation, "cancel")}\``,
    );
  throw inProgress(status, waitOr(server === "matchingInUse"));
}

/** The backup of another rekey, which the last share of this one would overwrite. */
export async function findForeignBackup(
  operation: RekeyOperation,
  { parameters, nonces }: Pick<AttemptIdentity, "parameters" | "nonces">,
): Promise<RekeyBackup | undefined> {
  const backup = parameters.backup ? await api.getBackup(operation) : undefined;
  return backup && !nonces.includes(backup.nonce) ? backup : undefined;
}

/** Throws before a start that would leave an attempt behind, since no share may be submitted to it. */
export async function assertNoForeignBackup(
  operation: RekeyOperation,
  identity: AttemptIdentity,
  inputs: Pick<RekeyInputs, "replaceBackup">,
): Promise<void> {
  const backup = inputs.replaceBackup ? undefined : await findForeignBackup(operation, identity);
  if (backup) throw foreignBackup(operation, backup);
}

export const foreignBackup = (operation: RekeyOperation, { nonce }: RekeyBackup): StewardError =>
  stopped(
    "foreign-backup",
    `${operation.server.words.service} stores a backup of a different rekey, ${nonce}, which this rekey would overwrite`,
    `Fetch it with \`${api.commandFor(operation, "backup")}\`, and remove it with \`${api.commandFor(operation, `backup --delete --nonce ${nonce}`)}\`. Or set replaceBackup: true, which keeps its ciphertext in the state.`,
  );

/** Handles another client's attempt according to `onConflict`. Returns the nonce of a resumed one. */
export async function resolveConflict(
  operation: RekeyOperation,
  { server, status }: Observed,
  onConflict: RekeyInputs["onConflict"],
  maySubmit: boolean,
): Promise<string | undefined> {
  if (onConflict === "cancel") {
    // Read again: cancel only the attempt that was just seen.
    const now = await api.getStatus(operation);
    if (now.nonce === status.nonce) {
      await api.cancelAttempt(operation, status.nonce);
      log(operation, `canceled another client's attempt ${status.nonce}: ${describe(now)}`);
    }
    return undefined;
  }
  if (onConflict === "resume" && server === "matchingInUse" && maySubmit) {
    log(operation, `resumed another client's attempt ${status.nonce}: ${describe(status)}`);
    return status.nonce;
  }
  throw inProgress(
    status,
    onConflict === "resume"
      ? 'It cannot be resumed: it must have the parameters of this rekey, with verification, and still collect current shares. Wait until it finishes, or set onConflict: "cancel".'
      : waitOr(server === "matchingInUse" && maySubmit),
  );
}

const waitOr = (mayResume: boolean): string =>
  `Wait until it finishes, or set onConflict: ${mayResume ? '"resume" to resume it, or ' : ""}"cancel" to cancel it and discard the shares that others submitted.`;

const inProgress = (status: RekeyStatus, hint: string): StewardError =>
  stopped("foreign-attempt", `another client's attempt ${status.nonce} is in progress (${describe(status)})`, hint);

export const tampered = ({ status }: Observed): StewardError =>
  stopped(
    "tampered-attempt",
    `the attempt ${status.nonce} has other parameters than this rekey requested (${describe(status)}): a share submitted to it could produce keys for an attacker`,
  );

/** A pair of state and server without a row. */
export const unexpectedState = (operation: RekeyOperation, { server, status }: Observed, holds: Holds): StewardError =>
  stopped(
    "unexpected-state",
    `unexpected state: the stack has ${holds}, and ${operation.server.words.service} reports ${status.started ? `the attempt ${status.nonce} (${server}; ${describe(status)})` : server === "noKeys" ? "no recovery keys" : "no attempt"}`,
  );

/** Cancels an attempt of this rekey. Restarts its verification first, so that a provider that outlived an earlier run cannot commit it. */
export async function cancelOwnAttempt(operation: RekeyOperation, status: RekeyStatus): Promise<void> {
  if (status.verification) {
    await api.restartVerification(operation, status.nonce);
    // A cancel without a nonce cancels any attempt that is then in progress.
    if ((await api.getStatus(operation)).nonce !== status.nonce)
      throw stopped("attempt-lost", `the attempt no longer exists: ${lossCauses}`, `Nothing was canceled. ${runAgain}`);
  }
  await api.cancelAttempt(operation, status.nonce);
  log(operation, `canceled the attempt ${status.nonce}`);
}

/** The action of a row: the next observation then shows no attempt. */
export async function cancelObserved({ operation }: { operation: RekeyOperation }, { status }: Observed): Promise<undefined> {
  await cancelOwnAttempt(operation, status);
}

/** Cancels what this rekey left on the server: its probe, or an attempt that it started or submitted a share to. */
export async function cancelLeftovers(operation: RekeyOperation, { server, status }: Observed, nonces: readonly string[]): Promise<void> {
  if (server === "probe" || nonces.includes(status.nonce)) await cancelOwnAttempt(operation, status);
}

/** The part that the definitions of the three resources share. `up` runs the step, and `remove` ends it. */
export const definitionOf = <Inputs extends { target?: RekeyTarget }, State>(
  step: Step,
  up: (operation: RekeyOperation, inputs: Inputs, last: Partial<State> & OutcomeUnknown) => Promise<State>,
  remove: Objects<Inputs, State>["remove"],
) => ({
  system,
  displayName: "rekey",
  deleteBeforeReplace: true,
  objects: { fields: ["target"] as const, paths: (fields: object) => [rekeyObjects(fields)[step]], remove },
  create: ({ operation, inputs }: FindRequest<Inputs>) => up(api.ofTarget(operation, inputs), inputs, {}),
  update: ({ operation, inputs, last }: UpdateRequest<Inputs, State>) => up(api.ofTarget(operation, inputs), inputs, last),
});

/** The objects that the three resources manage. */
export function rekeyObjects(fields: object): { attempt: string; shares: string; commit: string } {
  const { target } = fields as { target?: RekeyTarget };
  const path = target === "recovery" ? "/v1/sys/rekey-recovery-key" : "/v1/sys/rekey";
  return { attempt: `${path}/init`, shares: `${path}/update`, commit: `${path}/verify` };
}

/** True if another resource's shares became live after this one's, which are now worthless. */
export function isSucceeded(claims: Claims, operation: RekeyOperation, { since }: { since?: string }): boolean {
  const other = claims.managerOf(rekeyObjects(operation).commit) as { outcome?: unknown; since?: string } | undefined;
  return other?.outcome === "live" && other.since !== undefined && since !== undefined && other.since > since;
}

const outcomeKey = ({ server: { id: server } }: RekeyOperation, nonce: string): string => `rekey: outcome of ${nonce} on ${server}`;

/** Records the outcome of a candidate, so that the shares, deleted after the commit in the same run, can read it. */
export function recordOutcome(operation: RekeyOperation, nonce: string, outcome: "live" | "dead"): void {
  operation.run.cache.set(outcomeKey(operation, nonce), outcome);
}

export const recordedOutcome = (operation: RekeyOperation, nonce: string): unknown => operation.run.cache.get(outcomeKey(operation, nonce));
