import { z } from "zod";
import { StewardError } from "../../../contract/errors";
import { cached } from "../../../contract/operation";
import { delayAfter429, pauseFor, Request } from "../../../http";
import { isNotFound, unexpectedResponse, webPage } from "../../../http/failure";
import { isObject, Json } from "../../../text/json";
import { apiPath, call, callWithoutClaim, dialectOf, foreignResponse, isFromService, namespaceOf, unknownForm } from "../../client";
import { hasNoValue, RekeyApi } from "../../dialects";
import { decodeShare, ShareSet } from "./crypto";
import { RekeyOperation, SharesOperation } from "./operation";
import { RekeyStatus } from "./status";
import { identified, stopped, wrongTarget } from "./stops";

// The endpoints of a rekey, below the dialect's path: one function for each request.

/** The parameters of an attempt. */
export interface RekeyParameters {
  shares: number;
  threshold: number;
  /** The keys in binary form, as base64. Without keys, the server returns the new shares in plaintext. */
  pgpKeys: string[];
  fingerprints: string[];
  /** For each key, the ids of its encryption keys when the program passed it. */
  encryptionKeys: string[][];
  backup: boolean;
  verification: boolean;
}

/** The parameters in the request of an attempt. */
export type Requested = Omit<RekeyParameters, "encryptionKeys">;

/** The encrypted shares that Vault keeps. */
export interface RekeyBackup {
  /** The nonce of the attempt that created them. */
  nonce: string;
  /** The PGP messages for each fingerprint, in hex. */
  keys: Record<string, string[]>;
}

/** The first recovery keys, which prove nothing until they are verified. */
export interface FirstShares extends Pick<ShareSet, "shares" | "encrypted"> {
  verificationNonce: string;
}

type Endpoint = "init" | "attempt" | "update" | "verify" | "backup";

// The nonce is printed and stored in plaintext: accept nothing that could be a share, which has 44 characters in base64 and more in hex.
export const nonceSchema = z.string().regex(/^[\w-]{0,40}$/);
const strings = z.array(z.string()).nullish();
const statusSchema = z.object({
  started: z.boolean(),
  nonce: nonceSchema.default(""),
  t: z.int().default(0),
  n: z.int().default(0),
  progress: z.int().default(0),
  required: z.int().optional(),
  /** `required` in OpenBao 2.4.0. */
  seal_threshold: z.int().optional(),
  pgp_fingerprints: strings,
  backup: z.boolean().default(false),
  verification_required: z.boolean().default(false),
  verification_nonce: z.string().optional(),
});
const attemptSchema = statusSchema.refine(({ started, nonce }) => !started || nonce !== "");
/** 0 required shares mean that there are no recovery keys yet. */
const recoverySchema = attemptSchema.refine(({ required, seal_threshold }) => (required ?? seal_threshold) !== undefined);
/** The API specification does not describe the response to a start. Vault returns the status. */
const startSchema = z.object({ nonce: nonceSchema });
/** Undefined if no verification is in progress. */
const verificationSchema = z
  .object({
    nonce: z.string(),
    t: z.int().default(0),
    n: z.int().default(0),
    progress: z.int().default(0),
    started: z.boolean().default(true),
  })
  .transform(({ nonce, started, progress, t, n }) => (started && nonce ? { nonce, progress, threshold: t, shares: n } : undefined));
const sharesSchema = z.object({ keys: strings, keys_base64: strings, pgp_fingerprints: strings });
const updateSchema = sharesSchema
  .extend({ complete: z.boolean().default(false), progress: z.int().optional() })
  // New shares that are not verified yet may not count as complete.
  .transform((body) => ({ ...body, complete: body.complete || Boolean(body.keys?.length || body.keys_base64?.length) }))
  // A body without either may hide a completion.
  .refine(({ complete, progress }) => complete || progress !== undefined);
