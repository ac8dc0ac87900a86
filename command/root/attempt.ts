import { StewardError } from "../../provider/contract/errors";
import { placeOf } from "../../provider/secrets/client";
import { describeKey, InspectedKey, inspectKeys } from "../../provider/secrets/rekey/protocol/crypto";
import { commandFor, SharesOperation } from "../../provider/secrets/rekey/protocol/operation";
import { stopped } from "../../provider/secrets/rekey/protocol/stops";
import { readKeyFile } from "../holder/decrypt";
import { readShare, ShareOrigin } from "../holder/share";
import { agree, assertPrivate, assertUnchanged, connection, Round, Standing } from "../rekey/attempt";
import { failed, sayAccepted, sendShare } from "../rekey/outcome";
import { print, say, Terminal } from "../terminal";
import { cancelAttempt, getRootStatus, RootStatus, startAttempt, submitShare } from "./api";

// The generation of a root token, which only the owner of a PGP key can decrypt.

export const rootOperation = (terminal: Terminal): SharesOperation => ({ ...connection(terminal), target: "root" });

/** The attempt, one property per line. */
export function describe({ started, nonce, progress, required, fingerprint }: RootStatus, operation: SharesOperation): string[] {
  if (!started) return [`no generation of a root token in progress on ${placeOf(operation)}`];
  return [
    `server        ${placeOf(operation)}`,
    `nonce         ${nonce}`,
    `shares        ${progress} of ${required} submitted`,
    `root token    ${fingerprint ? `encrypted to a subkey of the key ${fingerprint}` : "encoded with a one-time password"}`,
  ];
}

const canceling: Round<RootStatus> = {
  name: "generation of a root token",
  shares: "current",
  read: getRootStatus,
  describe,
  decisive: { nonce: "its nonce", fingerprint: "the key" },
  at: (status) => (status.started ? status : undefined),
  missing: (_, operation) =>
    stopped(
      "attempt-missing",
      `no generation of a root token is in progress on ${placeOf(operation)}`,
      `Nothing was sent. The administrator starts one with \`${commandFor(operation, "start --key <file>")}\`.`,
    ),
  // OpenBao rejects one with a 500.
  refusals: [400, 500],
  lost: (operation, now, before, reason) =>
    now && now.progress >= before.progress
      ? undefined
      : failed(
          `the response to a share was lost (${reason}), and ${now ? "no share is submitted any more" : "the attempt is gone"}`,
          `${operation.server.words.service} may have generated a root token that nobody has: see docs/rekey/break-glass.md#a-response-was-lost in the package.`,
        ),
};

const submitting: Round<RootStatus> = {
  ...canceling,
  assertAllowed({ fingerprint }) {
    if (fingerprint) return;
    const reason = "the root token would not be encrypted to a key: it has a one-time password, which another client knows";
    throw new StewardError({ code: "ERR_REJECTED", reason, hint: "Nothing was sent. Cancel it, and start again with --key." });
  },
};

async function readKey(path: string): Promise<InspectedKey> {
  const [key] = (await inspectKeys([readKeyFile(path)])) as [InspectedKey];
  if (!key.problem) return key;
  throw new StewardError({ code: "ERR_INVALID_INPUT", reason: `the --key file: ${key.problem.reason}`, hint: "Nothing was sent." });
}

/** Starts an attempt, unless one is in progress. A key to which the token cannot be encrypted would leave a root token that nobody has. */
export async function start(terminal: Terminal, options: { key: string }): Promise<void> {
  const operation = rootOperation(terminal);
  const key = await readKey(options.key);
  const { fingerprint, binary } = key;
  const before = await getRootStatus(operation);
  if (before.started) {
    for (const line of describe(before, operation)) say(terminal, line);
    const hint = `Nothing was changed. Find out who started it. To replace it: \`${commandFor(operation, `cancel --nonce ${before.nonce}`)}\`.`;
    throw new StewardError({ code: "ERR_CONFLICT", reason: "a generation of a root token is in progress", hint });
  }
  if (before.required === 0) throw failed(`${operation.server.words.service} has no recovery keys yet`, "Nothing was changed.");
  say(terminal, `The shares of ${before.required} holders will generate a token with all rights, for the owner of ${describeKey(key)}.`);
  const started = await startAttempt(operation, binary);
  if (!started.started || started.fingerprint !== fingerprint)
    throw failed("the server does not show the attempt for this key", `Check \`${commandFor(operation, "status")}\`.`);
  for (const line of describe(started, operation)) await print(terminal, line);
  say(terminal, `Tell each holder the fingerprint and the nonce. They run \`${commandFor(operation, "submit")}\`.`);
}

/** Submits a share. The last one prints the encrypted root token. */
export async function submit(terminal: Terminal, options: ShareOrigin & { nonce?: string; allowHttp?: boolean }): Promise<void> {
  const operation = rootOperation(terminal);
  assertPrivate(operation, options);
  const agreed = await agree(terminal, operation, submitting, "Submit your share to generate this root token?", options.nonce);
  const { trusted, share } = await readShare(terminal, operation, { origin: options, prompt: "Your share (will be hidden): " });
  const send = ({ nonce }: Standing): ReturnType<typeof submitShare> => submitShare(trusted, nonce, share.text);
  await sendShare(terminal, trusted, { round: submitting, agreed }, send, async ({ complete, progress, encoded_token }, { required }) => {
    sayAccepted(terminal, progress, required);
    if (!complete) return;
    say(terminal, `The root token is valid, and this is its only copy, encrypted. Send it to the owner of ${agreed.fingerprint}.`);
    await print(terminal, encoded_token).catch(() => say(terminal, encoded_token));
    say(terminal, `It never expires. Afterwards, revoke it with \`${commandFor(operation, "revoke")}\`.`);
  });
}

export async function cancel(terminal: Terminal, options: { nonce?: string }): Promise<void> {
  const operation = rootOperation(terminal);
  const agreed = await agree(terminal, operation, canceling, "Cancel it and discard all submitted shares?", options.nonce);
  const { nonce } = await assertUnchanged(operation, canceling, agreed);
  if (!(await cancelAttempt(operation, nonce)))
    throw failed(`${operation.server.words.service} still reports the attempt`, "Run this again.");
  // The server confirms the cancel of an attempt that is gone, too.
  say(terminal, "The attempt is canceled, and its shares are discarded, unless another holder submitted the last one at the same moment.");
}
