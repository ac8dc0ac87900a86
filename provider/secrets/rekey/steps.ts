import { Connection } from "../../connection";
import { PlanNote } from "../../definition";
import { StewardError, Unfinished } from "../../errors";
import { heldByAnother } from "../../ownership";
import { RekeyInputs } from "./declaration";
import { describeKeys } from "./pgp";
import { cancelAttempt, getStatus, isReplyLost, Parameters, RekeyStatus, restartVerification, startAttempt } from "./server";
import { emptyReferences, ShareSource } from "./share";
import { describe, look, matches, Ours, Situation } from "./situation";
import { keepsItsKey, storedSeal } from "./stored-seal";

// What the three resources of a rekey do alike.

/** What the attempt hands on to the shares, and these to the commit. @internal */
export interface Attempt {
  /** Of this attempt in the state; a change of it makes the shares begin anew. */
  id: string;
  /** Missing: what ran on the server was left to the shares. */
  nonce?: string;
  /** Of all attempts so far: a backup of one of them is ours. */
  nonces: string[];
  parameters: Parameters;
  /** A public key whose private part nobody has. */
  probe: { key: string; fingerprint: string };
}

/** What an attempt makes ours, of which the resources after it may have begun another. @internal */
export const oursOf = ({ parameters, probe }: Attempt, nonces: readonly string[], nonce?: string): Ours => ({
  nonce,
  nonces,
  parameters,
  probe: probe.fingerprint,
});

/** A line of the story that `pulumi up` tells. @internal */
export const tell = ({ say }: Connection, text: string): void => say(`rekey: ${text}`);

/** To whom new shares are encrypted. @internal */
export const recipients = async (pgpKeys: readonly string[] = []): Promise<string> =>
  pgpKeys.length > 0 ? `, encrypted to ${await describeKeys(pgpKeys)}` : "";

/** What the preview says of references behind which there is no share. @internal */
export function missingShares(sources: readonly ShareSource[], field: "currentShares" | "newShares"): PlanNote[] {
  const names = emptyReferences(sources, field);
  return names.length > 0 ? [{ path: field, text: `not at hand: ${names.join(", ")}` }] : [];
}

/** Before the first request that changes something. @internal */
export function assertSavesEachStep(connection: Connection): void {
  if (connection.engine.savesEachStep) return;
  throw new StewardError({
    code: "ERR_INVALID_INPUT",
    reason:
      "a rekey relies on the state that Pulumi saves after each resource, and PULUMI_SKIP_CHECKPOINTS keeps it from that; nothing was sent",
    advice: "Run again without PULUMI_SKIP_CHECKPOINTS.",
  });
}

/** Starts an attempt and reads it back; a lost reply is settled by what the server shows. @internal */
export async function newAttempt(connection: Connection, ours: Ours): Promise<RekeyStatus> {
  const { parameters } = ours;
  if (!parameters.verification && (await keepsItsKey(connection))) throw storedSeal();
  let nonce: string | undefined;
  let lost: unknown;
  try {
    nonce = await startAttempt(connection, parameters);
  } catch (error) {
    if (!isReplyLost(error)) throw await explainStart(connection, error);
    lost = error;
  }
  const { kind, status } = await look(connection, { ...ours, nonce });
  if (kind === "none")
    throw (
      lost ??
      stopped(
        "the attempt that was just started is gone: the service was sealed, failed over, or somebody cancelled it",
        "Run `pulumi up` again.",
      )
    );
  // Known by its nonce, it is ours although others have given it shares since.
  const isKnown = kind === "collecting" || kind === "verifying";
  const isFresh = matches(status, parameters) && !status.verification && status.progress === 0;
  // Without verification, an attempt like ours that we cannot know to be ours may be a trap for our shares.
  if (isKnown || (isFresh && (kind === "untouched" || !(lost || nonce)))) {
    tell(connection, `started attempt ${status.nonce}: ${describe(status)}`);
    return status;
  }
  if (!lost && status.shares === 1 && parameters.shares > 1)
    throw storedSeal(`; the attempt ${status.nonce} that it made of it stands until it is cancelled`);
  throw inProgress(status, waitOr(kind === "alike"));
}

async function explainStart(connection: Connection, error: unknown): Promise<unknown> {
  if (!(error instanceof StewardError) || error.status !== 400) return error;
  return (await keepsItsKey(connection).catch(() => false)) ? storedSeal() : error;
}

