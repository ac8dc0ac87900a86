import { PlanNote } from "../contract/definition";
import { Log } from "../text/log";

export const atPath = (path: string, reason: string): string => (path ? `${path}: ${reason}` : reason);

/** Prints what a preview or an update says about a resource. */
export function logNotes(log: Log, resource: string, notes: readonly PlanNote[]): void {
  for (const { path, reason, isInformation } of notes) log[isInformation ? "info" : "warn"](`${resource}: ${atPath(path, reason)}`);
}
