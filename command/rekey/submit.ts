import { StewardError } from "../../provider/contract/errors";
import { getStatus, submitShare } from "../../provider/secrets/rekey/protocol/api";
import { encryptedLine, flawOf, isEmpty, prove, ShareSet, shareOf } from "../../provider/secrets/rekey/protocol/crypto";
import { commandFor, RekeyOperation } from "../../provider/secrets/rekey/protocol/operation";
import { RekeyStatus } from "../../provider/secrets/rekey/protocol/status";
import { noShares } from "../../provider/secrets/rekey/protocol/stops";
import { NewSharesFile } from "../holder/file";
import { readShare } from "../holder/share";
import { print, say, Terminal } from "../terminal";
import { agree, assertPrivate, Standing, submitting, verifyHint } from "./attempt";
import { participate } from "./invitation";
import { sayOutlived } from "./invited-tokens";
import { cancelIt, failed, ShareOptions, sayAccepted, sendShare } from "./outcome";

/** Submits a current share. The last one returns the new shares. */
export async function submit(terminal: Terminal, options: ShareOptions & { output?: string }): Promise<void> {
  const { operation, invited } = await participate(terminal, options);
  assertPrivate(operation, options);
  const agreed = await agree(terminal, operation, submitting, "Submit your current share to this rekey?", options.nonce, invited);
  const fingerprints = agreed.pgpFingerprints;
  if (fingerprints.length === 0)
    say(
      terminal,
      "If yours is the last share, all new shares are printed here, in plaintext. If `pulumi up` runs this rekey, it must submit the last share itself.",
    );
  if (!agreed.verificationRequired && fingerprints.length === 0)
    say(terminal, "Without verification the last share commits: if its response is lost, so are the new keys.");
  if (fingerprints.length === 0 && terminal.stdout.isTTY && !options.output && agreed.progress + 1 >= agreed.required)
    throw new StewardError({
      code: "ERR_INVALID_INPUT",
      reason: "your share is the last one, and the new shares would stay in the scroll-back of this terminal; nothing was sent",
      hint: "Pass --output <file>.",
    });
  const file = options.output === undefined ? undefined : new NewSharesFile(options.output, agreed.shares);
  try {
    const { trusted, share } = await readShare(terminal, operation, { origin: options, prompt: "Your current share (will be hidden): " });
    const send = ({ nonce }: Standing): ReturnType<typeof submitShare> =>
      submitShare(trusted, { nonce, share: share.text }, { threshold: agreed.threshold, fingerprints });
    await sendShare(terminal, trusted, { round: submitting, agreed }, send, async ({ set, progress }, before) => {
      sayAccepted(terminal, set ? before.required : (progress ?? before.progress + 1), before.required);
      if (set) await handOut(terminal, trusted, agreed, set, file);
    });
  } finally {
    file?.close();
  }
}

/** The response is the only copy of the new shares: save them first, then prove them. */
async function handOut(
  terminal: Terminal,
  operation: RekeyOperation,
  agreed: RekeyStatus,
  set: ShareSet,
  file?: NewSharesFile,
): Promise<void> {
  const lines = [
    ...set.shares.map((share, index) => `share ${index + 1}: ${share}`),
    ...set.encrypted.map(({ fingerprint, share }, index) => `share ${index + 1}, ${encryptedLine(fingerprint, share)}`),
  ];
  if (isEmpty(set)) {
    if (agreed.verificationRequired)
      throw failed(`${operation.server.words.service} returned no new shares`, cancelIt(agreed), "new-shares-incomplete");
    throw failed(noShares, "There is nothing to keep.", "no-shares-returned");
  }
  if (file?.write(lines)) say(terminal, `The new shares are in ${file.path}, which only you can read.`);
  else {
    if (file) say(terminal, `${file.path} cannot be written: the new shares are printed instead.`);
    for (const line of lines) await print(terminal, line).catch(() => say(terminal, line));
  }
  const flaw = await flawOf(set, { shares: agreed.shares, fingerprints: agreed.pgpFingerprints });
  if (flaw) throw failed(flaw.reason, cancelIt(agreed), "new-shares-incomplete");
  if (set.shares.length > 0) {
    const verdict = await prove(
      set.shares.map((share, index) => shareOf(share, `share ${index + 1}`)),
      set.threshold,
    );
    if (verdict.proven === false)
      throw failed(`the new shares were created, but ${verdict.reason}`, cancelIt(agreed), "new-shares-not-proven");
    say(
      terminal,
      verdict.proven === true ? `All ${set.shares.length} new shares match.` : `${verdict.reason}: they cannot be proven locally.`,
    );
  }
  const handOver =
    agreed.pgpFingerprints.length > 0
      ? `Hand each new share to its holder, who decrypts it with \`pulumi-steward rekey decrypt\`${agreed.backup && agreed.verificationRequired ? `, or fetches it with \`${commandFor(operation, "verify --from-backup")}\`` : ""}.`
      : "Hand each new share to its holder.";
  if (!agreed.verificationRequired) {
    say(terminal, `The new shares are valid. The previous ones no longer are. ${handOver}`);
    return sayOutlived(terminal, operation);
  }
  say(terminal, `Nothing is committed yet: the current shares are still valid. ${handOver}`);
  const nonce = await getStatus(operation).then(
    ({ verification }) => verification?.nonce,
    () => undefined,
  );
  say(terminal, `${set.threshold} of them commit the rekey. ${verifyHint(operation, "them", nonce)}`);
}
