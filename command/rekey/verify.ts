import { dialectOf } from "../../provider/secrets/client";
import { getStatus, isReplyLost, retryAfter429, verifyShare } from "../../provider/secrets/rekey/protocol/api";
import { readShare } from "../holder/share";
import { say, Terminal, unbroken } from "../terminal";
import { agree, assertPrivate, assertUnchanged, verifying } from "./attempt";
import { participate } from "./invitation";
import { sayOutlived } from "./invited-tokens";
import { explain, failed, keepBoth, onItsWay, ShareOptions, sayAccepted } from "./outcome";

/** Verifies a new share. The last one commits. */
export async function verify(terminal: Terminal, options: ShareOptions): Promise<void> {
  const { operation, invited } = await participate(terminal, options);
  assertPrivate(operation, options);
  say(
    terminal,
    dialectOf(operation).countsRepeatedNewShares
      ? "If a stack runs this rekey, run `pulumi up` with your new share instead: the stack restarts a verification with shares that it does not know."
      : "If a stack runs this rekey, your share counts with those of the stack, and the last one of the threshold should come from `pulumi up`.",
  );
  const agreed = await agree(terminal, operation, verifying, "Verify your new share with this rekey?", options.nonce, invited);
  const { trusted, share } = await readShare(terminal, operation, {
    origin: options,
    prompt: "Your new share (will be hidden): ",
    nonce: agreed.nonce,
  });
  let before = await assertUnchanged(trusted, verifying, agreed);
  // OpenBao counts a repeated new share again, so it is not sent again if it may have counted.
  const mayRepeat = async (error: unknown): Promise<boolean> => {
    const { progress } = before;
    const now = await assertUnchanged(trusted, verifying, agreed);
    if (isReplyLost(error) && now.progress !== progress) return false;
    before = now;
    return true;
  };
  const send = (): Promise<boolean> => verifyShare(trusted, { nonce: before.nonce, share: share.text });
  await unbroken(terminal, onItsWay, async () => {
    const complete = await retryAfter429(trusted, send, mayRepeat).catch(async (error) => {
      throw await explain(trusted, verifying, agreed, before, error);
    });
    sayAccepted(terminal, before.progress + 1, before.required);
    if (!complete) return;
    const after = await getStatus(trusted).catch(() => undefined);
    const flaw = !after
      ? "cannot be read"
      : after.nonce === agreed.nonce || after.required !== agreed.threshold
        ? "does not show it"
        : undefined;
    if (flaw) throw failed(`${operation.server.words.service} reported completion, but its status ${flaw}`, keepBoth, "outcome-unknown");
    trusted.record?.add("committed");
    say(terminal, "The new shares are valid. The previous ones no longer are.");
    sayOutlived(terminal, operation);
  });
}
