import { Connected, onlyConnection } from "../../inputs";
import { ask } from "../../program";
import { system } from "../client";
import { getStatus, RekeyStatus } from "./server";

/** Options of {@link getRekeyStatus}. */
export interface GetRekeyStatusOptions extends Connected {}

/**
 * How far the service's one rekey is, `GET sys/rekey/init` and, while new shares are being verified, `GET sys/rekey/verify`.
 *
 * Throws `ERR_UNAVAILABLE` for a sealed service.
 */
export async function getRekeyStatus(options: GetRekeyStatusOptions = {}): Promise<RekeyStatus> {
  return ask("Cannot read the status of a rekey", system, { schema: onlyConnection, given: options }, getStatus);
}
