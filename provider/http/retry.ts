import { StewardError } from "../contract/errors";
import { Limits } from "../contract/limits";
import { isInactiveNode } from "./failure";
import { Retry } from "./request";

// When a failed request is sent again.

/** The statuses that are retried. `broken`: a broken connection or an inactive node. */
const retries: Record<Retry, readonly (number | "broken")[]> = {
  idempotent: ["broken", 429, 503],
  exceptOn5xx: ["broken", 429],
  only429: [429],
  never: [],
};

/** The milliseconds of a Retry-After header, which is a number of seconds or a date. Undefined if it is neither. */
function parseRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const milliseconds = /^-?[\d.]+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}

/** The milliseconds until a failed request is sent again. Undefined if it is not. */
export function retryDelay(limits: Limits, error: StewardError, attempt: number, retry: Retry): number | undefined {
  const { code, status, details } = error;
  const isBroken = code === "ERR_UNREACHABLE" || code === "ERR_NO_RESPONSE";
  const cause = isBroken || isInactiveNode(error) ? "broken" : status;
  const isRetried = retries[retry].some((each) => each === cause);
  // After a 429, in an election, and with a Retry-After, only the deadline ends the attempts.
  const isCounted = (isBroken || status === 503) && parseRetryAfter(details.retryAfter) === undefined;
  return isRetried && !(isCounted && attempt >= limits.maxRetries) ? pauseOf(limits, error, attempt) : undefined;
}

/** The milliseconds until the next attempt, with jitter, so that resources do not retry all at once. */
const pauseOf = ({ initialBackoff, maxRetries }: Limits, { details }: StewardError, attempt: number): number =>
  (parseRetryAfter(details.retryAfter) ?? 0) + initialBackoff * 2 ** Math.min(attempt, maxRetries) * (0.5 + Math.random() / 2);

/**
 * The milliseconds to wait after a 429 or an inactive node before a caller retries a request of the class `never`. Undefined after any other error.
 */
export const delayAfter429 = (limits: Limits, error: unknown, attempt: number): number | undefined =>
  error instanceof StewardError && (error.status === 429 || isInactiveNode(error)) ? pauseOf(limits, error, attempt) : undefined;
