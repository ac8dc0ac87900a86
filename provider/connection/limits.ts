/** The timeouts, retries and sizes of a connection. Times are in milliseconds, sizes in bytes. */
export interface Limits {
  /** The maximum time to connect, including the TLS handshake. */
  connect: number;
  /** The maximum time until the headers of a response, and between two chunks of its body. */
  idleTimeout: number;
  /** The maximum time for a request and its retries, without the wait for a free connection. After a 429, that without any other response. */
  deadline: number;
  /** The maximum number of retries. Only the deadline applies after a 429 or a Retry-After header. */
  maxRetries: number;
  /** The base delay before the first retry. It doubles with each retry. */
  initialBackoff: number;
  /** The maximum size of a response body. */
  bodyBytes: number;
  /** The maximum number of concurrent requests to a server, not counting blocking queries. Further requests wait. */
  maxConcurrentRequests: number;
  /** The time between two progress messages. */
  progressInterval: number;
  /** The time after the end of a blocking query until the connection counts as lost. */
  blockingQueryGrace: number;
  /** The delay between two blocking queries without a change. It doubles up to `maxPollDelay` while the responses are immediate. */
  pollDelay: number;
  maxPollDelay: number;
  /** A response to a blocking query without a change counts as immediate if it takes less than this time. */
  immediateThreshold: number;
  /** The maximum time for which a server may be unreachable between blocking queries. */
  reconnectTimeout: number;
  /** The delay between two requests to a cluster without a leader. It doubles up to `maxElectionBackoff`. */
  electionBackoff: number;
  maxElectionBackoff: number;
}

export const defaultLimits: Readonly<Limits> = Object.freeze({
  connect: 10_000,
  idleTimeout: 60_000,
  deadline: 120_000,
  maxRetries: 4,
  initialBackoff: 200,
  bodyBytes: 8 * 1024 * 1024,
  maxConcurrentRequests: 32,
  progressInterval: 10_000,
  blockingQueryGrace: 10_000,
  pollDelay: 100,
  maxPollDelay: 10_000,
  immediateThreshold: 10_000,
  reconnectTimeout: 300_000,
  electionBackoff: 250,
  maxElectionBackoff: 5_000,
});