/** The response to the start of a rekey without current shares: the first recovery keys. It has no nonce. */
const firstSchema = sharesSchema.extend({ complete: z.literal(true), verification_nonce: z.string().min(1) });
const backupSchema = z.object({
  nonce: z.string(),
  keys: z.record(z.string(), z.union([z.string(), z.array(z.string())])).nullish(),
});
/** The API document does not show the response without a backup: each of its values is empty. */
const noneOrBackup = z
  .unknown()
  .refine(
    (body) =>
      hasNoValue(body) || (isObject(body) && Object.entries(body).every(([name, value]) => name === "request_id" || hasNoValue(value))),
  )
  .transform(() => undefined)
  .or(backupSchema);
const sealSchema = z.object({ sealed: z.boolean(), recovery_seal: z.boolean().optional() });

/** The API of the rekey, or of a root token. Throws if the server has no such keys for this connection. */
function apiOf(operation: SharesOperation): RekeyApi {
  const { rekey, sealsNamespaces } = dialectOf(operation);
  const api = rekey[operation.target];
  if (!api)
    throw stopped(
      "wrong-dialect",
      operation.target === "root" ? noRootTokens : noRecoveryKeys,
      'Set the connection\'s dialect to "hashicorp" or "openbao".',
    );
  if (namespaceOf(operation) && !sealsNamespaces)
    throw stopped(
      "wrong-namespace",
      `a namespace of ${operation.server.words.service} has no keys of its own: all namespaces are sealed together`,
    );
  return api;
}

const noRootTokens = "the generation of a root token requires the dialect hashicorp or openbao";
export const noRecoveryKeys = "recovery keys require the dialect hashicorp or openbao";

function pathTo(operation: SharesOperation, endpoint: Endpoint): string {
  const { path, backup } = apiOf(operation);
  return endpoint === "backup" ? apiPath(backup) : apiPath(path, endpoint);
}

function parse<T>(schema: z.ZodType<T>, fields: unknown, method: string, path: string): T {
  const parsed = schema.safeParse(fields);
  if (parsed.success) return parsed.data;
  throw unexpectedBody(method, path);
}

function unexpectedBody(method: string, path: string): StewardError {
  const error = unexpectedResponse(method, path, "the response is not from the rekey API", "Check the connection's address.");
  return identified("unexpected-response", error);
}

/** Sends a request and parses the fields of the response. One that changes the attempt is never retried blindly, and never sent when Pulumi can no longer save the response. */
export async function send<T>(
  operation: SharesOperation,
  method: Request["method"],
  endpoint: Endpoint,
  schema: z.ZodType<T>,
  content?: Json,
): Promise<T> {
  if (method !== "GET") await operation.run.engine.assertAlive();
  const path = pathTo(operation, endpoint);
  // The responses to shares are parsed, since an unexpected one may still contain the only copy of the new shares.
  const ownsBody = endpoint === "update" || endpoint === "verify" ? isObject : undefined;
  const request = { method, path, body: content, retry: method === "GET" ? "idempotent" : "never" } as const;
  const body = await callWithoutClaim(operation, request, ownsBody).catch((error) => {
    throw error.details?.rule === foreignResponse ? unexpectedBody(method, path) : error;
  });
  const fields = apiOf(operation).wrapsData ? (body as { data?: unknown } | undefined)?.data : body;
  return parse(schema, fields, method, path);
}

export const write = <T>(operation: SharesOperation, endpoint: Endpoint, schema: z.ZodType<T>, content: Json): Promise<T> =>
  send(operation, apiOf(operation).write, endpoint, schema, content);

