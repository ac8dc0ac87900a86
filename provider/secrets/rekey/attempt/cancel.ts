import { cancelAttempt, getStatus, restartVerification } from "../protocol/api";
import { log, RekeyOperation } from "../protocol/operation";
import { Row, StepRun } from "../protocol/rows";
import { Observed } from "../protocol/server-state";
import { RekeyStatus } from "../protocol/status";
import { lossCauses, runAgain, stopped } from "../protocol/stops";

/** Cancels an attempt of this rekey. Restarts its verification first, so that a provider that outlived an earlier run cannot commit it. */
export async function cancelOwnAttempt(operation: RekeyOperation, status: RekeyStatus): Promise<void> {
  if (status.verification) {
    await restartVerification(operation, status.nonce);
    // A cancel without a nonce cancels any attempt that is then in progress.
    if ((await getStatus(operation)).nonce !== status.nonce)
      throw stopped("attempt-lost", `the attempt no longer exists: ${lossCauses}`, `Nothing was canceled. ${runAgain}`);
  }
  await cancelAttempt(operation, status.nonce);
  log(operation, `canceled the attempt ${status.nonce}`);
}

/** The action of a row: the next observation then shows no attempt. */
export async function cancelObserved({ operation }: { operation: RekeyOperation }, { status }: Observed): Promise<undefined> {
  await cancelOwnAttempt(operation, status);
}

/** Cancels what this rekey left on the server: its probe, or an attempt that it started or submitted a share to. */
export async function cancelLeftovers(operation: RekeyOperation, { server, status }: Observed, nonces: readonly string[]): Promise<void> {
  if (server === "probe" || nonces.includes(status.nonce)) await cancelOwnAttempt(operation, status);
}

export const oldProbe: Row<StepRun, never> = {
  server: ["probe"],
  log: "an old probe of this rekey is in progress: the rekey cancels it",
  act: cancelObserved,
};
