import { onlyConnection } from "../../inputs";
import { ask } from "../../program";
import { Connected } from "../../resource";
import { getBackup, Parameters, RekeyBackup, ShareSet } from "./server";

/**
 * The encrypted shares of an attempt of ours, as the service keeps them; in the order of the keys.
 * @internal
 */
export function candidateIn(backup: RekeyBackup | undefined, nonce: string, { threshold, fingerprints }: Parameters): ShareSet | undefined {
  if (backup?.nonce !== nonce) return undefined;
  const encrypted = fingerprints.map((fingerprint) => ({ fingerprint, share: backup.keys[fingerprint]?.[0] }));
  const complete = encrypted.filter((each): each is { fingerprint: string; share: string } => each.share !== undefined);
  return complete.length === fingerprints.length ? { nonce, threshold, shares: [], encrypted: complete } : undefined;
}

/** Options of {@link getRekeyBackup}. */
export interface GetRekeyBackupOptions extends Connected {}

/**
 * The backup of encrypted new shares that the service keeps, `GET sys/rekey/backup`; undefined when it keeps none. It may be that of a rekey which never
 * came to its commit: its `nonce` tells.
 *
 * Throws `ERR_FORBIDDEN` without a token that may read it.
 */
export async function getRekeyBackup(options: GetRekeyBackupOptions = {}): Promise<RekeyBackup | undefined> {
  return ask("Cannot read the backup of a rekey", "secrets", { schema: onlyConnection, given: options }, getBackup);
}
