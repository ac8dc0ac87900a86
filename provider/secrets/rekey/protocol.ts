import { Connection } from "../../connection";
import { PlanNote } from "../../definition";
import { StewardError } from "../../errors";
import { heldByAnother } from "../../ownership";
import { cancelAttempt, getStatus, isAutoUnsealed, isReplyLost, restartVerification, startAttempt } from "./api";
import { describeKeys } from "./crypto";
import { emptyReferences, RekeyInputs, ShareSource } from "./inputs";
import { describe, matches, Observed, Ours, RekeyStatus, ServerState, serverStateOf } from "./states";
import { autoUnseal, stopped } from "./stops";

// The table of what the next `pulumi up` does, the driver that follows it, and what the three resources share.

/** The actions in the table of each step. */
interface Actions {
  attempt: "start" | "take over" | "abandon and start" | "defer" | "conflict";
  shares: "restart" | "abandon and start" | "take over" | "submit shares" | "recover" | "conflict";
  commit: "prove and verify" | "outcome unknown" | "cancel duplicate" | "probe" | "conflict";
}
/** The driver does these in every step. */
type CommonAction = "cancel probe" | "refuse tampered";

/** Which of the three resources. @internal */
export type Step = keyof Actions;
/** The part of its state that decides. */
type Held = "nothing" | "an attempt" | "a nonce" | "no nonce" | "a candidate" | "an unknown outcome";
type Line<S extends Step> = readonly [
  holds: readonly Held[],
  server: readonly ServerState[],
  action: Actions[S] | CommonAction,
  name: string,
];

/** @internal */
export interface Row {
  step: Step;
  holds: readonly Held[];
  server: readonly ServerState[];
  action: Actions[Step] | CommonAction;
  /** Printed when the row is taken. */
  name: string;
}

/** Before any share is given: what runs may be somebody else's. */
const attempt: readonly Line<"attempt">[] = [
  [["nothing", "an attempt"], ["none"], "start", "no attempt is in progress: one is started"],
  [["nothing", "an attempt"], ["matchingUnused"], "take over", "one exactly like ours is in progress, without a share: it is taken over"],
  [["an attempt"], ["abandoned"], "abandon and start", "the inputs changed while our attempt runs: it is shut out, and another is started"],
  [["an attempt"], ["probe"], "cancel probe", "an old probe of ours is in progress: it is cancelled"],
  [["an attempt"], ["matchingInUse", "foreign"], "defer", "an attempt of unknown origin is in progress: deferred to the shares step"],
  [["nothing"], ["matchingInUse", "foreign"], "conflict", "somebody else's attempt is in progress: onConflict says what is done"],
];

/** The attempt is saved, the new shares are not. */
const shares: readonly Line<"shares">[] = [
  [["a nonce", "no nonce"], ["none"], "restart", "our attempt is gone: another is started, and its nonce saved"],
  [["no nonce"], ["abandoned"], "abandon and start", "an older attempt of ours is in progress: it is shut out, and another is started"],
  [["a nonce", "no nonce"], ["probe"], "cancel probe", "an old probe of ours is in progress: it is cancelled"],
  [["a nonce", "no nonce"], ["matchingUnused"], "take over", "one exactly like ours is in progress, without a share: it is taken over"],
  [["a nonce"], ["collecting"], "submit shares", "our attempt takes current shares: those at hand are given"],
  [["a nonce"], ["verifying"], "recover", "new shares were made and did not arrive here: they come from the backup, or it starts again"],
  [["a nonce"], ["tampered"], "refuse tampered", "our nonce comes with other parameters than asked for: it gets no share"],
  [
    ["a nonce", "no nonce"],
    ["matchingInUse", "foreign"],
    "conflict",
    "somebody else's attempt is in progress: onConflict says what is done",
  ],
];

/** The new shares are saved, and either they or the former ones open the service. */
const commit: readonly Line<"commit">[] = [
  [
    ["a candidate", "an unknown outcome"],
    ["verifying"],
    "prove and verify",
    "the new shares are saved, not yet verified: they are proven and committed",
  ],
  [["a candidate"], ["none"], "outcome unknown", "our attempt is gone, committed or not: which shares are live is not known"],
  [
    ["a candidate", "an unknown outcome"],
    ["matchingUnused"],
    "cancel duplicate",
    "one exactly like ours is in progress, without a share: it is cancelled",
  ],
  [["a candidate", "an unknown outcome"], ["probe"], "cancel probe", "an old probe of ours is in progress: it is cancelled"],
  [
    ["a candidate", "an unknown outcome"],
    ["tampered"],
    "refuse tampered",
    "our nonce comes with other parameters than asked for: it gets no share",
  ],
  [
    ["a candidate", "an unknown outcome"],
    ["matchingInUse", "foreign"],
    "conflict",
    "somebody else's attempt is in progress: onConflict says what is done",
  ],
  [["an unknown outcome"], ["none"], "probe", "which shares are live is not known: a throw-away attempt asks"],
];

