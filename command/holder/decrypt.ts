import { readFileSync } from "node:fs";
import { StewardError } from "../../provider/contract/errors";
import { decryptMessage, mayBeShare, nameKeys } from "../../provider/secrets/rekey/protocol/crypto";
import { print, readLine, readSecret, say, Terminal } from "../terminal";

export interface DecryptOptions {
  key: string;
  share?: string;
  passphraseFile?: string;
}

/** Decrypts a share with its holder's private key. Sends nothing. */
export async function decrypt(terminal: Terminal, options: DecryptOptions): Promise<void> {
  const privateKey = textOf(read(options.key, "--key"), "base64");
  const share = fromLine(await readEncrypted(terminal, options));
  const { text, recipients, problem } = await decryptMessage({
    share,
    privateKey,
    passphrase: () => readPassphrase(terminal, options),
  });
  if (!mayBeShare(text)) throw invalid("the message contains no share in base64 or hex");
  say(terminal, `The share is encrypted to ${nameKeys(recipients)}.`);
  if (problem !== undefined)
    say(
      terminal,
      `Warning: this is not a valid encryption key of yours${problem && ` (${problem})`}, so the rekey may have been started with an old public key. Verify the share only if you know why.`,
    );
  await print(terminal, text.trim());
}

/** Returns the long hex string at the end of a printed line, or else the whole input. */
function fromLine(text: string): string {
  const shares = [...text.matchAll(/^.*[ \t]([0-9a-f]{64,})[ \t\r]*$/gm)].map(([, share]) => share as string);
  if (shares.length > 1) throw invalid("there is more than one share", "Pass the line that contains the fingerprint of your key.");
  return shares[0] ?? text;
}

const invalid = (reason: string, hint?: string): StewardError => new StewardError({ code: "ERR_INVALID_INPUT", reason, hint });

/** Decodes a file: UTF-8, the UTF-16 of PowerShell, or else the binary form, which begins with a byte above 127. */
function textOf(bytes: Buffer, binary: BufferEncoding): string {
  const first = bytes[0] ?? 0;
  const encoding = first === 0xff ? "utf16le" : first < 128 || first === 0xef ? "utf8" : binary;
  return bytes.toString(encoding).replace(/^\ufeff/, "");
}

async function readEncrypted(terminal: Terminal, { share }: DecryptOptions): Promise<string> {
  if (share !== undefined) return textOf(read(share, "--share"), "hex");
  // Ciphertext is not secret.
  return terminal.stdin.isTTY ? readLine(terminal, "Encrypted share, on one line: ", { hidden: false }) : readSecret(terminal, "");
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

function read(path: string, option: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    // Do not print the path: it may be the secret, passed in the wrong place.
    throw invalid(`the ${option} file cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
