/**
 * A machine-readable error code:
 *
 * - `ERR_INVALID_INPUT`: the program, its configuration or the stack's state is invalid, and the invalid input was not sent.
 * - `ERR_NO_CONNECTION`: no server is configured under this name.
 * - `ERR_NOT_INSTALLED`: the program's package.json lacks pulumi-steward, or Pulumi cannot find the plugin.
 * - `ERR_SERVER_MISMATCH`: the connection now points to a different server than the one in the state.
 * - `ERR_ALREADY_EXISTS`: the object already exists and was not adopted, or roles exist that an `exclusive` set does not declare.
 * - `ERR_FORBIDDEN`: 401 or 403, a control group, or the 404 that the admin API sends to non-administrators.
 * - `ERR_NOT_FOUND`: the object does not exist, or the server responded with 404.
 * - `ERR_REJECTED`: any other 4xx, a rejected test email, or an operation that the provider declines, such as the destruction of a protected workspace.
 * - `ERR_RATE_LIMITED`: 429, with which the server rejected every request until the deadline.
 * - `ERR_UNAVAILABLE`: 503, after any retries.
 * - `ERR_SERVER`: any other 5xx.
 * - `ERR_REDIRECTED`: the server redirects to a different address, to which credentials are never sent.
 * - `ERR_UNREACHABLE`: the connection could not be established, so nothing was changed on the server.
 * - `ERR_NO_RESPONSE`: the connection broke, or the time limit was reached, after the request was sent.
 * - `ERR_UNEXPECTED_RESPONSE`: the response is not JSON, not from the API, or too large, or there is no trusted TLS connection.
 * - `ERR_ABORTED`: the program's AbortSignal aborted the request.
 * - `ERR_TIMED_OUT`: an awaited operation did not finish in time.
 * - `ERR_FAILED`: an awaited operation finished unsuccessfully.
 * - `ERR_CONFLICT`: the rekey on the server is not the expected one, because another client started, changed or canceled it.
 * - `ERR_ENGINE_GONE`: the Pulumi engine has exited, so nothing could be saved, and the provider sent no further request.
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

/**
 * The class of all errors that this package throws. The message states the cause and, if there is one, a remedy, and redacts tokens and the
 * values that the program marks as secret. Pulumi prints only the message, without a stack trace.
 */
export class StewardError extends Error {
  /** The error code, which is stable between releases and is one of {@link ErrorCode}. */
  declare readonly code: ErrorCode;
  /** The HTTP status, if the server responded. */
  declare readonly status?: number;
  /** The HTTP method of the request that failed. */
  declare readonly method?: string;
  /** The path of the request that failed, without the server's address. */
  declare readonly path?: string;
}
