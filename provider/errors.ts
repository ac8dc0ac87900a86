import { printable } from "./log";

/**
 * What went wrong, as a word to branch on:
 *
 * - `ERR_INVALID_INPUT`: the program or its configuration is wrong; nothing was sent.
 * - `ERR_NO_CONNECTION`: no server is configured under this name.
 * - `ERR_NOT_INSTALLED`: the program's own package.json does not hold pulumi-steward, or Pulumi does not find the plugin.
 * - `ERR_SERVER_MISMATCH`: the connection now names another server than the one that holds the resource.
 * - `ERR_ALREADY_EXISTS`: the server holds this object already, and `adopt` was not given.
 * - `ERR_FORBIDDEN`: 401 or 403, or the 404 with which a platform answers whoever is no administrator.
 * - `ERR_NOT_FOUND`: 404.
 * - `ERR_REJECTED`: any other 4xx; what a mail server says of a test mail; a workspace that must not be destroyed.
 * - `ERR_RATE_LIMITED`: 429, still after the retries.
 * - `ERR_UNAVAILABLE`: 503, still after the retries.
 * - `ERR_SERVER`: any other 5xx.
 * - `ERR_REDIRECTED`: the server points elsewhere; credentials are never sent there.
 * - `ERR_UNREACHABLE`: no connection; nothing was sent.
 * - `ERR_NO_RESPONSE`: the connection broke, or time ran out, after the request was sent.
 * - `ERR_UNEXPECTED_RESPONSE`: an answer that is not the API's: not JSON, not of its form, or too large; or no trusted TLS connection.
 * - `ERR_ABORTED`: an AbortSignal of the program's ended it.
 * - `ERR_TIMED_OUT`: what was waited for did not come in time.
 * - `ERR_FAILED`: what was waited for came to another end.
 * - `ERR_CONFLICT`: the rekey on the server is not the expected one: somebody else's, altered, or none.
 * - `ERR_ENGINE_GONE`: Pulumi has ended, so that nothing could be saved; nothing was sent.
 * - `ERR_INCOMPLETE`: a part was done, and the state says which; or a rekey, or its deletion, stopped before it was safe to go on.
 * - `ERR_INTERNAL`: a fault of the package.
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

/** A problem of the inputs. Never holds a value: it may be a secret. @internal */
export interface CheckFailure {
  /** `roles.web.policies[0]`; empty where it is about the resource as a whole. */
  path: string;
  /** Tells the refusals of one path apart, in tests and reports: `policy-name`. Stable when the wording changes. */
  rule: string;
  reason: string;
  /** Printed instead of refused. */
  warning?: boolean;
}

/** What an error knows. `reason` is the server's own words where it gave any, already free of secrets. @internal */
export interface ErrorDetails {
  code: ErrorCode;
  /** `Cannot create scheduler role "web"`, once it is known what for. */
  operation?: string;
  reason: string;
  /** What to do, as a sentence with its full stop. */
  hint?: string;
  status?: number;
  method?: string;
  path?: string;
  /** Whether the server may have applied a write although this error came back. */
  outcomeUnknown?: boolean;
  /** Whether the connection was refused before the request went out, where the code does not say so. */
  nothingSent?: boolean;
  retryAfter?: string;
  /** How many errors it listed; undefined where it was no such list. */
  errorCount?: number;
  /** Tells the refusals of one code apart: `role-exists`. One with a slash, `rekey/foreign-attempt`, names a section of a page, and the message ends with it. */
  rule?: string;
  /** The inputs that are wrong. */
  failures?: readonly CheckFailure[];
}

/** Every error thrown by the package: one sentence a person can act on, which holds no secret. A program that fails with it prints one line. */
export class StewardError extends Error {
  /** What went wrong, stable between releases. See {@link ErrorCode}. */
  readonly code: ErrorCode;
  /** The HTTP status, where a server answered. */
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
    // Not enumerable: whoever prints an error object sees each detail once.
    Object.defineProperty(this, "details", { enumerable: false });
    // By this Pulumi knows a RunError, whichever copy of its SDK runs: it prints the message of one without a stack.
    Object.defineProperty(this, "__pulumiRunError", { value: true });
  }

  /** The same error, with details that only the caller knows. @internal */
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

/** All that is wrong with the inputs, in one sentence. @internal */
export const invalidInput = (
  failures: readonly CheckFailure[],
  details: { about?: string; operation?: string; hint?: string } = {},
): StewardError => {
  const { about = "", ...more } = details;
  const problems = failures.map(({ path, reason }) => [path, reason].filter(Boolean).join(": ")).join("; ");
  return new StewardError({ code: "ERR_INVALID_INPUT", reason: `${about}${problems}`, failures, ...more });
};

/** A write that was done in part: the state tells what the server holds, and the next `pulumi up` finishes it. @internal */
export class PartialState<State> extends StewardError {
  constructor(
    readonly state: State,
    details: Omit<ErrorDetails, "code">,
  ) {
    super({ ...details, code: "ERR_INCOMPLETE" });
  }
}
