import { ReadFunction } from "../../contract/function";
import { ConnectionArgs, connectionInput, strictObject } from "../../contract/inputs";
import { read } from "../../program/invoke";
import { system } from "../client";
import { targetInput } from "./inputs";
import { getBackup, getStatus, RekeyBackup } from "./protocol/api";
import { ofTarget } from "./protocol/operation";
import { RekeyStatus, RekeyTarget } from "./protocol/status";

const ofKeys = strictObject({ connection: connectionInput, target: targetInput.optional() });

/** Options of {@link getRekeyStatus}. */
export interface GetRekeyStatusOptions extends ConnectionArgs {
  /**
   * The keys of the rekey.
   * @default "unseal"
   */
  target?: RekeyTarget;
}

export const rekeyStatus: ReadFunction<GetRekeyStatusOptions, RekeyStatus> = {
  token: "secrets:getRekeyStatus",
  operation: "Cannot read the status of a rekey",
  system,
  options: ofKeys,
  run: (operation, options) => getStatus(ofTarget(operation, options)),
};

/**
 * Reads the status of the rekey with `GET sys/rekey/init` and, while new shares are being verified, `GET sys/rekey/verify`. For OpenBao,
 * the path is `sys/rotate/root` instead of `sys/rekey`, and for recovery keys it is `sys/rekey-recovery-key` or `sys/rotate/recovery`.
 *
 * The function throws `ERR_UNAVAILABLE` if the server is sealed, or if an OpenBao standby responds, because it has its own status.
 * @permissions `read` on `sys/rekey/init` and `sys/rekey/verify`, or in OpenBao on `sys/rotate/root/init` and `sys/rotate/root/verify`.
 * Vault up to 1.21 requires no token.
 */
export async function getRekeyStatus(options: GetRekeyStatusOptions = {}): Promise<RekeyStatus> {
  return read(rekeyStatus, options);
}

/** Options of {@link getRekeyBackup}. */
export interface GetRekeyBackupOptions extends GetRekeyStatusOptions {}

export const rekeyBackup: ReadFunction<GetRekeyBackupOptions, RekeyBackup | undefined> = {
  token: "secrets:getRekeyBackup",
  operation: "Cannot read the backup of a rekey",
  system,
  options: ofKeys,
  property: "backup",
  run: (operation, options) => getBackup(ofTarget(operation, options)),
};

/**
 * Reads the backup of encrypted new shares with `GET sys/rekey/backup`, or `sys/rotate/root/backup` for OpenBao. For recovery keys, the
 * path is `sys/rekey/recovery-key-backup` or `sys/rotate/recovery/backup`. The function returns undefined if there is no backup. Compare
 * its `nonce`, because the backup may belong to a rekey that was never committed.
 *
 * The function throws `ERR_FORBIDDEN` if the token cannot read the backup.
 * @permissions `read` on `sys/rekey/backup`, or in OpenBao on `sys/rotate/root/backup`.
 */
export async function getRekeyBackup(options: GetRekeyBackupOptions = {}): Promise<RekeyBackup | undefined> {
  return read(rekeyBackup, options);
}
