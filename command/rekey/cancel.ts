import { cancelAttempt, getStatus, restartVerification } from "../../provider/secrets/rekey/protocol/api";
import { RekeyOperation } from "../../provider/secrets/rekey/protocol/operation";
import { RekeyStatus } from "../../provider/secrets/rekey/protocol/status";
import { assertUnchanged, canceling } from "./attempt";
import { failed, keepBoth } from "./outcome";

/** Cancels a rekey. Throws if another holder may have committed it meanwhile. */
export async function cancel(operation: RekeyOperation, agreed: RekeyStatus): Promise<void> {
  const { nonce } = await assertUnchanged(operation, canceling, agreed);
  try {
    // The new shares verified so far no longer count, so no holder can commit with the next one.
    if (agreed.verification) {
      await restartVerification(operation, nonce);
      await assertUnchanged(operation, canceling, agreed);
    }
    if (await cancelAttempt(operation, nonce)) return;
  } catch (error) {
    if ((await getStatus(operation)).nonce === nonce || !agreed.verification) throw error;
  }
  throw failed("the rekey disappeared while it was being canceled, and another holder may have committed it", keepBoth, "outcome-unknown");
}
