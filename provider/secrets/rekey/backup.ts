import { Connected, onlyConnection } from "../../inputs";
import { ask } from "../../program";
import { system } from "../client";
import { getBackup, RekeyBackup } from "./server";

/** Options of {@link getRekeyBackup}. */
export interface GetRekeyBackupOptions extends Connected {}

/**
 * The backup of encrypted new shares that the service keeps, `GET sys/rekey/backup`; undefined when it keeps none. It may be that of a rekey which never
 * came to its commit: its `nonce` tells.
 *
 * Throws `ERR_FORBIDDEN` without a token that may read it.
 */
export async function getRekeyBackup(options: GetRekeyBackupOptions = {}): Promise<RekeyBackup | undefined> {
  return ask("Cannot read the backup of a rekey", system, { schema: onlyConnection, given: options }, getBackup);
}
