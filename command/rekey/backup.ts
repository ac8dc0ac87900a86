import { writeFileSync } from "node:fs";
import { StewardError } from "../../provider/contract/errors";
import { placeOf } from "../../provider/secrets/client";
import { getBackup, RekeyBackup, removeBackup } from "../../provider/secrets/rekey/protocol/api";
import { encryptedLine } from "../../provider/secrets/rekey/protocol/crypto";
import { unusable } from "../holder/file";
import { print, say, Terminal } from "../terminal";
import { service, TargetOptions } from "./attempt";

export interface BackupOptions extends TargetOptions {
  fingerprint?: string;
  output?: string;
  delete?: boolean;
  nonce?: string;
}

/** Fetches the backup, or removes the one that `--nonce` names. */
export async function backup(terminal: Terminal, options: BackupOptions): Promise<void> {
  const operation = await service(terminal, options);
  const kept = await getBackup(operation);
  if (!kept) throw refuse(`there is no rekey backup on ${placeOf(operation)}`, "Nothing was changed.");
  if (options.nonce !== undefined && options.nonce !== kept.nonce)
    throw refuse(`--nonce does not match the backup, ${kept.nonce}`, "Nothing was changed. Find out whose backup it is.");
  if (!options.delete) return fetch(terminal, kept, options);
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
  if (output === undefined) for (const line of lines) await print(terminal, line);
  else write(terminal, output, lines);
}

function write(terminal: Terminal, path: string, lines: readonly string[]): void {
  try {
    writeFileSync(path, lines.map((line) => `${line}\n`).join(""), { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw unusable(error);
  }
  say(terminal, `The shares are in ${path}, which only you can read.`);
}

const refuse = (reason: string, hint: string): StewardError => new StewardError({ code: "ERR_CONFLICT", reason, hint });
