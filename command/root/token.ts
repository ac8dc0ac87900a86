import { StewardError } from "../../provider/contract/errors";
import { SharesOperation } from "../../provider/secrets/rekey/protocol/operation";
import { DecryptOptions, decrypt as decryptContent } from "../holder/decrypt";
import { assertPrivate } from "../rekey/attempt";
import { failed } from "../rekey/outcome";
import { readSecret, say, Terminal } from "../terminal";
import { lookUpSelf, revokeSelf } from "./api";
import { rootOperation } from "./attempt";

// The root token in plaintext, which only its owner has.

const mayBeToken = (text: string): boolean => /^[\w.-]{20,200}$/.test(text);

/** Decrypts the root token. Sends nothing. */
export const decrypt = (terminal: Terminal, { token, ...options }: Omit<DecryptOptions, "share"> & { token?: string }): Promise<void> =>
  decryptContent(
    terminal,
    { ...options, share: token },
    { name: "token", isIn: mayBeToken, warning: "so somebody may have started with an old public key." },
  );

/** Revokes a root token with itself, and proves it. */
export async function revoke(terminal: Terminal, options: { allowHttp?: boolean }): Promise<void> {
  const operation = rootOperation(terminal);
  assertPrivate(operation, options);
  const token = await readSecret(terminal, "Root token (will be hidden): ");
  if (!mayBeToken(token))
    throw new StewardError({ code: "ERR_INVALID_INPUT", reason: "the input is not a token", hint: "Nothing was sent." });
  const { server } = operation;
  const credentials = { ...server.credentials, token: () => token, tokenSource: "the input" };
  const own: SharesOperation = { ...operation, server: { ...server, credentials } };
  if (!(await lookUpSelf(own)).includes("root"))
    throw new StewardError({ code: "ERR_REJECTED", reason: "the input is not a root token", hint: "Nothing was revoked." });
  await revokeSelf(own);
  const policies = await lookUpSelf(own).catch((error) => {
    if (!(error instanceof StewardError) || error.status !== 403) throw error;
  });
  if (policies) throw failed(`${server.words.service} still accepts the token`, "Run this again.");
  say(terminal, `The root token and all tokens that it created are revoked: ${server.words.service} rejects it with a 403.`);
}
