import { printable } from "./text/printable";

/**
 * A machine-readable error code:
 *
 * - `ERR_INVALID_INPUT`: the program, its configuration or the stack's state is invalid. The invalid input was not sent.
 * - `ERR_NO_CONNECTION`: no server is configured under this name.
 * - `ERR_NOT_INSTALLED`: the program's package.json lacks pulumi-steward, or Pulumi cannot find the plugin.
 * - `ERR_SERVER_MISMATCH`: the connection now names another server than the one in the state.
 * - `ERR_ALREADY_EXISTS`: the object already exists and was not adopted, or roles exist that an `exclusive` set does not declare.
 * - `ERR_FORBIDDEN`: 401 or 403, a control group, or the 404 that the admin API sends to non-administrators.
 * - `ERR_NOT_FOUND`: the object does not exist, or the server responded with 404.
 * - `ERR_REJECTED`: any other 4xx, a rejected test email, or an operation that the provider refuses, such as the destruction of a protected workspace.
 * - `ERR_RATE_LIMITED`: 429. The server rejected every request until the deadline.
 * - `ERR_UNAVAILABLE`: 503, after any retries.
 * - `ERR_SERVER`: any other 5xx.
 * - `ERR_REDIRECTED`: the server redirects. Credentials are never sent to the target.
 * - `ERR_UNREACHABLE`: the connection could not be established. Nothing was changed on the server.
 * - `ERR_NO_RESPONSE`: the connection broke, or the time limit was reached, after the request was sent.
 * - `ERR_UNEXPECTED_RESPONSE`: the response is not JSON, not from the API, or too large, or there is no trusted TLS connection.
 * - `ERR_ABORTED`: the program's AbortSignal aborted the request.
 * - `ERR_TIMED_OUT`: an awaited operation did not finish in time.
 * - `ERR_FAILED`: an awaited operation finished unsuccessfully.
 * - `ERR_CONFLICT`: the rekey on the server is not the expected one. It was started by another client, changed or canceled.
 * - `ERR_ENGINE_GONE`: the Pulumi engine has exited, so nothing could be saved. The provider sent no further request.
 * - `ERR_INCOMPLETE`: the operation completed only in part, as recorded in the state, or a rekey or its deletion stopped before it was safe to continue.
 * - `ERR_INTERNAL`: a bug in this package.
 */
export type ErrorCode =
  | "ERR_INVALID_INPUT"
  | "ERR_NO_CONNECTION"
  | "ERR_NOT_INSTALLED"
  | "ERR_SERVER_MISMATCH"
  | "ERR_ALREADY_EXISTS"
  | "ERR_FORBIDDEN"
  | "ERR_NOT_FOUND"
  | "ERR_REJECTED"
  | "ERR_RATE_LIMITED"
  | "ERR_UNAVAILABLE"
  | "ERR_SERVER"
  | "ERR_REDIRECTED"
  | "ERR_UNREACHABLE"
  | "ERR_NO_RESPONSE"
  | "ERR_UNEXPECTED_RESPONSE"
  | "ERR_ABORTED"
  | "ERR_TIMED_OUT"
  | "ERR_FAILED"
  | "ERR_CONFLICT"
  | "ERR_ENGINE_GONE"
  | "ERR_INCOMPLETE"
  | "ERR_INTERNAL";

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
  /** The failed operation, once it is known: `Cannot create scheduler role "web"`. */
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

/**
 * The class of all errors that this package throws. The message states the cause and, if there is one, a remedy. It redacts tokens and the values
 * that the program marks as secret. Pulumi prints only the message, without a stack trace.
 */
export class StewardError extends Error {
  /** The error code, stable between releases. See {@link ErrorCode}. */
  readonly code: ErrorCode;
  /** The HTTP status, if the server responded. */
  readonly status?: number;
  /** The HTTP method of the request that failed. */
  readonly method?: string;
  /** The path of the request that failed, without the server's address. */
  readonly path?: string;
  readonly details: ErrorDetails;

  constructor(details: ErrorDetails) {
    super(formatMessage(details));
    this.name = "StewardError";
    this.code = details.code;
    this.status = details.status;
    this.method = details.method;
    this.path = details.path;
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

/** An error that lists all invalid inputs. */
export const invalidInput = (
  failures: readonly CheckFailure[],
  details: { about?: string; operation?: string; hint?: string } = {},
): StewardError => {
  const { about = "", ...more } = details;
  const problems = failures.map(({ path, reason }) => [path, reason].filter(Boolean).join(": ")).join("; ");
  return new StewardError({ code: "ERR_INVALID_INPUT", reason: `${about}${problems}`, failures, ...more });
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
