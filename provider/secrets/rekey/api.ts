import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { Operation } from "../../connection";
import { StewardError } from "../../errors";
import { delayAfter429, Request } from "../../http";
import { unexpectedResponse } from "../../http/failure";
import { isObject } from "../../text/json";
import { apiPath, call, dialectOf, foreignResponse, isFromService } from "../client";
import { decodeShare } from "./crypto";
import { backupSchema, sealSchema, startSchema, statusSchema, updateSchema, verificationSchema } from "./responses";
import { Parameters, RekeyBackup, RekeyStatus, ShareSet } from "./states";
import { identified } from "./stops";

// The endpoints of a rekey, below the dialect's path: one function for each request.

type Endpoint = "init" | "update" | "verify" | "backup";

/** The fields of a response, and its request. */
interface Answer {
  fields: unknown;
  method: string;
  path: string;
}

const pathTo = (operation: Operation, endpoint: Endpoint): string => apiPath(dialectOf(operation).rekey.path, endpoint);

function parse<T>(schema: z.ZodType<T>, answer: Answer): T {
  const parsed = schema.safeParse(answer.fields);
  if (parsed.success) return parsed.data;
  throw unexpectedBody(answer);
}

const unexpectedBody = ({ method, path }: Answer): StewardError =>
  identified(
    "unexpected-response",
    unexpectedResponse(method, path, "the response is not from the rekey API", "Check the connection's address."),
  );

async function send(operation: Operation, endpoint: Endpoint, request: Pick<Request, "method" | "body" | "retry">): Promise<Answer> {
  const path = pathTo(operation, endpoint);
  // The responses to shares are parsed. A strange one may still hold the only copy of the new shares.
  const ownsBody = endpoint === "update" || endpoint === "verify" ? isObject : undefined;
  const body = await call(operation, { ...request, path }, ownsBody).catch((error) => {
    if (error.details?.rule === foreignResponse) throw unexpectedBody({ fields: undefined, method: request.method, path });
    throw explainDenied(error, operation, endpoint);
  });
  const fields = dialectOf(operation).rekey.wrapsData ? (body as { data?: unknown } | undefined)?.data : body;
  return { fields, method: request.method, path };
}

const capabilities: Record<string, string> = { GET: "read", PUT: "update", POST: "update", DELETE: "delete" };

/** The same error, with the path and the capability that a policy must grant where the service denies a request. */
function explainDenied(error: unknown, operation: Operation, endpoint: Endpoint): unknown {
  if (!(error instanceof StewardError) || error.status !== 403) return error;
  const path = `${dialectOf(operation).rekey.path}/${endpoint}`;
  const policy = `The token's policy must grant \`${capabilities[error.details.method ?? ""]}\` on ${path}.`;
  return error.with({ hint: `${error.details.hint ?? ""} ${policy}`.trim() });
}

const get = (operation: Operation, endpoint: Endpoint): Promise<Answer> =>
  send(operation, endpoint, { method: "GET", retry: "idempotent" });

/** Changes the attempt: never retried blindly, and never sent when Pulumi can no longer save the response. */
async function act(operation: Operation, method: "PUT" | "POST" | "DELETE", endpoint: Endpoint, body?: object): Promise<Answer> {
  await operation.run.engine.assertAlive();
  return send(operation, endpoint, { method, ...(body ? { body } : {}), retry: "never" });
}

const write = (operation: Operation, endpoint: Endpoint, body: object): Promise<Answer> =>
  act(operation, dialectOf(operation).rekey.write, endpoint, body);

/** The responses of OpenBao to the status, for a namespace without unseal keys, and to `sys/health`, for any namespace. */
const namespaced = /namespace is not sealable|unavailable in namespaces/;

const explainNamespace = (error: unknown): unknown =>
  error instanceof StewardError && namespaced.test(error.details.reason)
    ? error.with({ hint: "The rekey of a namespace is not supported: use a connection without a namespace." })
    : error;

