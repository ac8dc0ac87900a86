import { Connection } from "../provider/connection";
import { StewardError } from "../provider/errors";
import { getStatus, mayReturnNoShares, retryAfter429, submitShare, verifyShare, wasNotCounted } from "../provider/secrets/rekey/api";
import { encryptedLine, mayBeShare, prove, redacting, Share, shareOf } from "../provider/secrets/rekey/crypto";
import { isEmpty, isWhole, RekeyStatus, ShareSet } from "../provider/secrets/rekey/states";
import { keptBySeal, noShares } from "../provider/secrets/rekey/stops";
import { agree, assertPrivate, giveBack, giving, lookAgain, Round, Standing, service, submitting } from "./attempt";
import { NewSharesFile } from "./file";
import { print, readSecret, say, Terminal, unbroken } from "./terminal";

// A share is asked for and sent, once.

export interface GiveOptions {
  nonce?: string;
  allowHttp?: boolean;
}

/** Gives a current share; the last one brings the new shares. */
export async function submit(terminal: Terminal, options: GiveOptions & { output?: string }): Promise<void> {
  const connection = service(terminal);
  assertPrivate(connection, options);
  const shown = await agree(terminal, connection, submitting, "Give your current share to this rekey?", options.nonce);
  const fingerprints = shown.pgpFingerprints;
  if (fingerprints.length === 0)
    say(
      terminal,
      "If yours is the last share, all new shares come here, in clear text. A rekey that a `pulumi up` runs needs the last share itself.",
    );
  if (!shown.verificationRequired && fingerprints.length === 0)
    say(terminal, "Without verification the last share commits: if its answer is lost, nobody ever knows the new keys.");
  const file = options.output === undefined ? undefined : new NewSharesFile(options.output, shown.shares);
  try {
    const { trusted, share } = await readShare(terminal, connection, "Your current share (it is not shown): ");
    let before = await lookAgain(trusted, submitting, shown);
    const isUnchanged = async (): Promise<true> => {
      before = await lookAgain(trusted, submitting, shown);
      return true;
    };
    const give = (): ReturnType<typeof submitShare> =>
      submitShare(trusted, { nonce: before.nonce, share: share.text }, { threshold: shown.threshold, fingerprints });
    await unbroken(terminal, onItsWay, async () => {
      const given = await retryAfter429(trusted, give, isUnchanged).catch(async (error) => {
        throw await explain(trusted, submitting, shown, before, error);
      });
      if (!given.set) say(terminal, `${given.progress ?? before.progress + 1} of ${before.required} current shares given.`);
      else await handOut(terminal, trusted, shown, given.set, file);
    });
  } finally {
    file?.close();
  }
}

const onItsWay = "The share is on its way: its answer is waited for.";

/** Gives a new share back; the last one commits. */
export async function verify(terminal: Terminal, options: GiveOptions): Promise<void> {
  const connection = service(terminal);
  assertPrivate(connection, options);
  say(terminal, "If a stack runs this rekey, bring your new share there instead: it does not count what is given back here.");
  const shown = await agree(terminal, connection, giving, "Give your new share back to this rekey?", options.nonce);
  const { trusted, share } = await readShare(terminal, connection, "Your new share (it is not shown): ");
  let before = await lookAgain(trusted, giving, shown);
  const isUnchanged = async (): Promise<true> => {
    before = await lookAgain(trusted, giving, shown);
    return true;
  };
  const give = (): Promise<boolean> => verifyShare(trusted, { nonce: before.nonce, share: share.text });
  await unbroken(terminal, onItsWay, async () => {
    const complete = await retryAfter429(trusted, give, isUnchanged).catch(async (error) => {
      throw await explain(trusted, giving, shown, before, error);
    });
    if (!complete) return say(terminal, `${before.progress + 1} of ${before.required} new shares given back.`);
    const after = await getStatus(trusted);
    if (after.nonce === shown.nonce || after.required !== shown.threshold)
      throw failed("the service said complete, and does not look so", keepBoth);
    say(terminal, "The new shares are live. The former ones open nothing any more.");
  });
}

const keepBoth = "Keep the former shares and the new ones: the page docs/rekey.md says how to find out which of them open the service.";

/** `trusted`: no error of it shows the share. */
async function readShare(terminal: Terminal, connection: Connection, question: string): Promise<{ trusted: Connection; share: Share }> {
  const text = await readSecret(terminal, question);
  if (!mayBeShare(text))
    throw new StewardError({
      code: "ERR_INVALID_INPUT",
      reason: "what was given is no share, in base64 or hex; nothing was sent",
      hint: "An encrypted share is decrypted first, with `pulumi-steward rekey decrypt`.",
    });
  const share = shareOf(text, "the share");
  return { trusted: redacting(connection, [{ shares: [share] }]), share };
}

