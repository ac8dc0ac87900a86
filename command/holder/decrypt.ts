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

/** The content of a message. */
export interface Content {
  name: string;
  isIn(text: string): boolean;
  /** The possible meaning of a message to an invalid key. */
  warning: string;
}

const aShare: Content = {
  name: "share",
  isIn: mayBeShare,
  warning: "so the rekey may have been started with an old public key. Verify the share only if you know why.",
};

/** Decrypts a share or a token, with gpg or with the file of a private key. Sends nothing. */
export async function decrypt(terminal: Terminal, options: DecryptOptions, content = aShare): Promise<void> {
  if (terminal.stdout.isTTY && !terminal.stdin.isTTY && options.store === undefined)
    throw invalid(
      `the ${content.name} would stay in the scroll-back of this terminal`,
      `Pass the encrypted ${content.name} as --${content.name}, or the output to a pipe.`,
    );
  const message = await readEncrypted(terminal, `--${content.name}`, content.name, options.share);
  const secret =
    options.key === undefined
      ? contentOf(await decryptWithGpg(terminal, messageOf(message)), content)
      : await decryptWithKey(terminal, message, options.key, options, content);
  if (options.store === undefined) await reveal(terminal, secret);
  else await store(terminal, options.store, secret);
}

function contentOf(text: string, { name, isIn }: Content): string {
  if (isIn(text.trim())) return text.trim();
  throw invalid(`the message contains no ${name}${isIn === mayBeShare ? " in base64 or hex" : ""}`);
}

async function decryptWithKey(terminal: Terminal, share: string, key: string, options: DecryptOptions, content: Content): Promise<string> {
  const { name, warning } = content;
  const passphrase = (): Promise<string> => readPassphrase(terminal, options, name);
  const { text, recipients, problem } = await decryptMessage({ share, privateKey: readKeyFile(key), passphrase });
  const decrypted = contentOf(text, content);
  say(terminal, `The ${name} is encrypted to ${nameKeys(recipients)}.`);
  if (problem !== undefined) say(terminal, `Warning: this is not a valid encryption key of yours${problem && ` (${problem})`}, ${warning}`);
  return decrypted;
}

/** Reads the file of a public or private key. */
export const readKeyFile = (path: string): string => textOf(read(path, "--key"), "base64");

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
export async function readEncrypted(terminal: Terminal, option: string, name: string, path?: string): Promise<string> {
  if (path !== undefined) return fromLine(textOf(read(path, option), "hex"));
  // Ciphertext is not secret.
  const asked = terminal.stdin.isTTY ? readLine(terminal, `Encrypted ${name}, on one line: `, { hidden: false }) : readSecret(terminal, "");
  return fromLine(await asked);
}

async function readPassphrase(terminal: Terminal, { passphraseFile }: DecryptOptions, name: string): Promise<string> {
  // The newline is not part of the passphrase. Spaces may be.
  if (passphraseFile !== undefined) return textOf(read(passphraseFile, "--passphrase-file"), "utf8").replace(/\r?\n$/, "");
  if (terminal.stdin.isTTY) return readLine(terminal, "Passphrase of the key (will be hidden): ", { hidden: true });
  throw invalid(
    "the private key is locked, and there is no terminal to prompt for its passphrase",
    `Pass the encrypted ${name} as --${name} on a terminal, or the passphrase as --passphrase-file.`,
  );
}

export function read(path: string, option: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    // Do not print the path: it may be the secret, passed in the wrong place.
    throw invalid(`the ${option} file cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