/** The same error, with the setting to correct if the server has no such keys or does not serve the path. */
export function explainNotServed(error: unknown, operation: SharesOperation): unknown {
  if (!(error instanceof StewardError) || !isFromService(error)) return error;
  if (error.details.reason === "namespace is not sealable") {
    const reason = `the namespace ${namespaceOf(operation)} has no unseal keys of its own: it is sealed with its parent namespace`;
    return identified(
      "wrong-namespace",
      error.with({ reason, hint: "Use a connection to a namespace with its own unseal keys, or without a namespace." }),
    );
  }
  if (operation.target !== "root" && /recovery (rekeying )?not supported/.test(error.details.reason))
    return wrongTarget(operation.target, operation.server.words);
  const { path, notServed } = apiOf(operation);
  if (error.status !== notServed.status || error.details.reason === "namespace not found") return error;
  const reason = `the server does not serve ${path}, ${notServed.who}`;
  return identified("wrong-dialect", error.with({ code: "ERR_REJECTED", reason, hint: notServed.hint }));
}

export async function getStatus(operation: RekeyOperation): Promise<RekeyStatus> {
  const schema = operation.target === "recovery" ? recoverySchema : attemptSchema;
  const fields = await send(operation, "GET", "init", schema).catch((error) => {
    throw explainNotServed(error, operation);
  });
  const health = fields.started ? undefined : await assertActiveNode(operation);
  operation.record?.identify(health);
  // The status of the API document does not show a verification in progress: only a GET of the verification does.
  const mayVerify = dialectOf(operation).statusTellsVerification ? Boolean(fields.verification_nonce) : fields.verification_required;
  const verification = fields.started && mayVerify ? await getVerification(operation, fields.progress, fields.required) : undefined;
  const status = {
    started: fields.started,
    nonce: fields.nonce,
    threshold: fields.t,
    shares: fields.n,
    progress: fields.progress,
    required: fields.required ?? fields.seal_threshold ?? 0,
    pgpFingerprints: (fields.pgp_fingerprints ?? []).map((fingerprint) => fingerprint.toLowerCase()),
    backup: fields.backup,
    verificationRequired: fields.verification_required,
    ...(verification && { verification }),
  };
  operation.record?.see(status);
  return status;
}

/** An OpenBao standby does not know the attempt of the active node, and its keys may be old. Returns the health of the active node. */
export async function assertActiveNode(operation: SharesOperation): Promise<unknown> {
  if (!apiOf(operation).standbysRespond) return undefined;
  // No namespace serves this path, and it needs no token.
  const server = { ...operation.server, namespace: undefined, login: undefined };
  return call({ ...operation, server }, { method: "GET", path: apiPath("sys/health"), retry: "never" }).catch((error) => {
    if (!(error instanceof StewardError) || ![429, 473, 474].includes(error.status ?? 0)) throw error;
    const reason = `${operation.server.address} is a standby, which does not know of a rekey on the active node`;
    throw error.with(stopped("standby", reason).details);
  });
}

async function getVerification(operation: RekeyOperation, progress: number, required = 0): Promise<RekeyStatus["verification"]> {
  // Before the last current share, the API document shows no response.
  const isEarly = !dialectOf(operation).formsAreKnown && progress < required;
  if (isEarly && progress > 0) return undefined;
  const isNone = (status: number): boolean =>
    isEarly ? ![401, 403, 429, 502, 503, 504].includes(status) : status === 400 || status === 404;
  return send(operation, "GET", "verify", isEarly ? verificationSchema.catch(undefined) : verificationSchema).catch((error) => {
    if (error instanceof StewardError && error.status !== undefined && error.details.rule !== webPage && isNone(error.status))
      return undefined;
    throw error;
  });
}

