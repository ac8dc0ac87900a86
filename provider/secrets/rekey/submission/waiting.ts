import { availableShares } from "../inputs";
import { warn } from "../protocol/operation";
import { RekeyProgress } from "../protocol/status";
import { StopId, unfinished } from "../protocol/stops";
import { remember, SharesRun, SharesState } from "./state";

/** The end of a run that has done all it can. */
export interface Wait {
  id: StopId;
  /** The number of shares of this run that were accepted. Undefined if an earlier run submitted them, or if a response was lost. */
  accepted: number | undefined;
  progress: RekeyProgress;
  details?: readonly string[];
  /** True if shares were rejected, or are gone. */
  hasFailed?: boolean;
  /** The instruction for the next holder. */
  next: string;
}

const countedAs: Record<RekeyProgress["phase"], string> = {
  submitting: "current shares submitted",
  confirming: "new shares confirmed",
  verifying: "new shares verified",
  testing: "new shares tested",
  complete: "new shares verified",
};

const several = (count: number, noun: string): string => `${count} more ${noun}${count === 1 ? "" : "s"}`;

/** A holder may set the wrong variable, or come too late. */
function notSent({ inputs }: SharesRun, phase: RekeyProgress["phase"]): string {
  const other = phase === "submitting" ? "newShares" : "currentShares";
  if (availableShares(inputs, other).shares.length === 0) return "No share was supplied";
  return other === "newShares"
    ? "There are no new shares yet, so yours was not sent"
    : "The current shares are complete, so yours was not sent";
}

/**
 * Saves what the run has done. It succeeds with a warning, since the next holder continues, unless `onWaiting` is `"fail"`. By default, one person runs a
 * rekey without PGP keys, so that a missing share is an error.
 */
export function waitForHolders(run: SharesRun, { id, accepted, progress, details = [], hasFailed = false, next }: Wait): SharesState {
  const { phase, count, required } = progress;
  remember(run, { progress });
  const { fingerprints, verification } = run.identity.parameters;
  const shares = accepted === 1 ? "Your share was accepted" : `Your ${accepted} shares were accepted`;
  const status = `${count} of ${required} ${countedAs[phase]}`;
  const committed = phase === "testing" ? "It is not known yet which shares are valid: keep both" : "Nothing has changed yet";
  const facts = [status, ...details].join("; ");
  const onWaiting = run.inputs.onWaiting ?? (fingerprints.length > 0 ? "succeed" : "fail");
  if (hasFailed || onWaiting === "fail") throw unfinished(run, id, facts, next);
  const holders = `Waiting for ${several(Math.max(1, required - count), "key holder")}`;
  const done = count > 0 ? `${shares}: ${facts}. You are done. ${holders}` : `${shares}. You are done. ${holders}: ${facts}`;
  const begun = accepted ? done : `${accepted === 0 ? `${notSent(run, phase)}. ` : ""}${holders}: ${facts}`;
  warn(run.operation, `${begun}.${verification || phase !== "submitting" ? ` ${committed}.` : ""} ${next}`);
  return run.state;
}
