import { StewardError } from "../../provider/contract/errors";
import { Terminal } from "../terminal";
import { assertDecrypted, Ended, failed, gpg } from "./program";

// Signatures by gpg. A key is named by its whole fingerprint, since anyone can make another key with the same short id.

/** Signed content, and the fingerprint of the primary key of its only signer, in lower case. */
export interface Signed {
  text: string;
  signer: string;
}

/** A fingerprint as gpg prints it, in groups and in upper case, without them. `option` names the input. */
export function fingerprintIn(option: string, input: string): string {
  const fingerprint = input.replace(/\s/g, "").toLowerCase();
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(fingerprint)) return fingerprint;
  const hint = "Pass all 40 digits, as `gpg --fingerprint` shows them.";
  throw new StewardError({ code: "ERR_INVALID_INPUT", reason: `${option} is not the fingerprint of a key`, hint });
}

/** Signs content with one key, by default in the form that shows it. `form`: the arguments of gpg for another one. */
export async function sign(terminal: Terminal, text: string, fingerprint: string, form = ["--clearsign"]): Promise<string> {
  const { output, status, code } = await gpg(terminal, ["--armor", "--local-user", fingerprint, ...form], text);
  // The configuration of gpg may add signers.
  if (code === 0 && status.filter(([word]) => word === "SIG_CREATED").length === 1) return output.toString("utf8");
  throw failed(
    `gpg cannot sign with the key ${fingerprint} alone (exit code ${code})`,
    "Its messages above say why. If it cannot prompt, run `export GPG_TTY=$(tty)`.",
  );
}

/** The caller knows the fingerprint of the signer: the keyring of gpg may have no trust in the key. */
const reading = ["--quiet", "--trust-model", "always", "--decrypt"];

/** Verifies the form that `sign` returns. */
export const verifySignature = async (terminal: Terminal, signed: string): Promise<Signed> =>
  signedIn(await gpg(terminal, reading, signed));

/** Decrypts a message, and verifies the signature in it. */
export async function decryptSigned(terminal: Terminal, message: string | Uint8Array): Promise<Signed> {
  const ended = await gpg(terminal, reading, message);
  assertDecrypted(ended);
  return signedIn(ended);
}

/** Reads the status, in which each signature must be valid: gpg exits with 0 for a message without a signature. */
function signedIn({ output, status, code }: Ended): Signed {
  const all = (...words: string[]): string[][] => status.filter(([word = ""]) => words.includes(word));
  const refuse = (reason: string, hint: string): StewardError => new StewardError({ code: "ERR_REJECTED", reason, hint });
  if (all("BADSIG").length > 0) throw refuse("the signature is invalid: the content has changed", "Ask the signer for it again.");
  const [unknown] = all("ERRSIG");
  if (unknown)
    throw refuse(
      `gpg cannot check the signature of the key ${/^[0-9A-F]+$/.test(unknown[7] ?? "") ? unknown[7] : unknown[1]}`,
      "If it has no public key of the signer, compare the fingerprint with the signer, and import the key with `gpg --import`.",
    );
  if (all("EXPKEYSIG", "REVKEYSIG", "EXPSIG").length > 0)
    throw refuse("the signature or the key of the signer has expired, or is revoked", "Import the current public key of the signer.");
  const [valid, ...others] = all("VALIDSIG");
  if (!valid) throw refuse("there is no signature", "Ask the signer for the signed form.");
  if (code !== 0 || others.length > 0 || all("GOODSIG").length !== 1 || all("PLAINTEXT").length !== 1)
    throw refuse("there is more than one signature or content", "Ask the signer for one with a single signature.");
  return { text: output.toString("utf8"), signer: fingerprintIn("the signer", valid[10] ?? "") };
}
