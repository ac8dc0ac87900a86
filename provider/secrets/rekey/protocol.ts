import { Operation } from "../../connection";
import { PlanNote } from "../../definition";
import { StewardError } from "../../errors";
import { otherManagerOf } from "../../lifecycle/ownership";
import { cancelAttempt, getStatus, isAutoUnsealed, isReplyLost, restartVerification, startAttempt } from "./api";
import { describeKeys } from "./crypto";
import { RekeyInputs } from "./inputs";
import { emptyReferences, ShareSource } from "./share-sources";
import { Attempt, AttemptIdentity, describe, matches, Observed, RekeyStatus, ServerState, serverStateOf, withNonce } from "./states";
import { autoUnseal, endedByOthers, stopped } from "./stops";

// The table of what the next `pulumi up` does, the driver that follows it, and the helpers of the three resources.

/** The actions in the table of each step. */
interface Actions {
  attempt: "start" | "take over" | "abandon and start" | "defer" | "conflict";
  shares: "restart" | "abandon and start" | "take over" | "submit shares" | "recover" | "conflict";
  commit: "prove and verify" | "outcome unknown" | "probe" | "conflict";
}
/** The driver does these in every step. */
type CommonAction = "cancel probe" | "refuse tampered";

/** One of the three resources of a rekey. */
export type Step = keyof Actions;
/** The part of its state that decides. */
type Held = "nothing" | "an attempt" | "a nonce" | "no nonce" | "a candidate" | "an unknown outcome";
type Line<S extends Step> = readonly [
  holds: readonly Held[],
  server: readonly ServerState[],
  action: Actions[S] | CommonAction,
  name: string,
];

export interface Row {
  step: Step;
  holds: readonly Held[];
  server: readonly ServerState[];
  action: Actions[Step] | CommonAction;
  /** Printed when the row is taken. */
  name: string;
}

/** No share is submitted yet. An attempt in progress may belong to another client. */
const attempt: readonly Line<"attempt">[] = [
  [["nothing", "an attempt"], ["none"], "start", "no attempt is in progress: the rekey starts one"],
  [["nothing", "an attempt"], ["matchingUnused"], "take over", "a matching attempt without shares is in progress: the rekey takes it over"],
  [["an attempt"], ["abandoned"], "abandon and start", "the inputs changed: the rekey cancels its attempt and starts another"],
  [["an attempt"], ["probe"], "cancel probe", "an old probe of this rekey is in progress: the rekey cancels it"],
  [["an attempt"], ["matchingInUse", "foreign"], "defer", "an attempt of unknown origin is in progress: deferred to the shares step"],
  [["nothing"], ["matchingInUse", "foreign"], "conflict", "another client's attempt is in progress: onConflict decides"],
];

/** The attempt is saved, the new shares are not. */
const shares: readonly Line<"shares">[] = [
  [["a nonce", "no nonce"], ["none"], "restart", "the attempt is gone: the rekey starts another and saves its nonce"],
  [
    ["no nonce"],
    ["abandoned"],
    "abandon and start",
    "an older attempt of this rekey is in progress: the rekey cancels it and starts another",
  ],
  [["a nonce", "no nonce"], ["probe"], "cancel probe", "an old probe of this rekey is in progress: the rekey cancels it"],
  [["a nonce", "no nonce"], ["matchingUnused"], "take over", "a matching attempt without shares is in progress: the rekey takes it over"],
  [["a nonce"], ["collecting"], "submit shares", "the attempt is collecting current shares: the rekey submits the available ones"],
  [["a nonce"], ["verifying"], "recover", "the response with the new shares is missing: the rekey reads the backup or starts over"],
  [["a nonce"], ["tampered"], "refuse tampered", "the attempt has the expected nonce but other parameters: the rekey submits no share"],
  [["a nonce", "no nonce"], ["matchingInUse", "foreign"], "conflict", "another client's attempt is in progress: onConflict decides"],
];

/** The new shares are saved, and either they or the previous ones are valid. */
const commit: readonly Line<"commit">[] = [
  [
    ["a candidate", "an unknown outcome"],
    ["verifying"],
    "prove and verify",
    "the new shares are saved but not verified: the rekey proves and commits them",
  ],
  [["a candidate"], ["none"], "outcome unknown", "the attempt is gone, committed or not: the outcome is unknown"],
  [["a candidate", "an unknown outcome"], ["probe"], "cancel probe", "an old probe of this rekey is in progress: the rekey cancels it"],
  [
    ["a candidate", "an unknown outcome"],
    ["tampered"],
    "refuse tampered",
    "the attempt has the expected nonce but other parameters: the rekey submits no share",
  ],
  [
    ["a candidate", "an unknown outcome"],
    ["matchingUnused", "matchingInUse", "foreign"],
    "conflict",
    "another client's attempt is in progress: onConflict decides",
  ],
  [["an unknown outcome"], ["none"], "probe", "the outcome is unknown: a probe tests which shares are live"],
];