/** The same error, with the dialect to use where the service does not serve the path of this one. */
function explainNotServed(error: unknown, operation: Operation): unknown {
  const { status, reason, hint } = dialectOf(operation).rekey.notServed;
  if (!(error instanceof StewardError) || !isFromService(error) || error.status !== status) return explainNamespace(error);
  return identified("wrong-dialect", error.with({ code: "ERR_REJECTED", reason, hint }));
}

export async function getStatus(operation: Operation): Promise<RekeyStatus> {
  const answer = await get(operation, "init").catch((error) => {
    throw explainNotServed(error, operation);
  });
  const status = parse(statusSchema, answer);
  if (status.started && status.nonce === "") throw unexpectedBody(answer);
  if (!status.started) await assertActiveNode(operation);
  const shown: RekeyStatus = {
    started: status.started,
    nonce: status.nonce,
    threshold: status.t,
    shares: status.n,
    progress: status.progress,
    required: status.required ?? status.seal_threshold ?? 0,
    pgpFingerprints: (status.pgp_fingerprints ?? []).map((fingerprint) => fingerprint.toLowerCase()),
    backup: status.backup,
    verificationRequired: status.verification_required,
  };
  // The status of the API document does not show a verification in progress: only a GET of the verification does.
  const mayVerify = dialectOf(operation).statusTellsVerification ? Boolean(status.verification_nonce) : status.verification_required;
  const verification = status.started && mayVerify ? await getVerification(operation) : undefined;
  return verification ? { ...shown, verification } : shown;
}

/** A standby of OpenBao knows no attempt of the active node, and its keys may be old. */
async function assertActiveNode(operation: Operation): Promise<void> {
  if (!dialectOf(operation).rekey.standbysRespond) return;
  await call(operation, { method: "GET", path: apiPath("sys/health"), retry: "never" }).catch((error) => {
    if (!(error instanceof StewardError) || ![429, 473, 474].includes(error.status ?? 0)) throw explainNamespace(error);
    const reason = `${operation.server.address} leads to a standby, which knows nothing of a rekey on the active node`;
    const hint = "Set the connection's address to the active node, or to a load balancer whose health check is /v1/sys/health.";
    throw identified("standby", error.with({ code: "ERR_UNAVAILABLE", reason, hint }));
  });
}

async function getVerification(operation: Operation): Promise<RekeyStatus["verification"]> {
  try {
    return verificationOf(await get(operation, "verify"));
  } catch (error) {
    // No verification is in progress.
    if (error instanceof StewardError && (error.status === 400 || error.status === 404)) return undefined;
    throw error;
  }
}

function verificationOf(answer: Answer): RekeyStatus["verification"] {
  const { nonce, started, progress, t, n } = parse(verificationSchema, answer);
  return started && nonce !== "" ? { nonce, progress, threshold: t, shares: n } : undefined;
}

/** Starts an attempt. Returns its nonce, if the response names it. */
export async function startAttempt(operation: Operation, parameters: Omit<Parameters, "encryptionKeys">): Promise<string | undefined> {
  const wanted = {
    secret_shares: parameters.shares,
    secret_threshold: parameters.threshold,
    ...(parameters.pgpKeys.length > 0 ? { pgp_keys: parameters.pgpKeys } : {}),
    backup: parameters.backup,
    require_verification: parameters.verification,
  };
  const isNoneInProgress = async (): Promise<boolean> => !(await getStatus(operation)).started;
  const { fields } = await retryAfter429(operation, () => write(operation, "init", wanted), isNoneInProgress);
  return startSchema.safeParse(fields).data?.nonce || undefined;
}

/**
 * Cancels the attempt with this nonce. Returns false if the attempt was gone: canceled by this or another request, or committed. In a dialect that sends
 * no nonce, this ends any attempt in progress, so check the status first.
 */
