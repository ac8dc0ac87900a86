import { Operation } from "../connection";
import { CheckFailure, StewardError } from "../errors";
import { closest } from "../text/spelling";
import { dialectOf } from "./client";

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

/** Rejects an unknown status, which would find no workspace. Terraform Enterprise may know more, so there it only prints a warning. */
export function checkStatuses(operation: Operation, given: readonly string[] = []): void {
  const failures = given.flatMap((status, index): CheckFailure[] => {
    if (statuses.includes(status)) return [];
    const meant = closest(status, statuses);
    const reason = `is not a run status${meant ? ` (did you mean "${meant}"?)` : ""}`;
    return [{ path: `currentRunStatus[${index}]`, rule: "run-status", reason }];
  });
  if (failures.length === 0) return;
  const reason = `${failures.map((failure) => `${failure.path}: ${failure.reason}`).join("; ")}. Known statuses: ${statuses.join(", ")}`;
  if (dialectOf(operation).hasOnlyKnownStatuses) throw new StewardError({ code: "ERR_INVALID_INPUT", reason, failures });
  operation.run.log.warn(`listWorkspaces: ${reason}`);
}