/**
 * One row for each pair of what the state holds and what the server shows. A pair without a row stops: it never falls through to a start.
 * A live set, a dead set, and an unknown set whose holders' shares are missing are handled before the table.
 */
export const table: readonly Row[] = Object.entries<readonly Line<Step>[]>({ attempt, shares, commit }).flatMap(([step, lines]) =>
  lines.map(([holds, server, action, name]) => ({ step: step as Step, holds, server, action, name })),
);

export const lineOf = ({ step, name }: Row): string => `rekey, ${step}: ${name}`;

export async function observe(operation: Operation, identity: AttemptIdentity): Promise<Observed> {
  const status = await getStatus(operation);
  return { server: serverStateOf(status, identity), status };
}

/** An action. It returns the state that ends the step; without one, the driver observes the service again. */
export type Act<State> = (observed: Observed) => Promise<State | undefined>;

/** Observes the service and does what the table says, until an action ends the step. */
export async function drive<S extends Step, State extends object>(
  { operation, identity }: { operation: Operation; identity: AttemptIdentity },
  step: S,
  holds: Held,
  actions: Record<Actions[S], Act<State>>,
): Promise<State> {
  const common: Record<CommonAction, Act<State>> = {
    "cancel probe": async (observed) => void (await cancelProbe(operation, observed)),
    "refuse tampered": async (observed) => {
      throw refuseTampered(observed);
    },
  };
  const all = { ...common, ...actions } as Partial<Record<Row["action"], Act<State>>>;
  for (;;) {
    const observed = await observe(operation, identity);
    const row = table.find((each) => each.step === step && each.holds.includes(holds) && each.server.includes(observed.server));
    const act = row && all[row.action];
    if (!row || !act) throw unexpectedState(observed, holds);
    operation.run.log.info(lineOf(row));
    const state = await act(observed);
    if (state) return state;
  }
}

/** Prints what a rekey does in the output of `pulumi up`. */
export const log = (operation: Operation, message: string): void => operation.run.log.info(`rekey: ${message}`);
export const warn = (operation: Operation, message: string): void => operation.run.log.warn(`rekey: ${message}`);

/** Returns the phrase `, encrypted to …` for messages, or an empty string. */
export const recipients = async (pgpKeys: readonly string[] = []): Promise<string> =>
  pgpKeys.length > 0 ? `, encrypted to ${await describeKeys(pgpKeys)}` : "";

/** Names the empty references in a preview. */
export function missingShares(sources: readonly ShareSource[], field: "currentShares" | "newShares"): PlanNote[] {
  const names = emptyReferences(sources, field);
  return names.length > 0 ? [{ path: field, text: `unavailable: ${names.join(", ")}` }] : [];
}

/** Throws if the engine does not save the state after each resource. Call it before the first request that changes anything. */
export function assertSavesEachStep(operation: Operation): void {
  if (operation.run.engine.savesEachStep) return;
  throw stopped(
    "checkpoints-skipped",
    "PULUMI_SKIP_CHECKPOINTS is set, and a rekey needs the state that Pulumi saves after each resource; nothing was sent",
    "Run again without PULUMI_SKIP_CHECKPOINTS.",
    "ERR_INVALID_INPUT",
  );
}

/**
 * Starts an attempt and reads the status back, which also resolves a lost response. Another client may have started the attempt that it then shows, so
 * `nonces` gets its nonce only after a response.
 */
export async function newAttempt(operation: Operation, identity: AttemptIdentity): Promise<Pick<Attempt, "nonces"> & { nonce: string }> {
  const { parameters } = identity;
  if (!parameters.verification && (await isAutoUnsealed(operation))) throw autoUnseal();
  let nonce: string | undefined;
  let lost: unknown;
  try {
    nonce = await startAttempt(operation, parameters);
  } catch (error) {
    if (!isReplyLost(error)) throw await explainStart(operation, error);
    lost = error;
  }
  const { server, status } = await observe(operation, { ...identity, nonce });
  if (server === "none")
    throw lost ?? stopped("attempt-lost-at-start", `the new attempt is gone: ${endedByOthers}`, "Run `pulumi up` again.");
  // Its nonce is known, so it is the new attempt, although other holders may have submitted shares to it.
  const isKnown = server === "collecting" || server === "verifying";
  const isFresh = matches(status, parameters) && !status.verification && status.progress === 0;
  // Without verification, a matching attempt of unknown origin could be there to obtain the shares.
  if (isKnown || (isFresh && (server === "matchingUnused" || !(lost || nonce)))) {
    log(operation, `started attempt ${status.nonce}: ${describe(status)}`);
    return { nonce: status.nonce, nonces: lost ? [...identity.nonces] : withNonce(identity.nonces, status.nonce) };
  }
  if (!lost && status.shares === 1 && parameters.shares > 1)
    throw autoUnseal(`; cancel the attempt ${status.nonce} with \`pulumi-steward rekey cancel\``);
  throw inProgress(status, waitOr(server === "matchingInUse"));
}