/** Starts an attempt. Returns its nonce, if the response contains it, and the new shares if there are no current ones. */
export async function startAttempt(operation: RekeyOperation, parameters: Requested): Promise<{ nonce?: string; first?: FirstShares }> {
  const content = {
    secret_shares: parameters.shares,
    secret_threshold: parameters.threshold,
    ...(parameters.pgpKeys.length > 0 ? { pgp_keys: parameters.pgpKeys } : {}),
    backup: parameters.backup,
    require_verification: parameters.verification,
    // The API document requires it of a seal that stores the key, and does not show its form. Vault has this one.
    ...(mayReturnNoShares(operation, parameters) ? { stored_shares: 1 } : {}),
  };
  const isNoneInProgress = async (): Promise<boolean> => !(await getStatus(operation)).started;
  const start = (): Promise<unknown> => noted(operation, "the start", () => write(operation, "init", z.unknown(), content));
  const fields = await retryAfter429(operation, start, isNoneInProgress).catch((error) => {
    // The status, which is read next, shows the attempt.
    if (error.details?.rule !== unknownForm) throw error;
  });
  const { nonce } = startSchema.safeParse(fields).data ?? {};
  operation.record?.expectStarted(nonce);
  const { data: made } = firstSchema.safeParse(fields);
  const first = made && { ...sharesIn(made, parameters), verificationNonce: made.verification_nonce };
  return { nonce: nonce || undefined, first };
}

/**
 * Cancels the attempt with this nonce. Returns false if the attempt was gone: canceled by this or another request, or committed. In a
 * dialect that sends no nonce, this cancels any attempt in progress, so check the status first.
 */
export async function cancelAttempt(operation: RekeyOperation, nonce: string): Promise<boolean> {
  const isInProgress = async (): Promise<boolean> => (await getStatus(operation)).nonce === nonce;
  const content = dialectOf(operation).cancelNamesNonce ? { nonce } : undefined;
  const cancel = (): Promise<unknown> =>
    retryAfter429(operation, () => send(operation, "DELETE", "init", z.unknown(), content), isInProgress);
  const key = JSON.stringify(["canceled", operation.server.id, nonce]);
  // A nonce is never used twice: canceling the same one again would loop forever.
  if (operation.run.cache.has(key)) {
    const reason = `${operation.server.words.service} still reports an attempt that it confirmed as canceled`;
    const hint = "Check its log, and the proxies in front of it.";
    throw identified("cancel-ineffective", unexpectedResponse("DELETE", pathTo(operation, "init"), reason, hint));
  }
  let isConfirmed = true;
  try {
    await cancel();
  } catch (error) {
    const isRefusal = (status = 0): boolean =>
      status === 400 || (!dialectOf(operation).formsAreKnown && [404, 409, 412, 422].includes(status));
    const refusal = error instanceof StewardError && isRefusal(error.status) ? error : undefined;
    if (!isReplyLost(error) && !refusal) throw error;
    // The status shows whether the cancel was applied, or another client canceled the attempt before.
    isConfirmed = await isInProgress();
    // Vault refuses a cancel without a body: a connection without a dialect sends none.
    const hint = 'If the server is Vault, set the connection\'s dialect to "hashicorp".';
    if (isConfirmed && refusal) throw content ? refusal : identified("wrong-dialect", refusal.with({ hint }));
    if (isConfirmed) await cancel();
  }
  operation.run.cache.set(key, true);
  if (isConfirmed) operation.record?.canceled(nonce);
  return isConfirmed;
}

/** Submits a current share. The response to the last one contains the new set, and before it the server's count, if the response has it. */
export async function submitShare(
  operation: RekeyOperation,
  { nonce, share }: { nonce: string; share: string },
  parameters: Pick<RekeyParameters, "threshold" | "fingerprints">,
): Promise<{ set?: ShareSet; progress?: number }> {
  const response = await noted(operation, "a current share", () => write(operation, "update", updateSchema, { key: share, nonce }));
  operation.record?.submitted(response.complete, response.progress, parameters.threshold);
  if (!response.complete) return { progress: response.progress };
  return { set: { nonce, threshold: parameters.threshold, ...sharesIn(response, parameters) } };
}

