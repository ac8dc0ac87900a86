import { Connection } from "../../connection";
import { StewardError } from "../../errors";
import { apiPath, call, dialectOf } from "../client";
import { Parameters, ShareSet } from "./server";

// A service whose seal keeps the key: shares only authorize there, and a rekey gives none out.

/** Whether the service says that its seal keeps the key. @internal */
export async function keepsItsKey(connection: Connection): Promise<boolean> {
  if (!dialectOf(connection).showsSeal) return false;
  const path = apiPath("sys/seal-status");
  const body = await call(connection, { method: "GET", path, retry: "idempotent" });
  return Boolean((body as { recovery_seal?: unknown } | undefined)?.recovery_seal);
}

/** @internal */
export const storedSeal = (more = ""): StewardError =>
  new StewardError({
    code: "ERR_REFUSED",
    reason: `this service unseals itself: its seal keeps the key, and a rekey would make one share, which it does not give out${more}`,
    advice: "Its recovery keys have an API of their own, which this resource does not serve.",
  });

/** Whether this set holds no share. @internal */
export const isEmpty = ({ shares, encrypted }: ShareSet): boolean => shares.length + encrypted.length === 0;

/** Whether the rekey succeeds without a share: the API document then asks for one of one. @internal */
export const mayGiveNoShares = (
  connection: Connection,
  { shares, threshold, fingerprints, verification }: Pick<Parameters, "shares" | "threshold" | "fingerprints" | "verification">,
): boolean => dialectOf(connection).mayKeepShare && shares === 1 && threshold === 1 && fingerprints.length === 0 && !verification;

/** @internal */
export const keptBySeal =
  "the service rotated its key and gave out no share: its seal must hold the key. If shares unseal it, keep it unsealed and restore it from a backup: nobody knows the new key";

/** @internal */
export const noShares = {
  reason: "the service rotated its key and gave out no shares: its seal keeps the key itself",
  advice: "There is nothing to keep: remove this resource from the program.",
};