async function explainStart(operation: Operation, error: unknown): Promise<unknown> {
  if (!(error instanceof StewardError) || error.status !== 400) return error;
  return (await isAutoUnsealed(operation).catch(() => false)) ? autoUnseal() : error;
}

/** Handles another client's attempt according to `onConflict`. Returns the nonce of a resumed one. */
export async function resolveConflict(
  operation: Operation,
  { server, status }: Observed,
  onConflict: RekeyInputs["onConflict"],
  maySubmit: boolean,
): Promise<string | undefined> {
  if (onConflict === "cancel") {
    // Read again: cancel only the attempt that was just seen.
    const now = await getStatus(operation);
    if (now.nonce === status.nonce) {
      await cancelAttempt(operation, status.nonce);
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
      ? 'It cannot be resumed: it must have the parameters of this rekey, with verification, and still collect current shares. Wait until it ends, or set onConflict: "cancel".'
      : waitOr(server === "matchingInUse" && maySubmit),
  );
}

const waitOr = (mayResume: boolean): string =>
  `Wait until it ends, or set onConflict: ${mayResume ? '"resume" to continue it, or ' : ""}"cancel" to cancel it and discard the shares that others submitted.`;

const inProgress = (status: RekeyStatus, hint: string): StewardError =>
  stopped("foreign-attempt", `another client's attempt ${status.nonce} is in progress (${describe(status)})`, hint, "ERR_CONFLICT");

export const refuseTampered = ({ status }: Observed): StewardError =>
  stopped(
    "tampered-attempt",
    `the attempt ${status.nonce} has other parameters than this rekey requested (${describe(status)}): a share submitted to it could produce keys for an attacker`,
    'Find out who changed it. To start over, set onConflict: "cancel" and change triggers.',
    "ERR_CONFLICT",
  );

/** A pair of state and server that the table does not name. */
const unexpectedState = ({ server, status }: Observed, holds: Held): StewardError =>
  stopped(
    "unexpected-state",
    `unexpected state: the stack holds ${holds}, and the service reports ${status.started ? `the attempt ${status.nonce} (${server}; ${describe(status)})` : "no attempt"}`,
    "Nothing was sent, and the state is kept. See docs/rekey/errors.md#unexpected-state in the package.",
    "ERR_CONFLICT",
  );

/** Cancels an attempt of this rekey. Restarts its verification first, so that a provider that outlived an earlier run cannot commit it. */
export async function cancelOwnAttempt(operation: Operation, status: RekeyStatus): Promise<void> {
  if (status.verification) {
    await restartVerification(operation, status.nonce);
    // A cancel without a nonce ends any attempt that is then in progress.
    if ((await getStatus(operation)).nonce !== status.nonce)
      throw stopped(
        "attempt-lost",
        `the attempt is gone: ${endedByOthers}`,
        "Nothing was canceled. Run again: it continues from the status of the service.",
      );
  }
  await cancelAttempt(operation, status.nonce);
  log(operation, `canceled the attempt ${status.nonce}`);
}

export async function cancelProbe(operation: Operation, { status }: Observed): Promise<void> {
  await cancelAttempt(operation, status.nonce);
  log(operation, `canceled the old probe ${status.nonce}`);
}

/** Cancels what this rekey left on the server: its probe, or an attempt that it started or submitted a share to. */
export async function cancelLeftovers(operation: Operation, observed: Observed, nonces: readonly string[]): Promise<void> {
  if (observed.server === "probe") await cancelProbe(operation, observed);
  if (nonces.includes(observed.status.nonce)) await cancelOwnAttempt(operation, observed.status);
}

/** The objects that the three resources hold. */
export const rekeyObjects = { attempt: "/v1/sys/rekey/init", shares: "/v1/sys/rekey/update", commit: "/v1/sys/rekey/verify" } as const;

/** True if another resource's shares became live after this one's, which are now worthless. */
export function isSucceeded(operation: Operation, { since }: { since?: string }): boolean {
  const other = otherManagerOf(operation, rekeyObjects.commit) as { outcome?: unknown; since?: string } | undefined;
  return other?.outcome === "live" && other.since !== undefined && since !== undefined && other.since > since;
}