/** An attempt in the way: ended, or gone on with, or left alone. The nonce: it is ours from now on. @internal */
export async function settleConflict(
  connection: Connection,
  { kind, status }: Situation,
  onConflict: RekeyInputs["onConflict"],
  maySubmit: boolean,
): Promise<string | undefined> {
  if (onConflict === "cancel") {
    // Read once more: what is cancelled is what was just seen.
    const now = await getStatus(connection);
    if (now.nonce === status.nonce) {
      await cancelAttempt(connection, status.nonce);
      tell(connection, `cancelled somebody else's attempt ${status.nonce}: ${describe(now)}`);
    }
    return undefined;
  }
  if (onConflict === "resume" && kind === "alike" && maySubmit) {
    tell(connection, `resumed somebody else's attempt ${status.nonce}: ${describe(status)}`);
    return status.nonce;
  }
  throw inProgress(
    status,
    onConflict === "resume"
      ? 'It cannot be resumed: that needs exactly our parameters, verification, and that its current shares are being collected. Wait until it has ended, or set onConflict: "cancel".'
      : waitOr(kind === "alike" && maySubmit),
  );
}

const waitOr = (mayResume: boolean): string =>
  `Wait until it has ended, or set onConflict: ${mayResume ? '"resume" to go on with it, or ' : ""}"cancel" to end it, and with it the shares that others gave.`;

const inProgress = (status: RekeyStatus, advice: string): StewardError =>
  new StewardError({
    code: "ERR_CONFLICT",
    reason: `somebody else's rekey is in progress, attempt ${status.nonce} (${describe(status)})`,
    advice,
  });

/** Ends an attempt of ours. What an orphan of an earlier run may still send to verify it is shut out first. @internal */
export async function cancelOurs(connection: Connection, status: RekeyStatus): Promise<void> {
  if (status.verification) await restartVerification(connection, status.nonce);
  await cancelAttempt(connection, status.nonce);
  tell(connection, `cancelled our attempt ${status.nonce}`);
}

/** @internal */
export async function cancelProbe(connection: Connection, { status }: Situation): Promise<void> {
  await cancelAttempt(connection, status.nonce);
  tell(connection, `cancelled an old probe of ours, ${status.nonce}`);
}

/** What a delete ends: nothing of anybody else's. @internal */
export async function endOurs(connection: Connection, situation: Situation): Promise<void> {
  if (situation.kind === "probe") await cancelProbe(connection, situation);
  if (["collecting", "verifying", "former"].includes(situation.kind)) await cancelOurs(connection, situation.status);
}

/** What each of the three resources of a rekey holds. @internal */
export const rekeyObjects = { attempt: "/v1/sys/rekey/init", shares: "/v1/sys/rekey/update", commit: "/v1/sys/rekey/verify" } as const;

/** Whether the set of another resource became live after this one's, which is worthless then. @internal */
export function isSucceeded(connection: Connection, { since }: { since?: string }): boolean {
  const other = heldByAnother(connection, rekeyObjects.commit) as { outcome?: unknown; since?: string } | undefined;
  return other?.outcome === "live" && other.since !== undefined && since !== undefined && other.since > since;
}

/** @internal */
export const refuseAltered = ({ status }: Situation): StewardError =>
  new StewardError({
    code: "ERR_CONFLICT",
    reason: `the attempt has our nonce ${status.nonce}, and not what we asked for (${describe(status)}): a share given to it could make keys for somebody else`,
    advice: 'Find out who changed it; onConflict: "cancel" and a change of triggers begin anew.',
  });

/** A pair of state and server that the table does not name. @internal */
export const unforeseen = ({ kind, status }: Situation, holds: string): StewardError =>
  new StewardError({
    code: "ERR_CONFLICT",
    reason: `this is not foreseen: the state holds ${holds}, and the server shows ${status.started ? `the attempt ${status.nonce} (${kind}; ${describe(status)})` : "no attempt"}`,
    advice: "Nothing was sent and everything is kept: docs/rekey.md, in the package, tells what to do by hand.",
  });

/** @internal */
export const stopped = (reason: string, advice?: string): StewardError => new StewardError({ code: "ERR_INCOMPLETE", reason, advice });

/** What a run has done so far is saved, and the next one goes on from it. @internal */
export const unfinished = ({ state }: { state: object }, reason: string, advice: string): StewardError =>
  new Unfinished({ ...state, unfinished: true }, { reason, advice });

/** A delete that would take shares along. @internal */
export const unsettled = (reason: string): StewardError =>
  stopped(reason, "Run `pulumi up` until it is settled; or set discardShares: true, run `pulumi up`, and delete then.");