/**
 * One row for each pair of what the state holds and what the server shows. A pair without a row stops: it never falls through to a start.
 * A live set, a dead set, and an unknown set whose holders' shares are missing are handled before the table.
 * @internal
 */
export const table: readonly Row[] = Object.entries<readonly Line<Step>[]>({ attempt, shares, commit }).flatMap(([step, lines]) =>
  lines.map(([holds, server, action, name]) => ({ step: step as Step, holds, server, action, name })),
);

/** @internal */
export const lineOf = ({ step, name }: Row): string => `rekey, ${step}: ${name}`;

/** @internal */
export async function observe(connection: Connection, ours: Ours): Promise<Observed> {
  const status = await getStatus(connection);
  return { server: serverStateOf(status, ours), status };
}

/** An action. It returns the state that ends the step; without one, the driver observes the service again. @internal */
export type Act<State> = (observed: Observed) => Promise<State | undefined>;

/** Observes the service and does what the table says, until an action ends the step. @internal */
export async function drive<S extends Step, State extends object>(
  { connection, ours }: { connection: Connection; ours: Ours },
  step: S,
  holds: Held,
  actions: Record<Actions[S], Act<State>>,
): Promise<State> {
  const common: Record<CommonAction, Act<State>> = {
    "cancel probe": async (observed) => void (await cancelProbe(connection, observed)),
    "refuse tampered": async (observed) => {
      throw refuseTampered(observed);
    },
  };
  const all = { ...common, ...actions } as Partial<Record<Row["action"], Act<State>>>;
  for (;;) {
    const observed = await observe(connection, ours);
    const row = table.find((each) => each.step === step && each.holds.includes(holds) && each.server.includes(observed.server));
    const act = row && all[row.action];
    if (!row || !act) throw unexpectedState(observed, holds);
    connection.say(lineOf(row));
    const state = await act(observed);
    if (state) return state;
  }
}

/** Prints what a rekey does in the output of `pulumi up`. @internal */
export const log = ({ say }: Connection, message: string): void => say(`rekey: ${message}`);
/** @internal */
export const warn = ({ say }: Connection, message: string): void => say(`warning: rekey: ${message}`);

/** To whom new shares are encrypted. @internal */
export const recipients = async (pgpKeys: readonly string[] = []): Promise<string> =>
  pgpKeys.length > 0 ? `, encrypted to ${await describeKeys(pgpKeys)}` : "";

/** The finding about references without a share behind them, for a preview. @internal */
export function missingShares(sources: readonly ShareSource[], field: "currentShares" | "newShares"): PlanNote[] {
  const names = emptyReferences(sources, field);
  return names.length > 0 ? [{ path: field, text: `not at hand: ${names.join(", ")}` }] : [];
}

/** Before the first request that changes something. @internal */
export function assertSavesEachStep(connection: Connection): void {
  if (connection.engine.savesEachStep) return;
  throw stopped(
    "checkpoints-skipped",
    "a rekey relies on the state that Pulumi saves after each resource, and PULUMI_SKIP_CHECKPOINTS keeps it from that; nothing was sent",
    "Run again without PULUMI_SKIP_CHECKPOINTS.",
    "ERR_INVALID_INPUT",
  );
}

/** Starts an attempt and reads it back; a lost reply is settled by what the server shows. @internal */
export async function newAttempt(connection: Connection, ours: Ours): Promise<RekeyStatus> {
  const { parameters } = ours;
  if (!parameters.verification && (await isAutoUnsealed(connection))) throw autoUnseal();
  let nonce: string | undefined;
  let lost: unknown;
  try {
    nonce = await startAttempt(connection, parameters);
  } catch (error) {
    if (!isReplyLost(error)) throw await explainStart(connection, error);
    lost = error;
  }
  const { server, status } = await observe(connection, { ...ours, nonce });
  if (server === "none")
    throw (
      lost ??
      stopped(
        "attempt-lost-at-start",
        "the attempt that was just started is gone: the service was sealed, failed over, or somebody cancelled it",
        "Run `pulumi up` again.",
      )
    );
  // Known by its nonce, it is ours although others have given it shares since.
  const isKnown = server === "collecting" || server === "verifying";
  const isFresh = matches(status, parameters) && !status.verification && status.progress === 0;
  // Without verification, an attempt like ours that we cannot know to be ours may be a trap for our shares.
  if (isKnown || (isFresh && (server === "matchingUnused" || !(lost || nonce)))) {
    log(connection, `started attempt ${status.nonce}: ${describe(status)}`);
    return status;
  }
  if (!lost && status.shares === 1 && parameters.shares > 1)
    throw autoUnseal(`; the attempt ${status.nonce} that it made of it stands until it is cancelled`);
  throw inProgress(status, waitOr(server === "matchingInUse"));
}

