import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { Connection } from "../../connection";
import { StewardError } from "../../errors";
import { unexpectedResponse } from "../../failure";
import { delayAfter429 } from "../../http";
import { apiPath, call, dialectOf, isFromService } from "../client";
import { decodeShare } from "./crypto";
import { Parameters, RekeyBackup, RekeyStatus, ShareSet } from "./states";
import { identified } from "./stops";

// The service's side of a rekey: `sys/rekey/*`, one function for each request.

const init = apiPath("sys/rekey/init");
const verify = apiPath("sys/rekey/verify");
const backup = apiPath("sys/rekey/backup");

// It is printed and kept in clear text: whoever answers puts nothing else in its place.
const nonceAnswer = z.string().regex(/^[\w-]{0,64}$/);
const texts = z.array(z.string()).nullish();
const statusAnswer = z.object({
  started: z.boolean(),
  nonce: nonceAnswer.default(""),
  t: z.int().default(0),
  n: z.int().default(0),
  progress: z.int().default(0),
  required: z.int().default(0),
  pgp_fingerprints: texts,
  backup: z.boolean().default(false),
  verification_required: z.boolean().default(false),
  verification_nonce: z.string().optional(),
});
/** The API document does not say what a start answers with; Vault answers as to a question for the status. */
const startAnswer = z.object({ nonce: nonceAnswer });
const verificationAnswer = z.object({
  nonce: z.string(),
  t: z.int().default(0),
  n: z.int().default(0),
  progress: z.int().default(0),
  started: z.boolean().default(true),
});
const updateAnswer = z.object({
  complete: z.boolean().default(false),
  keys: texts,
  keys_base64: texts,
  pgp_fingerprints: texts,
  progress: z.int().optional(),
});
const backupAnswer = z.object({ nonce: z.string(), keys: z.record(z.string(), z.union([z.string(), z.array(z.string())])).nullish() });

function parse<T>(schema: z.ZodType<T>, body: unknown, method: string, path: string): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw unexpectedAnswer(method, path);
}

const unexpectedAnswer = (method: string, path: string): StewardError =>
  identified(
    "unexpected-response",
    unexpectedResponse(method, path, "the server's answer is not that of a rekey", "Check the connection's address."),
  );

/** A request that changes the attempt: never repeated by itself, and never sent when nobody is left to save what it brings. */
async function act(connection: Connection, method: "PUT" | "DELETE", path: string, body?: object): Promise<unknown> {
  await connection.engine.assertAlive();
  return call(connection, { method, path, ...(body ? { body } : {}), retry: "never" });
}

/** @internal */
export async function getStatus(connection: Connection): Promise<RekeyStatus> {
  const body = await call(connection, { method: "GET", path: init, retry: "idempotent" });
  const status = parse(statusAnswer, body, "GET", init);
  if (status.started && status.nonce === "") throw unexpectedAnswer("GET", init);
  const shown: RekeyStatus = {
    started: status.started,
    nonce: status.nonce,
    threshold: status.t,
    shares: status.n,
    progress: status.progress,
    required: status.required,
    pgpFingerprints: (status.pgp_fingerprints ?? []).map((fingerprint) => fingerprint.toLowerCase()),
    backup: status.backup,
    verificationRequired: status.verification_required,
  };
  // The API document's status does not tell whether the new shares are being verified: only asking for that does.
  const mayVerify = dialectOf(connection).statusTellsVerification ? Boolean(status.verification_nonce) : status.verification_required;
  const verification = status.started && mayVerify ? await getVerification(connection) : undefined;
  return verification ? { ...shown, verification } : shown;
}

async function getVerification(connection: Connection): Promise<RekeyStatus["verification"]> {
  try {
    return verificationOf(await call(connection, { method: "GET", path: verify, retry: "idempotent" }), "GET");
  } catch (error) {
    // Before the verification, and after the attempt, there is nothing to show.
    if (error instanceof StewardError && (error.status === 400 || error.status === 404)) return undefined;
    throw error;
  }
}

function verificationOf(body: unknown, method: string): RekeyStatus["verification"] {
  const { nonce, started, progress, t, n } = parse(verificationAnswer, body, method, verify);
  return started && nonce !== "" ? { nonce, progress, threshold: t, shares: n } : undefined;
}

