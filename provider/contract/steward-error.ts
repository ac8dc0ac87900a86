/**
 * The cause of an error, for a program to branch on. Each code with its remedy:
 *
 * - `ERR_INVALID_INPUT`: the program, its configuration or the stack's state is invalid, and nothing of it was sent. Correct the property in the message.
 * - `ERR_NO_CONNECTION`: no server is configured under this name. Set the [connection](../reference/connections.md).
 * - `ERR_NOT_INSTALLED`: the program's package.json lacks pulumi-steward, or Pulumi cannot find the plugin. [Install the package](../../README.md#install-and-use).
 * - `ERR_SERVER_MISMATCH`: the connection has another server than the state. [Change an address](../reference/connections.md#change-an-address).
 * - `ERR_ALREADY_EXISTS`: the object exists and was not adopted, or roles exist that an `exclusive` set does not declare. [Adopt it](../guides/import.md#adopt).
 * - `ERR_FORBIDDEN`: 401 or 403, a control group, or the 404 that the admin API sends to non-administrators. [Find what the token lacks](../guides/troubleshooting.md#permission-denied-403).
 * - `ERR_NOT_FOUND`: the object does not exist, or the server responded with 404. Correct the name or the path.
 * - `ERR_REJECTED`: another 4xx, a rejected test email, or an operation that the provider declines, such as the destruction of a protected workspace. Follow the reason in the message.
 * - `ERR_RATE_LIMITED`: 429 to every request until the deadline. Run again later.
 * - `ERR_UNAVAILABLE`: 503, after any retries. Run again when the server is up.
 * - `ERR_SERVER`: another 5xx. See the server's log.
 * - `ERR_REDIRECTED`: the server redirects to another address, to which credentials are never sent. Correct the address, or [that of a standby](../guides/several-installations.md#several-nodes-of-one-cluster).
 * - `ERR_UNREACHABLE`: the connection could not be established, so nothing was changed on the server. Check the address and the network.
 * - `ERR_NO_RESPONSE`: the connection broke, or the time limit was reached, after the request was sent. Run again.
 * - `ERR_UNEXPECTED_RESPONSE`: the response is not JSON, not from the API, or too large, or there is no trusted TLS connection. Check the address and `caCert`.
 * - `ERR_ABORTED`: the program's AbortSignal aborted the request. Catch it where the program aborts.
 * - `ERR_TIMED_OUT`: an awaited operation did not finish in time. Raise `timeout`.
 * - `ERR_FAILED`: an awaited operation finished unsuccessfully. Follow the server's reason.
 * - `ERR_CONFLICT`: the rekey on the server is not the expected one, because another client started, changed or canceled it. Look up [the id in the message](../rekey/errors.md).
 * - `ERR_ENGINE_GONE`: the Pulumi engine has exited, so nothing could be saved, and the provider sent no further request. Continue [after a kill](../reference/errors.md#after-a-kill).
 * - `ERR_INCOMPLETE`: the operation completed only in part, as recorded in the state, or a rekey or its deletion stopped before it was safe to continue. Run again, unless the message says what to do first.
 * - `ERR_INTERNAL`: a bug in this package. Report it.
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
  /** The cause. Before 1.0, a minor version may change the code of an error, and its changelog says so. */
  declare readonly code: ErrorCode;
  /** The HTTP status, if the server responded. */
  declare readonly status?: number;
  /** The HTTP method of the request that failed. */
  declare readonly method?: string;
  /** The path of the request that failed, without the server's address. */
  declare readonly path?: string;
}