/** The new shares in a response. */
function sharesIn(
  { keys, keys_base64, pgp_fingerprints }: z.infer<typeof sharesSchema>,
  { fingerprints }: Pick<RekeyParameters, "fingerprints">,
): Pick<ShareSet, "shares" | "encrypted"> {
  const order = pgp_fingerprints?.length ? pgp_fingerprints.map((each) => each.toLowerCase()) : fingerprints;
  const encrypted = fingerprints.length > 0 ? (keys ?? []).map((each, index) => ({ fingerprint: order[index] ?? "", share: each })) : [];
  const plain = keys_base64 && keys_base64.length > 0 ? keys_base64 : (keys ?? []);
  const shares = fingerprints.length > 0 ? [] : plain.map((each) => decodeShare(each)?.toString("base64") ?? each);
  return { shares, encrypted };
}

/** Restarts the verification of the attempt with this nonce, under a new nonce that requests of earlier runs do not know. */
export async function restartVerification(operation: RekeyOperation, nonce: string): Promise<RekeyStatus["verification"]> {
  const isVerifying = async (): Promise<boolean> => {
    const status = await getStatus(operation);
    return status.nonce === nonce && status.verification !== undefined;
  };
  const restart = (): Promise<RekeyStatus["verification"]> =>
    retryAfter429(operation, () => send(operation, "DELETE", "verify", verificationSchema), isVerifying);
  const restarted = await restart().catch((error) => {
    // A restart is idempotent.
    if (isReplyLost(error)) return restart();
    throw error;
  });
  operation.record?.add("restarted", { count: 0 });
  return restarted;
}

/** Verifies a new share. Returns true if it was the last one and the new set is valid. */
export async function verifyShare(operation: RekeyOperation, { nonce, share }: { nonce: string; share: string }): Promise<boolean> {
  const { complete, progress } = await noted(operation, "a new share", () =>
    write(operation, "verify", updateSchema, { key: share, nonce }),
  );
  operation.record?.verified(complete, progress);
  return complete;
}

/** Sends a request, and records if the server rejected it, or if its response was lost. */
async function noted<T>(operation: RekeyOperation, what: string, request: () => Promise<T>): Promise<T> {
  return request().catch((error) => {
    if (isReplyLost(error)) operation.record?.add("unknown", { detail: `The response to ${what} was lost.` });
    else if (error instanceof StewardError && isFailedCommit(error))
      operation.record?.add("unknown", { detail: "The server failed to commit the new shares: either set may be valid." });
    else if (error instanceof StewardError && (error.status === 400 || error.status === 500))
      operation.record?.add("rejected", { detail: `The server rejected ${what} with a ${error.status}.` });
    throw error;
  });
}

export async function getBackup(operation: SharesOperation): Promise<RekeyBackup | undefined> {
  const { noBackup, formsAreKnown } = dialectOf(operation);
  try {
    const backup = await send(operation, "GET", "backup", formsAreKnown ? backupSchema : noneOrBackup);
    if (!backup) return undefined;
    const { nonce, keys } = backup;
    return {
      nonce,
      keys: Object.fromEntries(
        Object.entries(keys ?? {}).map(([fingerprint, share]) => [fingerprint.toLowerCase(), Array.isArray(share) ? share : [share]]),
      ),
    };
  } catch (error) {
    // A gateway's 404 does not mean "no backup": the next share would overwrite an existing one.
    const isOwn = (failure: StewardError): boolean => isFromService(failure) || (!formsAreKnown && isNotFound(failure));
    if (error instanceof StewardError && noBackup.includes(error.status ?? 0) && isOwn(error)) return undefined;
    throw explainNotServed(error, operation);
  }
}

/** Removes the stored backup. Retries only while the backup still has this nonce. */
export async function removeBackup(operation: RekeyOperation, nonce: string): Promise<void> {
  // A blind retry could remove a backup that another client wrote in the meantime.
  const isKept = async (): Promise<boolean> => (await getBackup(operation))?.nonce === nonce;
  await retryAfter429(operation, () => send(operation, "DELETE", "backup", z.unknown()), isKept).catch(async (error) => {
    if (dialectOf(operation).formsAreKnown || !isReplyLost(error) || (await isKept())) throw error;
  });
  operation.record?.add("backup-removed", { detail: `It was the backup of the rekey ${nonce}.` });
}

