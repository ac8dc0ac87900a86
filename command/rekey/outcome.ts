import { StewardError } from "../../provider/contract/errors";
import {
  isFailedCommit,
  isKeyRejected,
  isOtherNonce,
  isReplyLost,
  isUnchecked,
  retryAfter429,
  unchecked,
  wasNotCounted,
} from "../../provider/secrets/rekey/protocol/api";
import { commandFor, SharesOperation } from "../../provider/secrets/rekey/protocol/operation";
import { RekeyStatus } from "../../provider/secrets/rekey/protocol/status";
import { identified, StopId, stopped } from "../../provider/secrets/rekey/protocol/stops";
import { ShareOrigin } from "../holder/share";
import { say, Terminal, unbroken } from "../terminal";
import { Attempt, assertUnchanged, Round, Standing } from "./attempt";
import { InvitationOptions } from "./invitation";

// The outcome of a share that was sent.

export interface ShareOptions extends InvitationOptions, ShareOrigin {
  nonce?: string;
}

/** The first line after a share was counted. */
export const sayAccepted = (terminal: Terminal, progress: number, required: number): void =>
  say(
    terminal,
    `Your share was accepted: ${progress} of ${required}.${progress < required ? " You are done. The server checks the shares with the last one." : ""}`,
  );

export const keepBoth = "Keep the previous shares and the new ones. See docs/rekey/recovery.md#test-which-shares-are-valid in the package.";

/** True if the server rejected a share, or the shares of all holders. */
export const isRejection = (error: unknown): boolean =>
  error instanceof StewardError &&
  /^rekey\/(share-refused|shares-refused|shares-not-combined|new-shares-rejected)$|^wrong-share$/.test(error.details.rule ?? "");

/** An error with an id, if docs/rekey/errors.md says more than the hint. */
export function failed(reason: string, hint: string, id?: StopId): StewardError {
  const error = new StewardError({ code: "ERR_FAILED", reason, hint });
  return id ? identified(id, error) : error;
}

export const cancelIt = ({ verificationRequired }: RekeyStatus): string =>
  verificationRequired
    ? "Nothing is committed. Do not verify them. Cancel the rekey, and find out what modifies the responses."
    : "They may be valid. Keep them and the previous ones, and keep the server unsealed.";

/**
 * Sends a share to the attempt that the holder agreed on, and passes the response on. After a 429, or the response of an inactive node, it is sent again,
 * unless the status shows that it may have counted: OpenBao counts a repeated new share twice, and Vault rejects a repeated current one, as if it were wrong.
 */
export async function sendShare<Status extends Attempt, Reply>(
  terminal: Terminal,
  operation: SharesOperation,
  { round, agreed }: { round: Round<Status>; agreed: Status },
  send: (to: Standing) => Promise<Reply>,
  received: (reply: Reply, before: Standing) => Promise<void>,
): Promise<void> {
  let before = await assertUnchanged(operation, round, agreed);
  const mayRepeat = async (error: unknown): Promise<boolean> => {
    const now = await assertUnchanged(operation, round, agreed);
    if (isReplyLost(error) && now.progress !== before.progress) return false;
    before = now;
    return true;
  };
  await unbroken(terminal, "The share was sent. Waiting for the response.", async () => {
    const reply = await retryAfter429(operation, () => send(before), mayRepeat).catch(async (error) => {
      throw await explain(operation, round, agreed, before, error);
    });
    await received(reply, before);
  });
}

/** Explains a failed or lost response: reads from the status whether the share counted. */
async function explain<Status extends Attempt>(
  operation: SharesOperation,
  round: Round<Status>,
  agreed: Status,
  before: Standing,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof StewardError)) return error;
  const { reason } = error.details;
  const { service } = operation.server.words;
  const { status } = error;
  if (wasNotCounted(error)) return error;
  if (isOtherNonce(error))
    return stopped(
      "attempt-changed",
      `the ${round.name} has changed since it was shown, and the share was not counted`,
      `Check \`${commandFor(operation, "status")}\`, and find out who changed it.`,
    );
  const after = await round.read(operation).catch(() => undefined);
  if (!after)
    return failed(
      `it is unknown whether the share was counted (${reason})`,
      `Check \`${commandFor(operation, "status")}\` before you submit it again.`,
      "share-count-unknown",
    );
  // Another attempt says nothing about this share, and no holder submits to it unseen.
  const now = after.nonce === agreed.nonce ? round.at(after) : undefined;
  const counted = now && `${now.progress} of ${now.required}`;
  const hasRestarted = now && now.progress === 0 && before.progress + 1 >= before.required;
  const kind = `${round.shares} shares`;
  if (round.shares === "current" && now && now.progress >= now.required)
    return failed(
      `the ${now.progress} ${kind} submitted cannot be combined (${reason})`,
      `Nothing is committed. At least one of them is wrong, and ${service} keeps them all. Run \`${commandFor(operation, "cancel")}\`, and start over.`,
      "shares-not-combined",
    );
  if (round.shares === "new" && isFailedCommit(error))
    return failed(
      `it is unknown whether the new shares are valid: ${service} failed to commit them (${reason})`,
      keepBoth,
      "outcome-unknown",
    );
  if (hasRestarted && isKeyRejected(error))
    return stopped(
      "key-rejected",
      `${service} accepted the ${before.required} current shares, but cannot encrypt the new ones (${reason})`,
      `A PGP key has expired, or is not valid. Renew it, run \`${commandFor(operation, "cancel")}\`, and start again with the new key.`,
    );
  if (hasRestarted && isUnchecked(error)) return stopped("shares-not-checked", unchecked(operation, before.required, error));
  if (hasRestarted && (status === 400 || status === 500))
    return failed(
      `the ${before.required} ${kind} submitted do not reconstruct the ${round.shares} key (${reason})`,
      `Nothing is committed. ${/duplicate part/.test(reason) ? "One of them was submitted twice" : `At least one of them is wrong, and ${service} cannot tell which`}: all holders run \`${commandFor(operation, `${round.shares === "new" ? "verify" : "submit"} --nonce ${now.nonce}`)}\` again.`,
      round.shares === "current" ? "shares-refused" : "new-shares-rejected",
    );
  if (round.refusals.includes(status ?? 0))
    return failed(
      `${service} rejected this share and kept the others: ${reason}`,
      `See \`${commandFor(operation, "status")}\`.`,
      "share-refused",
    );
  const lost = round.lost?.(operation, now, before, reason);
  if (lost) return lost;
  if (now)
    return failed(
      `the response was lost (${reason}); ${counted} ${kind} are submitted now, ${before.progress} before`,
      now.progress > before.progress
        ? "The share was counted, unless another holder submitted one at the same moment."
        : hasRestarted
          ? "At least one share may be wrong: all holders must submit theirs again."
          : "The share was not counted: submit it again.",
      "share-count-unknown",
    );
  if (round.shares === "new")
    return failed(
      `it is unknown whether the new shares are valid: the response was lost (${reason}), and the rekey is gone`,
      keepBoth,
      "outcome-unknown",
    );
  if (after.started && after.nonce === agreed.nonce)
    return failed(
      `the new shares were created, but were lost with the response (${reason})`,
      `Nothing is committed. ${agreed.backup ? `The backup contains them, encrypted: fetch it with \`${commandFor(operation, "backup")}\`.` : `Run \`${commandFor(operation, "cancel")}\`, and start over.`}`,
      "new-shares-lost",
    );
  return failed(
    `the response was lost (${reason}), and the rekey is gone`,
    `It was canceled or lost, or other holders have committed it. ${keepBoth}`,
    "attempt-lost",
  );
}
