import { StewardError } from "../../provider/contract/errors";
import { dialectOf } from "../../provider/secrets/client";
import {
  cancelAttempt,
  getStatus,
  isFailedCommit,
  isKeyRejected,
  isReplyLost,
  isUnchecked,
  RekeyStatus,
  restartVerification,
  retryAfter429,
  submitShare,
  unchecked,
  verifyShare,
  wasNotCounted,
} from "../../provider/secrets/rekey/protocol/api";
import {
  encryptedLine,
  flawOf,
  isEmpty,
  mayBeShare,
  prove,
  redacting,
  Share,
  ShareSet,
  shareOf,
} from "../../provider/secrets/rekey/protocol/crypto";
import { commandFor, RekeyOperation } from "../../provider/secrets/rekey/protocol/operation";
import { identified, noShares, StopId, stopped } from "../../provider/secrets/rekey/protocol/stops";
import { NewSharesFile } from "../holder/file";
import { print, readSecret, say, Terminal, unbroken } from "../terminal";
import {
  agree,
  assertPrivate,
  assertUnchanged,
  canceling,
  Round,
  Standing,
  service,
  submitting,
  TargetOptions,
  verifyHint,
  verifying,
} from "./attempt";

// The commands that prompt for a share and send it.

export interface ShareOptions extends TargetOptions {
  nonce?: string;
  allowHttp?: boolean;
}

/** Submits a current share. The last one returns the new shares. */
export async function submit(terminal: Terminal, options: ShareOptions & { output?: string }): Promise<void> {
  const operation = service(terminal, options);
  assertPrivate(operation, options);
  const agreed = await agree(terminal, operation, submitting, "Submit your current share to this rekey?", options.nonce);
  const fingerprints = agreed.pgpFingerprints;
  if (fingerprints.length === 0)
    say(
      terminal,
      "If yours is the last share, all new shares are printed here, in plaintext. If `pulumi up` runs this rekey, it must submit the last share itself.",
    );
  if (!agreed.verificationRequired && fingerprints.length === 0)
    say(terminal, "Without verification the last share commits: if its response is lost, so are the new keys.");
  const file = options.output === undefined ? undefined : new NewSharesFile(options.output, agreed.shares);
  try {
    const { trusted, share } = await readShare(terminal, operation, "Your current share (will be hidden): ");
    let before = await assertUnchanged(trusted, submitting, agreed);
    const isUnchanged = async (): Promise<true> => {
      before = await assertUnchanged(trusted, submitting, agreed);
      return true;
    };
    const send = (): ReturnType<typeof submitShare> =>
      submitShare(trusted, { nonce: before.nonce, share: share.text }, { threshold: agreed.threshold, fingerprints });
    await unbroken(terminal, onItsWay, async () => {
      const result = await retryAfter429(trusted, send, isUnchanged).catch(async (error) => {
        throw await explain(trusted, submitting, agreed, before, error);
      });
      if (!result.set) say(terminal, `${result.progress ?? before.progress + 1} of ${before.required} current shares submitted.`);
      else await handOut(terminal, trusted, agreed, result.set, file);
    });
  } finally {
    file?.close();
  }
}

const onItsWay = "The share was sent. Waiting for the response.";

/** Verifies a new share. The last one commits. */
export async function verify(terminal: Terminal, options: ShareOptions): Promise<void> {
  const operation = service(terminal, options);
  assertPrivate(operation, options);
  say(
    terminal,
    dialectOf(operation).countsRepeatedNewShares
      ? "If a stack runs this rekey, run `pulumi up` with your new share instead: the stack restarts a verification with shares that it does not know."
      : "If a stack runs this rekey, your share counts with those of the stack, and the last one of the threshold should come from `pulumi up`.",
  );
  const agreed = await agree(terminal, operation, verifying, "Verify your new share with this rekey?", options.nonce);
  const { trusted, share } = await readShare(terminal, operation, "Your new share (will be hidden): ");
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
    if (!complete) return say(terminal, `${before.progress + 1} of ${before.required} new shares verified.`);
    const after = await getStatus(trusted);
    if (after.nonce === agreed.nonce || after.required !== agreed.threshold)
      throw failed(`${operation.server.words.service} reported completion, but its status does not show it`, keepBoth, "outcome-unknown");
    say(terminal, "The new shares are live. The previous ones are no longer valid.");
  });
}

/** Cancels a rekey. Throws if another holder may have committed it meanwhile. */
export async function cancel(operation: RekeyOperation, agreed: RekeyStatus): Promise<void> {
  const { nonce } = await assertUnchanged(operation, canceling, agreed);
  try {
    // The new shares verified so far no longer count, so no holder can commit with the next one.
    if (agreed.verification) {
      await restartVerification(operation, nonce);
      await assertUnchanged(operation, canceling, agreed);
    }
    if (await cancelAttempt(operation, nonce)) return;
  } catch (error) {
    if ((await getStatus(operation)).nonce === nonce || !agreed.verification) throw error;
  }
  throw failed("the rekey disappeared while it was being canceled, and another holder may have committed it", keepBoth, "outcome-unknown");
}

