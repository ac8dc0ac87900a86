import { PlanNote } from "../definition";
import { CheckFailure } from "../errors";
import { Log } from "../log/log";

export const atPath = (path: string, reason: string): string => (path ? `${path}: ${reason}` : reason);

/** Prints what a preview or an update says about a resource. */
export function logNotes(log: Log, resource: string, notes: readonly (PlanNote | CheckFailure)[]): void {
  for (const { path, ...note } of notes) {
    const severity = "isInformation" in note && note.isInformation ? "info" : "warn";
    log[severity](`${resource}: ${atPath(path, "text" in note ? note.text : note.reason)}`);
  }
}