/** The new shares are there, this once: first they are brought to safety, and then judged. */
async function handOut(terminal: Terminal, connection: Connection, shown: RekeyStatus, set: ShareSet, file?: NewSharesFile): Promise<void> {
  const lines = [
    ...set.shares.map((share, index) => `share ${index + 1}: ${share}`),
    ...set.encrypted.map(({ fingerprint, share }, index) => `share ${index + 1}, ${encryptedLine(fingerprint, share)}`),
  ];
  if (isEmpty(set)) {
    const parameters = { ...shown, fingerprints: shown.pgpFingerprints, verification: shown.verificationRequired };
    if (!mayReturnNoShares(connection, parameters)) throw failed(noShares.reason, "There is nothing to keep.");
    return say(terminal, `Warning: ${keptBySeal}.`);
  }
  if (file?.write(lines)) say(terminal, `The new shares are in ${file.path}, which only you can read.`);
  else {
    if (file) say(terminal, `${file.path} cannot be written: the new shares are shown instead.`);
    for (const line of lines) await print(terminal, line).catch(() => say(terminal, line));
  }
  if (!isWhole(set, { shares: shown.shares, fingerprints: shown.pgpFingerprints }))
    throw failed(
      `the service gave ${lines.length} new shares where ${shown.shares} were asked for, or those of other holders`,
      cancelIt(shown),
    );
  if (set.shares.length > 0) {
    const verdict = await prove(
      set.shares.map((share, index) => shareOf(share, `share ${index + 1}`)),
      set.threshold,
    );
    if (verdict.proven === false) throw failed(`the new shares were made, and ${verdict.reason}`, cancelIt(shown));
    say(
      terminal,
      verdict.proven === true ? `All ${set.shares.length} new shares belong together.` : `${verdict.reason}: they cannot be proven here.`,
    );
  }
  const give =
    shown.pgpFingerprints.length > 0
      ? "Give each to its holder, who reads it with `pulumi-steward rekey decrypt`."
      : "Give each to its holder.";
  if (!shown.verificationRequired) return say(terminal, `The new shares are live, and the former ones open nothing any more. ${give}`);
  say(terminal, `Nothing is committed yet: the current shares still open the service. ${give}`);
  const nonce = await getStatus(connection).then(
    ({ verification }) => verification?.nonce,
    () => undefined,
  );
  say(terminal, `${set.threshold} of them commit the rekey. ${giveBack("them", nonce)}`);
}

const failed = (reason: string, hint: string): StewardError => new StewardError({ code: "ERR_FAILED", reason, hint });

const cancelIt = ({ verificationRequired }: RekeyStatus): string =>
  verificationRequired
    ? "Nothing is committed: give none of them back, cancel the rekey, and find out what stands between."
    : "They may be live: keep them and the former ones, and the service unsealed.";

/** A share that was sent without a plain yes: the service's own count tells what became of it. */
async function explain(connection: Connection, round: Round, shown: RekeyStatus, before: Standing, error: unknown): Promise<unknown> {
  if (!(error instanceof StewardError)) return error;
  const { reason } = error.details;
  const { status } = error;
  if (wasNotCounted(error)) return error;
  const after = await getStatus(connection).catch(() => undefined);
  if (!after)
    return failed(`whether the share counted is not known (${reason})`, "Look at `pulumi-steward rekey status` before you give it again.");
  const now = round.at(after);
  const counted = now && `${now.progress} of ${now.required}`;
  const begunAnew = now && now.progress === 0 && before.progress + 1 >= before.required;
  const kind = `${round.shares} shares`;
  if (begunAnew && (status === 400 || status === 500))
    return failed(
      `the ${before.required} ${kind} given are not a set of the ${round.shares === "current" ? "service's keys" : "new keys"} (${reason})`,
      `Nothing is committed. At least one of them is wrong, and the service cannot tell which: all holders give theirs again. The nonce now is ${now.nonce}.`,
    );
  if (status === 400) return failed(`the service refused this share and lost nothing: ${reason}`, "See `pulumi-steward rekey status`.");
  if (now)
    return failed(
      `the answer was lost (${reason}); ${counted} ${kind} are given now, ${before.progress} were before`,
      now.progress > before.progress
        ? "It counted, unless another holder gave one at the same moment."
        : begunAnew
          ? "At least one of them may be wrong: all holders give theirs again."
          : "It did not count: give it again.",
    );
  if (round.shares === "new")
    return failed(`whether the new shares are live is not known: the answer was lost (${reason}), and the rekey is gone`, keepBoth);
  if (after.started && after.nonce === shown.nonce)
    return failed(
      `the new shares are made, and were lost with the answer (${reason})`,
      `Nothing is committed. ${shown.backup ? "The service's backup holds them, encrypted: `pulumi-steward rekey backup` fetches them." : "Cancel the rekey, and begin anew."}`,
    );
  return failed(
    `the answer was lost (${reason}), and the rekey is gone`,
    shown.verificationRequired
      ? "Nothing is committed: the current shares still open the service."
      : `It may have been committed. ${keepBoth}`,
  );
}