/** The nonce, where the answer names it. @internal */
export async function startAttempt(connection: Connection, parameters: Parameters): Promise<string | undefined> {
  const wanted = {
    secret_shares: parameters.shares,
    secret_threshold: parameters.threshold,
    ...(parameters.pgpKeys.length > 0 ? { pgp_keys: parameters.pgpKeys } : {}),
    backup: parameters.backup,
    require_verification: parameters.verification,
  };
  const isNoneInProgress = async (): Promise<boolean> => !(await getStatus(connection)).started;
  const body = await retryAfter429(connection, () => act(connection, "PUT", init, wanted), isNoneInProgress);
  return startAnswer.safeParse(body).data?.nonce || undefined;
}

/** Ends the attempt of this nonce; one that is gone already is as good. @internal */
export async function cancelAttempt(connection: Connection, nonce: string): Promise<void> {
  const isInProgress = async (): Promise<boolean> => (await getStatus(connection)).nonce === nonce;
  const cancel = (): Promise<unknown> => act(connection, "DELETE", init, dialectOf(connection).cancelNamesNonce ? { nonce } : undefined);
  const send = (): Promise<unknown> => retryAfter429(connection, cancel, isInProgress);
  const key = JSON.stringify(["cancelled", connection.server, nonce]);
  // No nonce comes twice: whoever goes on cancelling it would do so for ever.
  if (connection.cache.has(key))
    throw identified(
      "cancel-ineffective",
      unexpectedResponse(
        "DELETE",
        init,
        "the service still shows an attempt that it said was cancelled",
        "See its log, and what stands between.",
      ),
    );
  try {
    await send();
  } catch (error) {
    if (!isReplyLost(error)) throw error;
    // The status tells if the cancel was applied.
    if (await isInProgress()) await send();
  }
  connection.cache.set(key, true);
}

/** Gives a current share. A set: it was the last one. @internal */
export async function submitShare(
  connection: Connection,
  given: { nonce: string; share: string },
  parameters: Pick<Parameters, "threshold" | "fingerprints">,
): Promise<{ set?: ShareSet; progress?: number }> {
  const path = apiPath("sys/rekey/update");
  const body = await act(connection, "PUT", path, { key: given.share, nonce: given.nonce });
  const { complete, keys, keys_base64, pgp_fingerprints, progress } = parse(updateAnswer, body, "PUT", path);
  if (!complete) return { progress };
  const { threshold, fingerprints } = parameters;
  const order = pgp_fingerprints?.length ? pgp_fingerprints.map((each) => each.toLowerCase()) : fingerprints;
  const encrypted = fingerprints.length > 0 ? (keys ?? []).map((share, index) => ({ fingerprint: order[index] ?? "", share })) : [];
  const plain = keys_base64 && keys_base64.length > 0 ? keys_base64 : (keys ?? []);
  const shares = fingerprints.length > 0 ? [] : plain.map((share) => decodeShare(share)?.toString("base64") ?? share);
  return { set: { nonce: given.nonce, threshold, shares, encrypted } };
}

/** Begins the verification of the attempt of this nonce anew: a fresh nonce, which an older request does not know. @internal */
export async function restartVerification(connection: Connection, nonce: string): Promise<RekeyStatus["verification"]> {
  const isVerifying = async (): Promise<boolean> => {
    const status = await getStatus(connection);
    return status.nonce === nonce && status.verification !== undefined;
  };
  const send = (): Promise<unknown> => retryAfter429(connection, () => act(connection, "DELETE", verify), isVerifying);
  const body = await send().catch((error) => {
    // To begin anew twice is as good as once.
    if (isReplyLost(error)) return send();
    throw error;
  });
  return verificationOf(body, "DELETE");
}

/** Gives a new share back. true: it was the last one, and the new set is live. @internal */
export async function verifyShare(connection: Connection, given: { nonce: string; share: string }): Promise<boolean> {
  const body = await act(connection, "PUT", verify, { key: given.share, nonce: given.nonce });
  return parse(updateAnswer, body, "PUT", verify).complete;
}

