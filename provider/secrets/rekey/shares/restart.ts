import { StewardError } from "../../../contract/errors";
import { cancelOwnAttempt } from "../attempt/cancel";
import { resolveConflict } from "../attempt/conflict";
import { newAttempt } from "../attempt/start";
import { RekeyStatus } from "../protocol/status";
import { StopId, unfinished } from "../protocol/stops";
import { remember, SharesRun } from "../submission/state";

// An attempt ends without new shares, and a new one begins. Its nonce is saved before a share is submitted to it.

/** Cancels the attempt. One that this rekey neither started nor submitted a share to is another client's. */
export async function endAttempt({ operation, inputs, state: { submission } }: SharesRun, status: RekeyStatus): Promise<void> {
  if (submission.nonces.includes(status.nonce)) await cancelOwnAttempt(operation, status);
  else await resolveConflict(operation, { server: "foreign", status }, inputs.onConflict, false);
}

/** The nonce of a new attempt, which is saved before a share is submitted to it. */
export function restarted(run: SharesRun, id: StopId, nonce: string, reason: string, hint?: string): StewardError {
  remember(run, { nonce, submitted: [] });
  return unfinished(run, id, `${reason}. The nonce ${nonce} is saved`, hint);
}

export async function restart(run: SharesRun, id: StopId, why: string, hint?: string): Promise<never> {
  const { nonce, nonces } = await newAttempt(run.operation, { ...run.identity, nonces: run.state.submission.nonces });
  remember(run, { nonces });
  const isVerified = run.identity.parameters.verification;
  throw restarted(run, id, nonce, isVerified ? why : `${why}. Without verification, the previous attempt may have been committed`, hint);
}
