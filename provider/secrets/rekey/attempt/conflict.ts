import { StewardError } from "../../../contract/errors";
import { OnConflict } from "../inputs";
import { cancelAttempt, getStatus } from "../protocol/api";
import { log, RekeyOperation } from "../protocol/operation";
import { Row, StepRun } from "../protocol/rows";
import { describeStatus, Observed } from "../protocol/server-state";
import { RekeyStatus } from "../protocol/status";
import { stopped } from "../protocol/stops";

export const onConflictDecides = "another client's attempt is in progress: onConflict decides";

/** Handles another client's attempt according to `onConflict`. Returns the nonce of a resumed one. */
export async function resolveConflict(
  operation: RekeyOperation,
  { server, status }: Observed,
  onConflict: OnConflict | undefined,
  maySubmit: boolean,
): Promise<string | undefined> {
  if (onConflict === "cancel") {
    // Read again: cancel only the attempt that was just seen.
    const now = await getStatus(operation);
    if (now.nonce === status.nonce) {
      await cancelAttempt(operation, status.nonce);
      log(operation, `canceled another client's attempt ${status.nonce}: ${describeStatus(now)}`);
    }
    return undefined;
  }
  if (onConflict === "resume" && server === "matchingInUse" && maySubmit) {
    log(operation, `resumed another client's attempt ${status.nonce}: ${describeStatus(status)}`);
    return status.nonce;
  }
  throw inProgress(
    status,
    onConflict === "resume"
      ? 'It cannot be resumed: it must have the parameters of this rekey, with verification, and still collect current shares. Wait until it finishes, or set onConflict: "cancel".'
      : waitOr(server === "matchingInUse" && maySubmit),
  );
}

/** Beside new shares, another client's attempt is never resumed. */
export const conflictingAttempt: Row<StepRun & { inputs: { onConflict?: OnConflict } }, never> = {
  server: ["matchingUnused", "matchingInUse", "matchingFirst", "foreign"],
  log: onConflictDecides,
  act: async ({ operation, inputs }, observed) => {
    await resolveConflict(operation, observed, inputs.onConflict, false);
    return undefined;
  },
};

export const waitOr = (mayResume: boolean): string =>
  `Wait until it finishes, or set onConflict: ${mayResume ? '"resume" to resume it, or ' : ""}"cancel" to cancel it and discard the shares that others submitted.`;

export const inProgress = (status: RekeyStatus, hint: string): StewardError =>
  stopped("foreign-attempt", `another client's attempt ${status.nonce} is in progress (${describeStatus(status)})`, hint);

export const tampered = ({ status }: Observed): StewardError =>
  stopped(
    "tampered-attempt",
    `the attempt ${status.nonce} has other parameters than this rekey requested (${describeStatus(status)}): a share submitted to it could produce keys for an attacker`,
  );

export const tamperedAttempt: Row<StepRun, never> = {
  server: ["tampered"],
  log: "the attempt has the expected nonce but other parameters: the rekey submits no share",
  act: async (_run, observed) => {
    throw tampered(observed);
  },
};
