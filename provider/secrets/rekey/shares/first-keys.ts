import { StewardError } from "../../../contract/errors";
import { cancelOwnAttempt } from "../attempt/cancel";
import { assertMakesFirst } from "../attempt/start";
import { isReplyLost, startAttempt } from "../protocol/api";
import { flawOf } from "../protocol/crypto";
import { log } from "../protocol/operation";
import { observe } from "../protocol/server-state";
import { unfinished } from "../protocol/stops";
import { remember, rememberNonce, SharesRun, SharesState } from "../submission/state";
import { restarted } from "./restart";

/**
 * Starts the rekey of a service without recovery keys, and keeps the first ones from the response. A backup that this overwrites contains
 * shares that were never committed.
 */
export async function makeFirst(run: SharesRun): Promise<SharesState> {
  const { operation, identity } = run;
  const { parameters } = identity;
  assertMakesFirst(operation, parameters);
  const lost = (reason: string): StewardError =>
    unfinished(run, "first-keys-lost", `${reason}, so the first recovery keys are lost; nothing is committed`);
  const { nonce: started, first } = await startAttempt(operation, parameters).catch((error) => {
    throw isReplyLost(error) ? lost("the response to the start was lost") : error;
  });
  if (started && !first) {
    rememberNonce(run, started);
    throw restarted(run, "attempt-restarted", started, "another client has created recovery keys, so the provider started a rekey of them");
  }
  const { status } = await observe(operation, identity);
  // The response has no nonce. Another client may have started an attempt in the meantime.
  if (!first || status.verification?.nonce !== first.verificationNonce)
    throw lost(`${operation.server.words.service} reports a different attempt than the one that was started`);
  const { nonce } = status;
  const { verificationNonce: _, ...shares } = first;
  const candidate = { nonce, threshold: parameters.threshold, ...shares };
  // There were no keys, so no earlier set is valid.
  remember(run, { kept: [] });
  rememberNonce(run, nonce);
  const flaw = await flawOf(candidate, parameters);
  if (flaw) {
    await cancelOwnAttempt(operation, status);
    throw unfinished(run, flaw.id, `${flaw.reason}. The provider canceled the attempt`, "Run `pulumi up` again: it starts a new one.");
  }
  remember(run, { nonce, candidate, source: "reply" });
  log(operation, "the first recovery keys are generated; nothing is committed yet");
  return run.state;
}
