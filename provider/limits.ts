/** The timeouts, retries and sizes of a connection. Times are in milliseconds. @internal */
export interface Limits {
  connect: number;
  /** The time until the headers of a response, and between two parts of its body. */
  idleTimeout: number;
  /** The time for a request and its retries, without the wait for a free socket. */
  deadline: number;
  /** The number of retries without a Retry-After header. After a 429, only the deadline ends them. */
  maxRetries: number;
  initialBackoff: number;
  bodyBytes: number;
  /** The number of concurrent requests to a server. Further requests wait. */
  sockets: number;
  /** The time between two progress messages. */
  progressInterval: number;
  /** The time after the end of a blocking query until the connection counts as lost. */
  heldMargin: number;
  /** The pause between two blocking queries without a change. It grows to `longestPollPause` while the responses are immediate. */
  pollPause: number;
  longestPollPause: number;
  /** The time below which a response to a blocking query without a change counts as immediate. */
  atOnce: number;
  /** The time for which a server may be unreachable between blocking queries. */
  reconnectTimeout: number;
  /** The pause between two requests to a cluster without a leader. It grows to `longestLeaderPause`. */
  leaderPause: number;
  longestLeaderPause: number;
}

/** @internal */
export const defaultLimits: Readonly<Limits> = Object.freeze({
  connect: 10_000,
  idleTimeout: 60_000,
  deadline: 120_000,
  maxRetries: 4,
  initialBackoff: 200,
  bodyBytes: 8 * 1024 * 1024,
  sockets: 32,
  progressInterval: 10_000,
  heldMargin: 10_000,
  pollPause: 100,
  longestPollPause: 10_000,
  atOnce: 10_000,
  reconnectTimeout: 300_000,
  leaderPause: 250,
  longestLeaderPause: 5_000,
});
