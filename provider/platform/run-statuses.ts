import { Operation } from "../connection";

/** The run statuses of the API specification. */
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

/** Prints a warning about statuses that may be misspelled, since these find no workspace. Terraform Enterprise may know more. */
export function warnOfStatuses(operation: Operation, requested: readonly string[] = []): void {
  const unknown = requested.filter((status) => !statuses.includes(status));
  if (unknown.length === 0) return;
  operation.run.log.warn(`listWorkspaces: currentRunStatus contains ${unknown.join(", ")}. The known statuses are ${statuses.join(", ")}`);
}
