/** The timeouts, retries and sizes of a connection. Times are in milliseconds, sizes in bytes. */
const defaults = {
  /** The maximum time to connect, including the TLS handshake. */
  connect: 10_000,
  /** The maximum time until the headers of a response, and between two chunks of its body. */
  idleTimeout: 60_000,
  /**
   * The maximum time for a request and its retries, without the wait for a free connection. With 429 responses, it counts from the last other
   * response.
   */
  deadline: 120_000,
  /** The maximum number of retries. Only the deadline applies after a 429 or a Retry-After header. */
  maxRetries: 4,
  /** The base delay before the first retry. It doubles with each retry. */
  initialBackoff: 200,
  /** The maximum size of a response body. */
  bodyBytes: 8 * 1024 * 1024,
  /** The maximum number of concurrent requests to a server, not counting blocking queries. Further requests wait. */
  maxConcurrentRequests: 32,
  /** The time between two progress messages. */
  progressInterval: 10_000,
  /** The time after the end of a blocking query until the connection counts as lost. */
  blockingQueryGrace: 10_000,
  /** The delay between two blocking queries without a change. It doubles up to `maxPollDelay` while the responses are immediate. */
  pollDelay: 100,
  maxPollDelay: 10_000,
  /** A response to a blocking query without a change counts as immediate if it takes less than this time. */
  immediateThreshold: 10_000,
  /** The maximum time for which a server may be unreachable between blocking queries. */
  reconnectTimeout: 300_000,
  /** The delay between two requests to a cluster without a leader. It doubles up to `maxElectionBackoff`. */
  electionBackoff: 250,
  maxElectionBackoff: 5_000,
};

export type Limits = typeof defaults;

export const defaultLimits: Readonly<Limits> = Object.freeze(defaults);
