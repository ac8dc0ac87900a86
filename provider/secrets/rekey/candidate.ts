import { isDeepStrictEqual } from "node:util";
import { nameKeys, recipientsOf } from "./crypto";
import { Parameters, ShareSet } from "./states";
import { StopId } from "./stops";

// Decides whether new shares may become the candidate.

/** The reason why a set of new shares is unusable. */
export interface Flaw {
  id: StopId;
  reason: string;
}

/**
 * The flaw of a set, or undefined. The set must have all requested shares, in the order of the requested fingerprints. Each message must name an
 * encryption key of the key that the program passed: an old public key of a holder has the same fingerprint.
 */
export async function flawOf(
  { shares, encrypted }: ShareSet,
  { shares: count, fingerprints, encryptionKeys }: Pick<Parameters, "shares" | "fingerprints"> & Partial<Parameters>,
): Promise<Flaw | undefined> {
  const order = encrypted.map(({ fingerprint }) => fingerprint);
  const messages = await Promise.all(encrypted.map(({ share }) => recipientsOf(share)));
  const isWhole = fingerprints.length > 0 ? isDeepStrictEqual(order, fingerprints) : shares.length === count;
  if (!isWhole || messages.some((ids) => ids.length === 0))
    return {
      id: "new-shares-incomplete",
      reason: `the service returned ${shares.length + encrypted.length} new shares instead of ${count}, or shares for other holders`,
    };
  const index = messages.findIndex((ids, at) => encryptionKeys && !ids.every((id) => encryptionKeys[at]?.includes(id)));
  return index < 0
    ? undefined
    : {
        id: "new-shares-other-subkey",
        reason: `the new share for ${order[index]} is encrypted to ${nameKeys(messages[index] ?? [])}, which is not a valid encryption key of pgpKeys[${index}]. Another client may have started the attempt with an old public key of this holder`,
      };
}
