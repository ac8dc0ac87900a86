import { z } from "zod";
import { StewardError } from "../../provider/contract/errors";
import { apiPath, callWithoutClaim, isFromService } from "../../provider/secrets/client";
import { isReplyLost } from "../../provider/secrets/rekey/protocol/api";
import { SharesOperation } from "../../provider/secrets/rekey/protocol/operation";
import { DecryptOptions, decrypt as decryptContent } from "../holder/decrypt";
import { assertPrivate } from "../rekey/attempt";
import { failed } from "../rekey/outcome";
import { readSecret, say, Terminal } from "../terminal";
import { rootOperation } from "./attempt";

// The root token in plaintext, which only its owner has.

const aToken = {
  name: "token",
  isIn: (text: string): boolean => /^[\w.-]{20,200}$/.test(text),
  warning: "so the generation may have been started with an old public key.",
};

/** Decrypts the root token. Sends nothing. The last holder may not pass the reminder on to its owner. */
export async function decrypt(terminal: Terminal, options: DecryptOptions & { token?: string }): Promise<void> {
  await decryptContent(terminal, { ...options, share: options.token }, aToken);
  say(terminal, "The root token has all rights and never expires. Once the server is repaired, revoke it: `pulumi-steward root revoke`.");
}

/** Revokes a root token with itself, and proves it. */
export async function revoke(terminal: Terminal, options: { allowHttp?: boolean }): Promise<void> {
  const operation = rootOperation(terminal);
  assertPrivate(operation, options);
  const token = await readSecret(terminal, "Root token (will be hidden): ");
  const refuse = (reason: string): StewardError => new StewardError({ code: "ERR_REJECTED", reason, hint: "Nothing was revoked." });
  if (!aToken.isIn(token)) throw refuse("the input is not a token");
  const { server } = operation;
  const own = { ...operation, server: { ...server, credentials: { ...server.credentials, token: () => token, tokenSource: "the input" } } };
  const before = await policiesOf(own).catch((error) => {
    if (error.status === 403 && isFromService(error))
      throw refuse(`${server.words.service} does not know the token, which may be revoked already`);
    throw error;
  });
  if (!before.includes("root")) throw refuse("the input is not a root token");
  await callWithoutClaim(own, { method: "POST", path: apiPath("auth/token/revoke-self"), retry: "never" }).catch((error) => {
    if (!isReplyLost(error)) throw error;
  });
  const policies = await policiesOf(own).catch((error) => {
    // A proxy may respond with a 403 of its own.
    if (!(error instanceof StewardError) || error.status !== 403 || !isFromService(error)) throw error;
  });
  if (policies) throw failed(`${server.words.service} still accepts the token`, "Run this again.");
  say(
    terminal,
    `The root token is revoked, and so are the tokens that it created, except orphans. ${server.words.service} rejects it with a 403.`,
  );
}

/** The policies of the operation's own token. */
async function policiesOf(operation: SharesOperation): Promise<string[]> {
  const body = await callWithoutClaim(operation, { method: "GET", path: apiPath("auth/token/lookup-self"), retry: "idempotent" });
  return z.object({ data: z.object({ policies: z.array(z.string()) }) }).safeParse(body).data?.data.policies ?? [];
}
