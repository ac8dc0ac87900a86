import { z } from "zod";
import {
  assertActiveNode,
  explainNotServed,
  isReplyLost,
  nonceSchema,
  retryAfter429,
  send,
  write,
} from "../../provider/secrets/rekey/protocol/api";
import { SharesOperation } from "../../provider/secrets/rekey/protocol/operation";

// The requests that generate a root token: one function for each.

const counts = { progress: z.int(), required: z.int() };
/** `fingerprint`: that of the primary key to whose subkey the token will be encrypted. Empty if a one-time password encodes it. */
const statusSchema = z
  .object({ started: z.boolean(), nonce: nonceSchema.default(""), ...counts, pgp_fingerprint: z.string().default("") })
  .refine(({ started, nonce }) => !started || nonce !== "")
  .transform(({ pgp_fingerprint, ...status }) => ({ ...status, fingerprint: pgp_fingerprint.toLowerCase() }));
const updateSchema = z
  .object({ complete: z.boolean(), ...counts, encoded_token: z.string().default("") })
  .refine(({ complete, encoded_token }) => !complete || encoded_token !== "");

export type RootStatus = z.infer<typeof statusSchema>;

export async function getRootStatus(operation: SharesOperation): Promise<RootStatus> {
  const status = await send(operation, "GET", "attempt", statusSchema).catch((error) => {
    throw explainNotServed(error, operation);
  });
  if (!status.started) await assertActiveNode(operation);
  return status;
}

/** Starts an attempt for the key, which is base64 of its binary form. Returns the status. */
export async function startAttempt(operation: SharesOperation, key: string): Promise<RootStatus> {
  const start = (): Promise<RootStatus> => write(operation, "attempt", statusSchema, { pgp_key: key });
  return retryAfter429(operation, start, async () => !(await getRootStatus(operation)).started).catch((error) => {
    if (isReplyLost(error)) return getRootStatus(operation);
    throw error;
  });
}

/** Submits a share. The response to the last one has the encrypted token, in base64. */
export const submitShare = (operation: SharesOperation, nonce: string, share: string): Promise<z.infer<typeof updateSchema>> =>
  write(operation, "update", updateSchema, { key: share, nonce });

/** Cancels the attempt in progress. The request has no nonce, so check the status first. Returns false if the attempt is still there. */
export async function cancelAttempt(operation: SharesOperation, nonce: string): Promise<boolean> {
  const isInProgress = async (): Promise<boolean> => (await getRootStatus(operation)).nonce === nonce;
  await retryAfter429(operation, () => send(operation, "DELETE", "attempt", z.unknown()), isInProgress).catch((error) => {
    if (!isReplyLost(error)) throw error;
  });
  return !(await isInProgress());
}