/** @internal */
export async function getBackup(connection: Connection): Promise<RekeyBackup | undefined> {
  try {
    const body = await call(connection, { method: "GET", path: backup, retry: "idempotent" });
    const data = (body as { data?: unknown } | undefined)?.data ?? body;
    const { nonce, keys } = parse(backupAnswer, data, "GET", backup);
    return {
      nonce,
      keys: Object.fromEntries(
        Object.entries(keys ?? {}).map(([fingerprint, share]) => [fingerprint.toLowerCase(), Array.isArray(share) ? share : [share]]),
      ),
    };
  } catch (error) {
    const { noBackup } = dialectOf(connection);
    // A gateway's 404 must not pass for "no backup": the next share would overwrite the one that exists.
    if (error instanceof StewardError && noBackup.includes(error.status ?? 0) && isFromService(error)) return undefined;
    throw explainDenied(error, connection, "read");
  }
}

/** The same error, with what the token needs where the service denies it the backup. */
function explainDenied(error: unknown, connection: Connection, capability: "read" | "delete"): unknown {
  if (!(error instanceof StewardError) || error.status !== 403 || connection.token() === undefined) return error;
  return error.with({
    hint: `${error.details.hint} Its policies must allow ${capability} on sys/rekey/backup, and sudo if the service's OpenAPI document marks that path so.`,
  });
}

/** Removes the backup of the attempt of this nonce. @internal */
export async function removeBackup(connection: Connection, nonce: string): Promise<void> {
  // Sent again blindly, it could remove what somebody else has written meanwhile.
  const isKept = async (): Promise<boolean> => (await getBackup(connection))?.nonce === nonce;
  const remove = (): Promise<unknown> =>
    act(connection, "DELETE", backup).catch((error) => {
      throw explainDenied(error, connection, "delete");
    });
  await retryAfter429(connection, remove, isKept);
}

/** The server answered before it looked at the share, so the share does not count. @internal */
export const wasNotCounted = (error: StewardError): boolean =>
  !isReplyLost(error) && (error.status === undefined || error.status < 400 || [401, 403, 404, 429, 503].includes(error.status));

/** The request may have been applied, although no response came. @internal */
export const isReplyLost = (error: unknown): boolean => error instanceof StewardError && Boolean(error.details.outcomeUnknown);

/** Whether the service says that its seal keeps the key. @internal */
export async function isAutoUnsealed(connection: Connection): Promise<boolean> {
  if (!dialectOf(connection).showsSeal) return false;
  const path = apiPath("sys/seal-status");
  const body = await call(connection, { method: "GET", path, retry: "idempotent" });
  return Boolean((body as { recovery_seal?: unknown } | undefined)?.recovery_seal);
}

/** Whether the rekey succeeds without a share: the API document then asks for one of one. @internal */
export const mayReturnNoShares = (
  connection: Connection,
  { shares, threshold, fingerprints, verification }: Pick<Parameters, "shares" | "threshold" | "fingerprints" | "verification">,
): boolean => dialectOf(connection).mayKeepShare && shares === 1 && threshold === 1 && fingerprints.length === 0 && !verification;

/** All waits of a run, whatever they were for. */
interface Waits {
  count: number;
  milliseconds: number;
}

/** Waits after a 429. Throws every other error, and the 429 itself once all waits of this run would last longer than the deadline of a request. @internal */
export async function waitAfter429(connection: Connection, error: unknown): Promise<void> {
  const key = "rekey: waits after 429";
  const { count, milliseconds } = (connection.cache.get(key) as Waits | undefined) ?? { count: 0, milliseconds: 0 };
  const pause = delayAfter429(connection, error, count);
  if (pause === undefined || milliseconds + pause > connection.limits.deadline) throw error;
  connection.cache.set(key, { count: count + 1, milliseconds: milliseconds + pause });
  await sleep(pause);
}

/**
 * Sends again what a 429 refused, which says that nothing was applied. Meanwhile the attempt may have become another one: `isStillCurrent` looks at the service
 * again before anything is sent.
 * @internal
 */
export async function retryAfter429<T>(connection: Connection, send: () => Promise<T>, isStillCurrent: () => Promise<boolean>): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      await waitAfter429(connection, error);
      if (!(await isStillCurrent())) throw error;
    }
  }
}