async function explainStart(connection: Connection, error: unknown): Promise<unknown> {
  if (!(error instanceof StewardError) || error.status !== 400) return error;
  return (await isAutoUnsealed(connection).catch(() => false)) ? autoUnseal() : error;
}

/** An attempt in the way: ended, or gone on with, or left alone. The nonce: it is ours from now on. @internal */
export async function resolveConflict(
  connection: Connection,
  { server, status }: Observed,
  onConflict: RekeyInputs["onConflict"],
  maySubmit: boolean,
): Promise<string | undefined> {
  if (onConflict === "cancel") {
    // Read once more: what is cancelled is what was just seen.
    const now = await getStatus(connection);
    if (now.nonce === status.nonce) {
      await cancelAttempt(connection, status.nonce);
      log(connection, `cancelled somebody else's attempt ${status.nonce}: ${describe(now)}`);
    }
    return undefined;
  }
  if (onConflict === "resume" && server === "matchingInUse" && maySubmit) {
    log(connection, `resumed somebody else's attempt ${status.nonce}: ${describe(status)}`);
    return status.nonce;
  }
  throw inProgress(
    status,
    onConflict === "resume"
      ? 'It cannot be resumed: that needs exactly our parameters, verification, and that its current shares are being collected. Wait until it has ended, or set onConflict: "cancel".'
      : waitOr(server === "matchingInUse" && maySubmit),
  );
}

const waitOr = (mayResume: boolean): string =>
  `Wait until it has ended, or set onConflict: ${mayResume ? '"resume" to go on with it, or ' : ""}"cancel" to end it, and with it the shares that others gave.`;

const inProgress = (status: RekeyStatus, hint: string): StewardError =>
  stopped("foreign-attempt", `somebody else's rekey is in progress, attempt ${status.nonce} (${describe(status)})`, hint, "ERR_CONFLICT");

/** @internal */
export const refuseTampered = ({ status }: Observed): StewardError =>
  stopped(
    "tampered-attempt",
    `the attempt has our nonce ${status.nonce}, and not what we asked for (${describe(status)}): a share given to it could make keys for somebody else`,
    'Find out who changed it; onConflict: "cancel" and a change of triggers begin anew.',
    "ERR_CONFLICT",
  );

/** A pair of state and server that the table does not name. */
const unexpectedState = ({ server, status }: Observed, holds: Held): StewardError =>
  stopped(
    "unexpected-state",
    `unexpected state: the stack holds ${holds}, and the service shows ${status.started ? `the attempt ${status.nonce} (${server}; ${describe(status)})` : "no attempt"}`,
    "Nothing was sent and everything is kept: docs/rekey.md, in the package, tells what to do by hand.",
    "ERR_CONFLICT",
  );

/** Ends an attempt of ours. What an orphan of an earlier run may still send to verify it is shut out first. @internal */
export async function cancelOurs(connection: Connection, status: RekeyStatus): Promise<void> {
  if (status.verification) await restartVerification(connection, status.nonce);
  await cancelAttempt(connection, status.nonce);
  log(connection, `cancelled our attempt ${status.nonce}`);
}

/** @internal */
export async function cancelProbe(connection: Connection, { status }: Observed): Promise<void> {
  await cancelAttempt(connection, status.nonce);
  log(connection, `cancelled an old probe of ours, ${status.nonce}`);
}

/** Cancels what this rekey left on the server: its attempt or its probe, and no other attempt. @internal */
export async function endOurs(connection: Connection, observed: Observed): Promise<void> {
  if (observed.server === "probe") await cancelProbe(connection, observed);
  if (["collecting", "verifying", "abandoned"].includes(observed.server)) await cancelOurs(connection, observed.status);
}

/** The objects that the three resources hold. @internal */
export const rekeyObjects = { attempt: "/v1/sys/rekey/init", shares: "/v1/sys/rekey/update", commit: "/v1/sys/rekey/verify" } as const;

/** Another resource's set became live after this one's, which is worthless now. @internal */
export function isSucceeded(connection: Connection, { since }: { since?: string }): boolean {
  const other = heldByAnother(connection, rekeyObjects.commit) as { outcome?: unknown; since?: string } | undefined;
  return other?.outcome === "live" && other.since !== undefined && since !== undefined && other.since > since;
}