const keepBoth = "Keep the previous shares and the new ones. See docs/rekey/errors.md#test-which-shares-are-valid in the package.";

/** Prompts for a share. The connection `trusted` redacts it in every error. */
async function readShare(
  terminal: Terminal,
  operation: RekeyOperation,
  prompt: string,
): Promise<{ trusted: RekeyOperation; share: Share }> {
  const text = await readSecret(terminal, prompt);
  const share = checkShare(text, "the input");
  return { trusted: redacting(operation, [{ shares: [share] }]), share };
}

/** Throws if an input is not a share. */
export function checkShare(text: string, label: string): Share {
  if (mayBeShare(text)) return shareOf(text, label);
  throw new StewardError({
    code: "ERR_INVALID_INPUT",
    reason: `${label} is not a share in base64 or hex; nothing was sent`,
    hint: "Decrypt an encrypted share first, with `pulumi-steward rekey decrypt`.",
  });
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
      ? "Hand each new share to its holder, who decrypts it with `pulumi-steward rekey decrypt`."
      : "Hand each new share to its holder.";
  if (!agreed.verificationRequired) return say(terminal, `The new shares are live, and the previous ones are no longer valid. ${handOver}`);
  say(terminal, `Nothing is committed yet: the current shares are still valid. ${handOver}`);
  const nonce = await getStatus(operation).then(
    ({ verification }) => verification?.nonce,
    () => undefined,
  );
  say(terminal, `${set.threshold} of them commit the rekey. ${verifyHint(operation, "them", nonce)}`);
}

/** An error with an id, if docs/rekey/errors.md says more than the hint. */
export function failed(reason: string, hint: string, id?: StopId): StewardError {
  const error = new StewardError({ code: "ERR_FAILED", reason, hint });
  return id ? identified(id, error) : error;
}

const cancelIt = ({ verificationRequired }: RekeyStatus): string =>
  verificationRequired
    ? "Nothing is committed. Do not verify them. Cancel the rekey, and find out what modifies the responses."
    : "They may be live. Keep them and the previous ones, and keep the server unsealed.";

/** Explains a failed or lost response: reads from the status whether the share counted. */
async function explain(operation: RekeyOperation, round: Round, agreed: RekeyStatus, before: Standing, error: unknown): Promise<unknown> {
  if (!(error instanceof StewardError)) return error;
  const { reason } = error.details;
  const { service } = operation.server.words;
  const { status } = error;
  if (wasNotCounted(error)) return error;
  const after = await getStatus(operation).catch(() => undefined);
  if (!after)
    return failed(
      `it is unknown whether the share was counted (${reason})`,
      `Check \`${commandFor(operation, "status")}\` before you submit it again.`,
      "share-count-unknown",
    );
  const now = round.at(after);
  const counted = now && `${now.progress} of ${now.required}`;
  const hasRestarted = now && now.progress === 0 && before.progress + 1 >= before.required;
  const kind = `${round.shares} shares`;
  if (round.shares === "current" && now && now.progress >= now.required)
    return failed(
      `the ${now.progress} ${kind} submitted cannot be combined (${reason})`,
      `Nothing is committed. At least one of them is wrong, and ${service} keeps them all: cancel the rekey, and start over.`,
      "shares-not-combined",
    );
  if (round.shares === "new" && isFailedCommit(error))
    return failed(
      `it is unknown whether the new shares are live: ${service} failed to commit them (${reason})`,
      keepBoth,
      "outcome-unknown",
    );
  if (hasRestarted && isKeyRejected(error))
    return stopped(
      "key-rejected",
      `${service} accepted the ${before.required} current shares, but cannot encrypt the new ones (${reason})`,
      "A PGP key has expired, or is not valid. Renew it, cancel the rekey, and start it again with the new key.",
    );
  if (hasRestarted && isUnchecked(error)) return stopped("shares-not-checked", unchecked(operation, before.required, error));
  if (hasRestarted && (status === 400 || status === 500))
    return failed(
      `the ${before.required} ${kind} submitted do not reconstruct the ${round.shares} key (${reason})`,
      `Nothing is committed. At least one of them is wrong, and ${service} cannot tell which: all holders must submit theirs again, with the new nonce ${now.nonce}.`,
      round.shares === "current" ? "shares-refused" : "new-shares-not-proven",
    );
  if (status === 400)
    return failed(
      `${service} rejected this share and kept the others: ${reason}`,
      `See \`${commandFor(operation, "status")}\`.`,
      "share-refused",
    );
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
      `it is unknown whether the new shares are live: the response was lost (${reason}), and the rekey is gone`,
      keepBoth,
      "outcome-unknown",
    );
  if (after.started && after.nonce === agreed.nonce)
    return failed(
      `the new shares were created, but were lost with the response (${reason})`,
      `Nothing is committed. ${agreed.backup ? `The backup contains them, encrypted: fetch it with \`${commandFor(operation, "backup")}\`.` : "Cancel the rekey, and start over."}`,
      "new-shares-lost",
    );
  return failed(
    `the response was lost (${reason}), and the rekey is gone`,
    `It was canceled or lost, or other holders have committed it. ${keepBoth}`,
    "attempt-lost",
  );
}
