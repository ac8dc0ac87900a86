import { StewardError } from "../../../contract/errors";
import { cancelOwnAttempt } from "../attempt/cancel";
import { getBackup, removeBackup } from "../protocol/api";
import { log } from "../protocol/operation";
import { observe } from "../protocol/server-state";
import { unfinished } from "../protocol/stops";
import { SharesRun } from "../submission/state";
import { candidateOf } from "./run";

/** Cleans up after the set is valid, which an error of the cleanup must not hide. */
export async function finish(run: SharesRun, removes: boolean | undefined): Promise<void> {
  const { operation, identity } = run;
  const { nonces, hadBackup, isClaimed } = run.state.submission;
  try {
    const observed = await observe(operation, { ...identity, nonce: undefined });
    if (observed.server === "probe" || observed.server === "abandoned") await cancelOwnAttempt(operation, observed.status);
    const backup = hadBackup ? await getBackup(operation) : undefined;
    // The backup of an earlier attempt of this rekey contains invalid shares, unless only a claim makes the new ones valid.
    if (backup && (backup.nonce === candidateOf(run).nonce ? removes : nonces.includes(backup.nonce) && !isClaimed)) {
      await removeBackup(operation, backup.nonce);
      log(operation, `removed the backup of ${backup.nonce}`);
    }
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    const reason = `the new shares are valid and saved, but the cleanup failed: ${error.details.reason}`;
    const hint = `${error.details.hint ?? ""} Run \`pulumi up\` again to finish it.`.trim();
    throw unfinished(run, "cleanup-failed", reason, hint, error.details);
  }
}
