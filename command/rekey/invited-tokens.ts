import { z } from "zod";
import { commandFor, SharesOperation } from "../../provider/secrets/rekey/protocol/operation";
import { parsed } from "../../provider/text/json";
import { StateFolder } from "../state-folder";
import { say, Terminal } from "../terminal";

/** A token that an invitation contains. Its accessor can only end it. `nonce`: of the rekey. */
const tokenSchema = z.object({ accessor: z.string(), nonce: z.string(), holder: z.string(), expires: z.iso.datetime() });
export type InvitedToken = z.infer<typeof tokenSchema>;

/** The tokens of the invitations from this machine, in a file for each, which is named after the accessor. */
export const tokenFiles = (operation: SharesOperation, terminal: Terminal): StateFolder =>
  new StateFolder("invitation", operation, terminal);

export const savedIn = (files: StateFolder): InvitedToken[] =>
  files
    .names()
    .map((accessor) => tokenSchema.safeParse(parsed(files.read(accessor))).data ?? unfinished(accessor))
    .sort((one, other) => one.holder.localeCompare(other.holder));

/** The token of a file that a killed run has created and not written: only its name is known. */
const unfinished = (accessor: string): InvitedToken => ({ accessor, nonce: "", holder: "an unknown holder", expires: "an unknown time" });

export const describeTokens = (tokens: readonly InvitedToken[]): string =>
  tokens.map(({ holder, expires }) => `${holder} until ${expires}`).join(", ");

/** Names the invitations that outlive their rekey. `nonce`: of the rekey in progress. */
export function sayOutlived(terminal: Terminal, operation: SharesOperation, nonce = ""): void {
  let saved: InvitedToken[] = [];
  try {
    saved = savedIn(tokenFiles(operation, terminal));
  } catch {
    // A holder, who has made no invitation, needs no such folder.
  }
  const outlived = saved.filter((token) => token.nonce !== nonce && !(Date.parse(token.expires) <= Date.now()));
  if (outlived.length === 0) return;
  const revoke = commandFor(operation, "invite --revoke");
  say(
    terminal,
    `These invitations to a rekey that is no longer in progress are still valid: ${describeTokens(outlived)}. Run \`${revoke}\`.`,
  );
}
