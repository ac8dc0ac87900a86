import { StewardError } from "../../provider/contract/errors";
import { getBackup } from "../../provider/secrets/rekey/protocol/api";
import { decodeShare, mayBeShare, redacting, Share, shareOf } from "../../provider/secrets/rekey/protocol/crypto";
import { SharesOperation } from "../../provider/secrets/rekey/protocol/operation";
import { readSecret, say, Terminal } from "../terminal";
import { messageOf, readEncrypted } from "./decrypt";
import { decryptWithGpg, fingerprintsOfGpg, store } from "./program";

/** The source of a holder's share, and a second place that receives it. The default is a prompt or standard input. */
export interface ShareOrigin {
  /** Fetches the holder's encrypted share from the server. gpg decrypts it. */
  fromBackup?: boolean;
  /** The file with the encrypted share. gpg decrypts it. */
  encrypted?: string;
  /** The command that receives the share over a pipe before it is sent. */
  store?: string;
}

/** Reads the holder's share. The operation `trusted` redacts it in every error. `nonce`: of the rekey that made it, if that is known. */
export async function readShare<Own extends SharesOperation>(
  terminal: Terminal,
  operation: Own,
  { origin, prompt, nonce }: { origin: ShareOrigin; prompt: string; nonce?: string },
): Promise<{ trusted: Own; share: Share }> {
  const message = origin.fromBackup
    ? await fetchOwn(terminal, operation, nonce)
    : origin.encrypted !== undefined
      ? await readEncrypted(terminal, "--encrypted", "share", origin.encrypted)
      : undefined;
  const text = message === undefined ? await readSecret(terminal, prompt) : await decryptWithGpg(terminal, messageOf(message));
  const share = checkShare(text, message === undefined ? "the input" : "the decrypted message");
  if (origin.store !== undefined) await store(terminal, origin.store, share.text);
  return { trusted: redacting(operation, [{ shares: [share] }]), share };
}

/** The one encrypted share in the server's backup for which gpg has the key. */
async function fetchOwn(terminal: Terminal, operation: SharesOperation, nonce?: string): Promise<string> {
  const backup = await getBackup(operation);
  if (!backup) throw invalid("the server has no backup", "Nothing was sent.");
  if (nonce !== undefined && backup.nonce !== nonce)
    throw invalid(`the backup belongs to another rekey, ${backup.nonce}`, "Nothing was sent. Find out whose rekey it is.");
  say(terminal, `The backup belongs to the rekey ${backup.nonce}.`);
  const mine = await fingerprintsOfGpg(terminal);
  const shares = mine.flatMap((fingerprint) => backup.keys[fingerprint] ?? []);
  const [share] = shares;
  if (share === undefined)
    throw invalid(
      "gpg has the private key of no share in the backup",
      `Nothing was sent. The backup contains shares for ${Object.keys(backup.keys).join(", ")}.`,
    );
  if (shares.length > 1)
    throw invalid(
      `gpg has the private keys of ${shares.length} shares in the backup`,
      "Nothing was sent. Fetch one with `pulumi-steward rekey backup --fingerprint`, and pass it as --encrypted.",
    );
  return share;
}

/** Throws if an input is not a share. Spaces may separate groups of hex, or of base64 that has the length of Vault's shares and is no passphrase. */
export function checkShare(input: string, label: string): Share {
  const joined = input.replace(/\s/g, "");
  const text = isHex(joined) || /^(?=.*[A-Z])(?=.*[0-9+/])[A-Za-z0-9+/]{44}$/.test(joined) ? joined : input.trim();
  const flaw = flawIn(text);
  if (!flaw) return shareOf(text, label);
  const isLong = text.length > 150;
  throw invalid(
    `${label} ${flaw}; nothing was sent`,
    isLong ? "Decrypt it first, with `pulumi-steward rekey decrypt`." : "Check that it is whole.",
  );
}

const isHex = (text: string): boolean => /^[0-9a-f]+$/i.test(text);

function flawIn(text: string): string | undefined {
  const bytes = decodeShare(text);
  if (text === "") return "is empty";
  if (isHex(text) && text.length % 2 > 0) return `has ${text.length} hex digits, so one is missing or too many`;
  if (!bytes) return "is not a share in base64 or hex";
  return mayBeShare(text) ? undefined : `is ${bytes.length} bytes of ${isHex(text) ? "hex" : "base64"}, and a share has 16 to 64`;
}

const invalid = (reason: string, hint: string): StewardError => new StewardError({ code: "ERR_INVALID_INPUT", reason, hint });
