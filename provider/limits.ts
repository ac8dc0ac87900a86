/** How long a connection waits, how often it tries, and how much it reads. Times are milliseconds. @internal */
export interface Limits {
  connect: number;
  /** Until the response's headers, and between two parts of its body. */
  idleTimeout: number;
  /** For a request with all its maxRetries. Waiting for a free socket does not count. */
  deadline: number;
  /** When the server does not say how long to wait. After a 429, the deadline alone ends them. */
  maxRetries: number;
  initialBackoff: number;
  bodyBytes: number;
  /** To one server at a time. Further requests wait. */
  sockets: number;
  /** Between two lines about the progress of long work. */
  progressInterval: number;
  /** Beyond the time that a server holds a blocking query, before the connection counts as lost. */
  heldMargin: number;
  /** Between two blocking queries that bring nothing new. Grows to the longest while the responses come at once. */
  pollPause: number;
  longestPollPause: number;
  /** A response to a blocking query that brings nothing new before that did not wait, however slow the server is. */
  atOnce: number;
  /** For how long a server that was reached by blocking queries may be unreachable. */
  reconnectTimeout: number;
  /** Between two requests to a cluster without a leader. Grows to the longest. */
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
