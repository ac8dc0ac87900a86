import { Output, secret } from "@pulumi/pulumi/output";
import { invalidInput } from "../../errors";
import { checkFailures, str, strictObject } from "../../inputs";
import { decryptMessage } from "./crypto";

/** Options of {@link decryptShare}. */
export interface DecryptShareOptions {
  /** The PGP message: hex, as in `encryptedShares` of a rekey, base64, or armored. */
  share: string;
  /** The holder's private key, armored or the base64 of its binary form. */
  privateKey: string;
  /** The passphrase of the private key, if it is locked. */
  passphrase?: string;
}

const decryptOptions = strictObject({ share: str, privateKey: str, passphrase: str.optional() });
/**
 * Decrypts a new share for its holder, in the program's own process. It sends nothing. The result is a secret: the share, which the holder
 * passes as one of `newShares`.
 *
 * Throws `ERR_INVALID_INPUT` if the message, the key or the passphrase is invalid, or if they do not match.
 */
export async function decryptShare(options: DecryptShareOptions): Promise<Output<string>> {
  const { error } = decryptOptions.safeParse(options);
  if (error) throw invalidInput(checkFailures(error, options), { operation: "Cannot decrypt share" });
  const { share, privateKey, passphrase } = options;
  const { text } = await decryptMessage({ share, privateKey, passphrase: async () => passphrase });
  return secret(text);
}