export async function cancelAttempt(operation: Operation, nonce: string): Promise<boolean> {
  const isInProgress = async (): Promise<boolean> => (await getStatus(operation)).nonce === nonce;
  const body = dialectOf(operation).cancelNamesNonce ? { nonce } : undefined;
  const cancel = (): Promise<Answer> => retryAfter429(operation, () => act(operation, "DELETE", "init", body), isInProgress);
  const key = JSON.stringify(["canceled", operation.server.id, nonce]);
  // A nonce is never used twice: canceling the same one again would loop forever.
  if (operation.run.cache.has(key))
    throw identified(
      "cancel-ineffective",
      unexpectedResponse(
        "DELETE",
        pathTo(operation, "init"),
        "the service still reports an attempt that it confirmed as canceled",
        "Check its log, and the proxies in front of it.",
      ),
    );
  let isConfirmed = true;
  try {
    await cancel();
  } catch (error) {
    const refusal = error instanceof StewardError && error.status === 400 ? error : undefined;
    if (!isReplyLost(error) && !refusal) throw error;
    // The status shows whether the cancel was applied, or another client ended the attempt before.
    const isLeft = await isInProgress();
    if (isLeft && refusal) throw explainRefusedCancel(refusal, operation);
    if (isLeft) await cancel();
    isConfirmed = isLeft;
  }
  operation.run.cache.set(key, true);
  return isConfirmed;
}

/** Vault refuses a cancel without a body: a connection without a dialect sends none. */
const explainRefusedCancel = (error: StewardError, operation: Operation): StewardError =>
  dialectOf(operation).cancelNamesNonce
    ? error
    : identified("wrong-dialect", error.with({ hint: 'If the service is Vault, set the connection\'s dialect to "hashicorp".' }));

/** Submits a current share. The response to the last one holds the new set. */
export async function submitShare(
  operation: Operation,
  { nonce, share }: { nonce: string; share: string },
  parameters: Pick<Parameters, "threshold" | "fingerprints">,
): Promise<{ set?: ShareSet; progress?: number }> {
  const answer = await write(operation, "update", { key: share, nonce });
  const { complete, keys, keys_base64, pgp_fingerprints, progress } = parse(updateSchema, answer);
  if (!complete) return { progress };
  const { threshold, fingerprints } = parameters;
  const order = pgp_fingerprints?.length ? pgp_fingerprints.map((each) => each.toLowerCase()) : fingerprints;
  const encrypted = fingerprints.length > 0 ? (keys ?? []).map((each, index) => ({ fingerprint: order[index] ?? "", share: each })) : [];
  const plain = keys_base64 && keys_base64.length > 0 ? keys_base64 : (keys ?? []);
  const shares = fingerprints.length > 0 ? [] : plain.map((each) => decodeShare(each)?.toString("base64") ?? each);
  return { set: { nonce, threshold, shares, encrypted } };
}

/** Restarts the verification of the attempt with this nonce, under a new nonce that requests of earlier runs do not know. */
export async function restartVerification(operation: Operation, nonce: string): Promise<RekeyStatus["verification"]> {
  const isVerifying = async (): Promise<boolean> => {
    const status = await getStatus(operation);
    return status.nonce === nonce && status.verification !== undefined;
  };
  const restart = (): Promise<Answer> => retryAfter429(operation, () => act(operation, "DELETE", "verify"), isVerifying);
  const answer = await restart().catch((error) => {
    // A restart is idempotent.
    if (isReplyLost(error)) return restart();
    throw error;
  });
  return verificationOf(answer);
}

/** Verifies a new share. Returns true if it was the last one and the new set is live. */
export async function verifyShare(operation: Operation, { nonce, share }: { nonce: string; share: string }): Promise<boolean> {
  return parse(updateSchema, await write(operation, "verify", { key: share, nonce })).complete;
}