/** True if the request was not sent, or rejected before the server read the share, so that the share does not count. */
export const wasNotCounted = (error: StewardError): boolean =>
  !isReplyLost(error) && (error.status === undefined || error.status < 400 || [401, 403, 404, 429, 503].includes(error.status));

/** The request may have been applied, although no response came. */
export const isReplyLost = (error: unknown): boolean => error instanceof StewardError && Boolean(error.details.outcomeUnknown);

/** Another client has replaced the attempt, or restarted its verification: the server did not read the share. */
export const isOtherNonce = ({ details }: StewardError): boolean => /\bincorrect nonce\b/.test(details.reason);

/** The server accepted the new shares, and failed as it stored their key: either set may be valid. */
export const isFailedCommit = ({ details }: StewardError): boolean => details.reason.includes("failed to perform");

/** The server failed, for example its KMS, before or after it compared the shares with the key: none of them is known to be wrong. */
export const isUnchecked = ({ details }: StewardError): boolean =>
  /^(?:root generation aborted: unable to authenticate: )?(recovery key verification failed: (?!recovery key does not match)|failed to (?!compute|setup unseal key|read root key: .*invalid ?key)|.*generation failed)/i.test(
    details.reason,
  );

/** The server accepted the shares, and rejects a PGP key, such as one that expired after the start. */
export const isKeyRejected = ({ details }: StewardError): boolean =>
  /failed to encrypt (shares|key)|valid encryption key/i.test(details.reason);

export const unchecked = ({ server: { words } }: SharesOperation, count: number, { details }: StewardError): string =>
  `${words.service} could not check or use the ${count} shares submitted (${details.reason}), so none of them is known to be wrong`;

/** Throws if the server has keys of the other kind. */
export async function assertTarget(operation: RekeyOperation): Promise<void> {
  // A namespace has no recovery keys, and the status of the seal is that of the server.
  if (!dialectOf(operation).showsSeal || namespaceOf(operation)) return;
  const path = apiPath("sys/seal-status");
  const body = await call(operation, { method: "GET", path, retry: "idempotent" });
  const seal = parse(sealSchema, body, "GET", path);
  operation.record?.identify(body);
  if ((seal.recovery_seal ?? false) !== (operation.target === "recovery")) throw wrongTarget(operation.target, operation.server.words);
}

/** True if a start returns the first keys of a service without any. */
export const returnsFirstKeys = (operation: RekeyOperation): boolean => apiOf(operation).returnsFirstKeys;

/** True if the rekey succeeds without a share: the API document then requires one share of one. */
export const mayReturnNoShares = (operation: RekeyOperation, { shares, threshold, fingerprints, verification }: Requested): boolean =>
  dialectOf(operation).mayKeepShare && shares === 1 && threshold === 1 && fingerprints.length === 0 && !verification;

/** Waits after a 429 or an inactive node. Throws every other error, and these once all waits of this run would last longer than a request's deadline. */
export async function waitAfter429(operation: SharesOperation, error: unknown): Promise<void> {
  // The share may have counted, and a service that accepts duplicates would count it twice.
  if (isReplyLost(error) && !dialectOf(operation).refusesRepeatedShares) throw error;
  const { cache, limits } = operation.run;
  const waits = cached(cache, ["rekey", "waits after 429"], () => ({ count: 0, milliseconds: 0 }));
  const pause = delayAfter429(limits, error, waits.count);
  if (pause === undefined || waits.milliseconds + pause > limits.deadline) throw error;
  waits.count++;
  waits.milliseconds += pause;
  if (!(await pauseFor(operation, pause))) throw error;
}

/**
 * Retries after a 429, which applied nothing, or an inactive node. Another attempt may be in progress by then: `isStillCurrent` reads the status before
 * each retry.
 */
export async function retryAfter429<T>(
  operation: SharesOperation,
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
