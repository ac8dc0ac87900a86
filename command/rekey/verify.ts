import { dialectOf } from "../../provider/secrets/client";
import { getStatus, verifyShare } from "../../provider/secrets/rekey/protocol/api";
import { readShare } from "../holder/share";
import { say, Terminal } from "../terminal";
import { agree, assertPrivate, Standing, verifying } from "./attempt";
import { participate } from "./invitation";
import { sayOutlived } from "./invited-tokens";
import { failed, keepBoth, ShareOptions, sayAccepted, sendShare } from "./outcome";

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
  const send = ({ nonce }: Standing): Promise<boolean> => verifyShare(trusted, { nonce, share: share.text });
  await sendShare(terminal, trusted, { round: verifying, agreed }, send, async (complete, before) => {
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
