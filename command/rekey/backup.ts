import { StewardError } from "../../provider/contract/errors";
import { placeOf } from "../../provider/secrets/client";
import { getBackup, RekeyBackup, removeBackup } from "../../provider/secrets/rekey/protocol/api";
import { encryptedLine } from "../../provider/secrets/rekey/protocol/crypto";
import { writePrivate } from "../holder/file";
import { print, say, Terminal } from "../terminal";
import { InvitationOptions, participate } from "./invitation";

export interface BackupOptions extends InvitationOptions {
  fingerprint?: string;
  output?: string;
  delete?: boolean;
  nonce?: string;
}

/** Fetches the backup, or removes the one that `--nonce` names. */
export async function backup(terminal: Terminal, options: BackupOptions): Promise<void> {
  const { operation, invited } = await participate(terminal, options);
  const kept = await getBackup(operation);
  if (!kept) throw refuse(`there is no rekey backup on ${placeOf(operation)}`, "Nothing was changed.");
  const expected = { "--nonce": options.nonce, "the invitation": invited?.attempt.nonce };
  for (const [name, nonce] of Object.entries(expected))
    if (nonce !== undefined && nonce !== kept.nonce)
      throw refuse(`${name} does not match the backup, ${kept.nonce}`, "Nothing was changed. Find out whose backup it is.");
  if (!options.delete) return fetch(terminal, kept, { fingerprint: invited?.for, ...options });
  await removeBackup(operation, kept.nonce);
  say(terminal, `The backup of the rekey ${kept.nonce} is removed.`);
}

async function fetch(terminal: Terminal, { nonce, keys }: RekeyBackup, { fingerprint, output }: BackupOptions): Promise<void> {
  // gpg prints fingerprints in groups and in upper case.
  const holder = fingerprint?.replace(/\s/g, "").toLowerCase();
  const entries = Object.entries(keys).filter(([each]) => holder === undefined || each === holder);
  if (holder !== undefined && entries.length === 0)
    throw refuse(
      "the backup contains no share for this fingerprint",
      `It contains shares for ${Object.keys(keys).join(", ")}. \`gpg --fingerprint\` shows the fingerprint of your key.`,
    );
  say(terminal, `The backup belongs to the rekey ${nonce}, which may never have been committed.`);
  const lines = entries.flatMap(([each, shares]) => shares.map((share) => encryptedLine(each, share)));
  if (output === undefined) {
    for (const line of lines) await print(terminal, line);
    return;
  }
  writePrivate("--output", output, lines.map((line) => `${line}\n`).join(""));
  say(terminal, `The shares are in ${output}, which only you can read.`);
}

const refuse = (reason: string, hint: string): StewardError => new StewardError({ code: "ERR_CONFLICT", reason, hint });
