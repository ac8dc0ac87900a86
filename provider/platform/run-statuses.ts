import { Connection } from "../connection";
import { StewardError } from "../errors";
import { closest } from "../spelling";
import { dialectOf } from "./client";

/** The statuses of a run that the API document lists. */
const statuses = [
  "pending",
  "plan_queued",
  "planning",
  "planned",
  "confirmed",
  "apply_queued",
  "applying",
  "applied",
  "discarded",
  "errored",
  "canceled",
  "cost_estimating",
  "cost_estimated",
  "policy_checking",
  "policy_override",
  "policy_soft_failed",
  "policy_checked",
  "planned_and_finished",
];

/** Refuses a status that no run has, since no workspace would be found. Where the product may have further ones, prints a warning. @internal */
export function checkStatuses(connection: Connection, given: readonly string[] = []): void {
  const unknown = given.flatMap((status, index) => {
    if (statuses.includes(status)) return [];
    const meant = closest(status, statuses);
    return [`currentRunStatus[${index}]: is not a run status${meant ? ` (did you mean "${meant}"?)` : ""}`];
  });
  if (unknown.length === 0) return;
  const reason = `${unknown.join("; ")}; known are ${statuses.join(", ")}`;
  if (dialectOf(connection).hasOnlyKnownStatuses) throw new StewardError({ code: "ERR_INVALID_INPUT", reason });
  connection.say(`warning: listWorkspaces: ${reason}`);
}