export async function getBackup(operation: Operation): Promise<RekeyBackup | undefined> {
  try {
    const { nonce, keys } = parse(backupSchema, await get(operation, "backup"));
    return {
      nonce,
      keys: Object.fromEntries(
        Object.entries(keys ?? {}).map(([fingerprint, share]) => [fingerprint.toLowerCase(), Array.isArray(share) ? share : [share]]),
      ),
    };
  } catch (error) {
    const { noBackup } = dialectOf(operation);
    // A gateway's 404 must not pass for "no backup": the next share would overwrite the one that exists.
    if (error instanceof StewardError && noBackup.includes(error.status ?? 0) && isFromService(error)) return undefined;
    throw explainNotServed(error, operation);
  }
}

/** Removes the stored backup. Retries only while the backup still has this nonce. */
export async function removeBackup(operation: Operation, nonce: string): Promise<void> {
  // A blind retry could remove a backup that another client wrote in the meantime.
  const isKept = async (): Promise<boolean> => (await getBackup(operation))?.nonce === nonce;
  await retryAfter429(operation, () => act(operation, "DELETE", "backup"), isKept);
}

/** True if the request was not sent, or rejected before the service read the share, so that the share does not count. */
export const wasNotCounted = (error: StewardError): boolean =>
  !isReplyLost(error) && (error.status === undefined || error.status < 400 || [401, 403, 404, 429, 503].includes(error.status));

/** The request may have been applied, although no response came. */
export const isReplyLost = (error: unknown): boolean => error instanceof StewardError && Boolean(error.details.outcomeUnknown);

/** The service accepted the new shares, and failed as it stored their key: either set may be valid. */
export const isFailedCommit = ({ details }: StewardError): boolean => details.reason.includes("failed to perform");

/** True if the service reports that it uses auto-unseal. */
export async function isAutoUnsealed(operation: Operation): Promise<boolean> {
  if (!dialectOf(operation).showsSeal) return false;
  const path = apiPath("sys/seal-status");
  const answer = { fields: await call(operation, { method: "GET", path, retry: "idempotent" }), method: "GET", path };
  return Boolean(parse(sealSchema, answer).recovery_seal);
}

/** True if the rekey succeeds without a share: the API document then asks for one of one. */
export const mayReturnNoShares = (
  operation: Operation,
  { shares, threshold, fingerprints, verification }: Pick<Parameters, "shares" | "threshold" | "fingerprints" | "verification">,
): boolean => dialectOf(operation).mayKeepShare && shares === 1 && threshold === 1 && fingerprints.length === 0 && !verification;

/** All waits of a run. */
interface Waits {
  count: number;
  milliseconds: number;
}

/** Waits after a 429 or an inactive node. Throws every other error, and these once all waits of this run would last longer than a request's deadline. */
export async function waitAfter429(operation: Operation, error: unknown): Promise<void> {
  const key = "rekey: waits after 429";
  // The share may have counted, and a service that does not refuse a repeated one would count it twice.
  if (isReplyLost(error) && !dialectOf(operation).refusesRepeatedShares) throw error;
  const { count, milliseconds } = (operation.run.cache.get(key) as Waits | undefined) ?? { count: 0, milliseconds: 0 };
  const pause = delayAfter429(operation.run.limits, error, count);
  if (pause === undefined || milliseconds + pause > operation.run.limits.deadline) throw error;
  operation.run.cache.set(key, { count: count + 1, milliseconds: milliseconds + pause });
  await sleep(pause);
}

/**
 * Retries after a 429, which applied nothing, or an inactive node. Another attempt may be in progress by then: `isStillCurrent` reads the status before
 * each retry.
 */
export async function retryAfter429<T>(
  operation: Operation,
  send: () => Promise<T>,
  isStillCurrent: (error: unknown) => Promise<boolean>,
): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      await waitAfter429(operation, error);
      if (!(await isStillCurrent(error))) throw error;
    }
  }
}
