import { readFileSync } from "node:fs";
import { StewardError } from "../../provider/contract/errors";
import { decodeShare, decryptMessage, mayBeShare, nameKeys } from "../../provider/secrets/rekey/protocol/crypto";
import { readLine, readSecret, reveal, say, Terminal } from "../terminal";
import { textOf } from "./file";
import { decryptWithGpg, store } from "./program";

export interface DecryptOptions {
  key?: string;
  share?: string;
  passphraseFile?: string;
  store?: string;
}

/** Decrypts a share, with gpg or with the file of a private key. Sends nothing. */
export async function decrypt(terminal: Terminal, options: DecryptOptions): Promise<void> {
  if (terminal.stdout.isTTY && !terminal.stdin.isTTY && options.store === undefined)
    throw invalid(
      "the share would stay in the scroll-back of this terminal",
      "Pass the encrypted share as --share, or the output to a pipe.",
    );
  const message = await readEncrypted(terminal, options.share);
  const share =
    options.key === undefined
      ? shareIn(await decryptWithGpg(terminal, messageOf(message)))
      : await decryptWithKey(terminal, message, options.key, options);
  if (options.store === undefined) await reveal(terminal, share);
  else await store(terminal, options.store, share);
}

function shareIn(text: string): string {
  if (mayBeShare(text)) return text.trim();
  throw invalid("the message contains no share in base64 or hex");
}

async function decryptWithKey(terminal: Terminal, share: string, key: string, options: DecryptOptions): Promise<string> {
  const privateKey = textOf(read(key, "--key"), "base64");
  const { text, recipients, problem } = await decryptMessage({ share, privateKey, passphrase: () => readPassphrase(terminal, options) });
  const decrypted = shareIn(text);
  say(terminal, `The share is encrypted to ${nameKeys(recipients)}.`);
  if (problem !== undefined)
    say(
      terminal,
      `Warning: this is not a valid encryption key of yours${problem && ` (${problem})`}, so the rekey may have been started with an old public key. Verify the share only if you know why.`,
    );
  return decrypted;
}

/** An encrypted share as gpg reads it: armored or binary. */
export function messageOf(share: string): string | Uint8Array {
  const message = share.includes("-----BEGIN") ? share : decodeShare(share.replace(/\s/g, ""));
  if (!message) throw invalid("the encrypted share is not a PGP message, in hex, base64 or armored");
  return message;
}

/** Returns the long hex string at the end of a printed line, or else the whole input. */
function fromLine(text: string): string {
  const shares = [...text.matchAll(/^.*[ \t]([0-9a-f]{64,})[ \t\r]*$/gm)].map(([, share]) => share as string);
  if (shares.length > 1) throw invalid("there is more than one share", "Pass the line that contains the fingerprint of your key.");
  return shares[0] ?? text;
}

const invalid = (reason: string, hint?: string): StewardError => new StewardError({ code: "ERR_INVALID_INPUT", reason, hint });

/** Reads an encrypted share from a file, a prompt or standard input. */
export async function readEncrypted(terminal: Terminal, path?: string): Promise<string> {
  if (path !== undefined) return fromLine(textOf(read(path, "encrypted share's"), "hex"));
  // Ciphertext is not secret.
  const asked = terminal.stdin.isTTY ? readLine(terminal, "Encrypted share, on one line: ", { hidden: false }) : readSecret(terminal, "");
  return fromLine(await asked);
}

async function readPassphrase(terminal: Terminal, { passphraseFile }: DecryptOptions): Promise<string> {
  // The newline is not part of the passphrase. Spaces may be.
  if (passphraseFile !== undefined) return textOf(read(passphraseFile, "--passphrase-file"), "utf8").replace(/\r?\n$/, "");
  if (terminal.stdin.isTTY) return readLine(terminal, "Passphrase of the key (will be hidden): ", { hidden: true });
  throw invalid(
    "the private key is locked, and there is no terminal to prompt for its passphrase",
    "Pass the encrypted share as --share on a terminal, or the passphrase as --passphrase-file.",
  );
}

function read(path: string, whose: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    // Do not print the path: it may be the secret, passed in the wrong place.
    throw invalid(`the ${whose} file cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
