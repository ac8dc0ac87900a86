import { printable } from "../text/printable";
import { ErrorCode, StewardError as PublicError } from "./steward-error";

export { ErrorCode } from "./steward-error";

/** An invalid input. It never contains the value, which may be a secret. */
export interface CheckFailure {
  /** The property path: `roles.web.policies[0]`. Empty for the whole resource. */
  path: string;
  /** Identifies the rule that the input violates: `policy-name`. Stable when the wording changes. */
  rule: string;
  reason: string;
  /** Printed as a warning instead of failing. */
  warning?: boolean;
}

/** The details of an error. */
export interface ErrorDetails {
  code: ErrorCode;
  /** The failed operation, once it is known: `Cannot create workspace "web"`. */
  operation?: string;
  /** The cause, without secrets: the server's reason or the provider's own. */
  reason: string;
  /** A remedy that precedes `hint`, which later explanations may replace. */
  firstHint?: string;
  /** The remedy, as a sentence with a period. */
  hint?: string;
  status?: number;
  method?: string;
  path?: string;
  /** True if the server may have applied the write. */
  outcomeUnknown?: boolean;
  /** True if no attempt of the request was sent. */
  nothingSent?: boolean;
  retryAfter?: string;
  /** The number of errors in the response. Undefined if it has no list of errors. */
  errorCount?: number;
  /**
   * Identifies the cause within a code, such as `exists`. A rule that contains a slash, such as `rekey/foreign-attempt`, is appended to the message and
   * names a documentation section.
   */
  rule?: string;
  /** The invalid inputs. */
  failures?: readonly CheckFailure[];
}

/** A {@link PublicError} with the details that the package itself needs. Both classes have the name that Node prints. */
export class StewardError extends PublicError {
  readonly details: ErrorDetails;

  constructor(details: ErrorDetails) {
    super(formatMessage(details));
    this.name = "StewardError";
    const { code, status, method, path } = details;
    Object.assign(this, { code, status, method, path });
    this.details = details;
    // Not enumerable, so that a printed error shows each detail once.
    Object.defineProperty(this, "details", { enumerable: false });
    // Marks a RunError for every copy of Pulumi's SDK, which prints its message without a stack.
    Object.defineProperty(this, "__pulumiRunError", { value: true });
  }

  /** The same error with more details. */
  with(details: Partial<ErrorDetails>): StewardError {
    return new StewardError({ ...this.details, ...details });
  }
}

function formatMessage({ operation, reason, method, path, status, firstHint, hint, rule }: ErrorDetails): string {
  const hints = [firstHint, hint].filter(Boolean).map((each) => ` ${each}`);
  const location = [method && path ? `${method} ${path}` : undefined, status].filter((part) => part !== undefined).join(", ");
  return printable(
    `${operation ? `${operation}: ` : ""}${reason}${location ? ` (${location})` : ""}.${hints.join("")}${rule?.includes("/") ? ` [${rule}]` : ""}`,
  );
}

/** The rule of the error with which `find` predicts that the server would reject the declared values. */
export const rejectedValues = "rejected-values";

/** An error that lists all invalid inputs. */
export const invalidInput = (
  failures: readonly CheckFailure[],
  { about = "", ...details }: { about?: string; operation?: string; hint?: string } = {},
): StewardError => {
  const problems = failures.map(({ path, reason }) => [path, reason].filter(Boolean).join(": ")).join("; ");
  return new StewardError({ code: "ERR_INVALID_INPUT", reason: `${about}${problems}`, failures, ...details });
};

/** The error of a partial write. `state` is the state on the server, from which the next `pulumi up` continues. */
export class PartialState<State> extends StewardError {
  constructor(
    readonly state: State,
    details: Omit<ErrorDetails, "code">,
  ) {
    super({ ...details, code: "ERR_INCOMPLETE" });
  }
}
