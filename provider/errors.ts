import { printable } from "./log";

/**
 * A machine-readable error code:
 *
 * - `ERR_INVALID_INPUT`: the program or its configuration is invalid. Nothing was sent.
 * - `ERR_NO_CONNECTION`: no server is configured under this name.
 * - `ERR_NOT_INSTALLED`: the program's package.json lacks pulumi-steward, or Pulumi cannot find the plugin.
 * - `ERR_SERVER_MISMATCH`: the connection now names another server than the one in the state.
 * - `ERR_ALREADY_EXISTS`: the object already exists, and `adopt` is not set.
 * - `ERR_FORBIDDEN`: 401 or 403, or the 404 that Terraform Enterprise sends to non-administrators.
 * - `ERR_NOT_FOUND`: 404.
 * - `ERR_REJECTED`: any other 4xx, a test mail that the mail server rejected, or a workspace that must not be destroyed.
 * - `ERR_RATE_LIMITED`: 429, after all retries.
 * - `ERR_UNAVAILABLE`: 503, after all retries.
 * - `ERR_SERVER`: any other 5xx.
 * - `ERR_REDIRECTED`: the server redirects. Credentials are never sent to the target.
 * - `ERR_UNREACHABLE`: no connection. Nothing was sent.
 * - `ERR_NO_RESPONSE`: the connection broke, or the time limit was reached, after the request was sent.
 * - `ERR_UNEXPECTED_RESPONSE`: the response is not JSON, not from the API, or too large, or there is no trusted TLS connection.
 * - `ERR_ABORTED`: the program's AbortSignal aborted the request.
 * - `ERR_TIMED_OUT`: an awaited event did not happen in time.
 * - `ERR_FAILED`: an awaited event had another outcome.
 * - `ERR_CONFLICT`: the rekey on the server is not the expected one. It was started by another client, changed or canceled.
 * - `ERR_ENGINE_GONE`: Pulumi has ended, so nothing could be saved. Nothing was sent.
 * - `ERR_INCOMPLETE`: a part was done, which the state records, or a rekey or its deletion stopped before it was safe to continue.
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

/** An invalid input. It never contains the value, which may be a secret. @internal */
export interface CheckFailure {
  /** The property path: `roles.web.policies[0]`. Empty for the whole resource. */
  path: string;
  /** Identifies the rule that the input violates: `policy-name`. Stable when the wording changes. */
  rule: string;
  reason: string;
  /** Printed as a warning instead of failing. */
  warning?: boolean;
}

/** The details of an error. `reason` is the server's reason, if any, without secrets. @internal */
export interface ErrorDetails {
  code: ErrorCode;
  /** The failed operation, once it is known: `Cannot create scheduler role "web"`. */
  operation?: string;
  reason: string;
  /** The remedy, as a sentence with a period. */
  hint?: string;
  status?: number;
  method?: string;
  path?: string;
  /** True if the server may have applied the write. */
  outcomeUnknown?: boolean;
  /** True if nothing was sent, for codes that do not imply it. */
  nothingSent?: boolean;
  retryAfter?: string;
  /** The number of errors in the response. Undefined if it has no list of errors. */
  errorCount?: number;
  /** Identifies the cause within a code: `role-exists`. One with a slash, `rekey/foreign-attempt`, names a section of a page and ends the message. */
  rule?: string;
  /** The invalid inputs. */
  failures?: readonly CheckFailure[];
}

/** The class of all errors that this package throws. The message states the cause and a remedy, without secrets. A program that fails with it prints one line. */
export class StewardError extends Error {
  /** The error code, stable between releases. See {@link ErrorCode}. */
  readonly code: ErrorCode;
  /** The HTTP status, if the server responded. */
  readonly status?: number;
  /** The HTTP method of the request that failed. */
  readonly method?: string;
  /** The path of the request that failed, without the server's address. */
  readonly path?: string;
  /** @internal */
  readonly details: ErrorDetails;

  /** @internal */
  constructor(details: ErrorDetails) {
    super(sentence(details));
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

  /** The same error with more details. @internal */
  with(details: Partial<ErrorDetails>): StewardError {
    return new StewardError({ ...this.details, ...details });
  }
}

function sentence({ operation, reason, method, path, status, hint, rule }: ErrorDetails): string {
  const place = [method && path ? `${method} ${path}` : undefined, status].filter((part) => part !== undefined).join(", ");
  return printable(
    `${operation ? `${operation}: ` : ""}${reason}${place ? ` (${place})` : ""}.${hint ? ` ${hint}` : ""}${rule?.includes("/") ? ` [${rule}]` : ""}`,
  );
}

/** An error that lists all invalid inputs. @internal */
export const invalidInput = (
  failures: readonly CheckFailure[],
  details: { about?: string; operation?: string; hint?: string } = {},
): StewardError => {
  const { about = "", ...more } = details;
  const problems = failures.map(({ path, reason }) => [path, reason].filter(Boolean).join(": ")).join("; ");
  return new StewardError({ code: "ERR_INVALID_INPUT", reason: `${about}${problems}`, failures, ...more });
};

/** The error of a partial write. `state` is the state on the server, from which the next `pulumi up` continues. @internal */
export class PartialState<State> extends StewardError {
  constructor(
    readonly state: State,
    details: Omit<ErrorDetails, "code">,
  ) {
    super({ ...details, code: "ERR_INCOMPLETE" });
  }
}
