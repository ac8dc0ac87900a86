import { z } from "zod";
import { Duration, seconds } from "../contract/comparison";
import { StewardError } from "../contract/errors";
import { invokeEach } from "../program/invoke";
import { SchedulerOperation, system } from "./client";
import { backOff, Election, ElectionOptions, outlastElection, waitInput } from "./election";
import { Collection, Fetched, fetchPage, Item, ListOptions, pages, querySchema } from "./list";

/** Options of {@link watch}. */
export interface WatchOptions extends ListOptions, ElectionOptions {
  /** The list to watch. */
  resource: "jobs" | "deployments" | "nodes";
  /**
   * The maximum time for which the server delays its response while nothing changes, from 1 second to 10 minutes. Longer values are reduced
   * to 10 minutes, and changes are reported immediately.
   * @default "5m"
   */
  wait?: Duration;
  /**
   * Allows any server to respond, even one without a leader, so the response may be stale.
   * @default false
   */
  stale?: boolean;
  /** Stops the iteration without an error. */
  signal?: AbortSignal;
}

/** The list at one index. */
export interface Snapshot {
  /** The index of the list. */
  index: number;
  /** All items that match the query, with Nomad's property names. */
  items: Record<string, unknown>[];
}

const longestWait = 600;
/** After this many immediate responses without a change, the server does not support blocking queries. */
const maxImmediate = 4;

const resources = ["jobs", "deployments", "nodes"] as const;
const schema = querySchema({
  resource: z.enum(resources, 'must be "jobs", "deployments" or "nodes"'),
  wait: waitInput,
  electionTimeout: waitInput,
});

/**
 * Watches a list with blocking queries, which are `GET /v1/jobs?index=…&wait=…`, or the same for deployments and nodes. The function yields
 * the current list, then the list after each change.
 *
 * Writes that leave the items unchanged are not reported, and several changes in a row may be reported as one. If the connection breaks, or
 * a gateway answers 502 or 504, the function tries to reconnect for up to five minutes, then reports the changes since. During a leader
 * election, it prints a line and waits. It also runs in previews.
 *
 * `signal` stops the iteration without an error. Without it, break out of the loop yourself, or the program never exits. The function
 * throws a {@link StewardError}, for example if the server does not support blocking queries.
 *
 * ```ts
 * for await (const { items } of scheduler.watch({ resource: "nodes", signal: AbortSignal.timeout(60_000) })) {
 *   if (items.every((node) => node.Status === "ready")) break;
 * }
 * ```
 * @permissions The same as for {@link listJobs}, {@link listDeployments} or {@link listNodes}.
 */
export function watch(options: WatchOptions): AsyncIterable<Snapshot> {
  const { resource, wait, electionTimeout, ...query } = options ?? {};
  const operation = `Cannot watch${resources.includes(resource) ? ` ${resource}` : ""}`;
  const waitOptions = { electionTimeout, signal: query.signal, wait };
  return {
    [Symbol.asyncIterator]: () =>
      invokeEach({ operation, system, options: schema }, options, (operation) => changes(operation, resource, query, waitOptions)),
  };
}

interface State extends Snapshot {
  hasIndex: boolean;
}

const waitSeconds = (wait: Duration | undefined): number => Math.min(seconds(wait) ?? 300, longestWait);

/** Reads the whole list: immediately, or when its index differs from `index`. */
async function readState(
  operation: SchedulerOperation,
  collection: Collection,
  query: ListOptions,
  index: number | undefined,
  wait: Duration | undefined,
): Promise<State> {
  const waited = waitSeconds(wait);
  const idleTimeout = (waited + waited / 16) * 1000 + operation.run.limits.blockingQueryGrace;
  const blocking = {
    query: { index: String(index), wait: `${waited}s` },
    isBlocking: true,
    limits: { idleTimeout, deadline: idleTimeout },
    // After a broken connection, `changes` reads the list again without an index.
    retry: "never" as const,
  };
  let first: Fetched | undefined;
  const items: Item[] = [];
  const fetch = (each: ListOptions, next?: string): Promise<Fetched> =>
    fetchPage(operation, collection, each, next, index === undefined || first ? {} : blocking);
  for await (const fetched of pages(query, collection, fetch)) {
    first ??= fetched;
    items.push(...fetched.items);
  }
  return { index: first?.page.index ?? 0, hasIndex: first?.hasIndex ?? false, items };
}

/** The current list, then the list after each change. */
export async function* changes(
  operation: SchedulerOperation,
  collection: Collection,
  query: ListOptions,
  { signal, wait, electionTimeout }: ElectionOptions & { signal?: AbortSignal; wait?: Duration },
): AsyncGenerator<Snapshot> {
  const { limits } = operation.run;
  const halfWait = waitSeconds(wait) * 500;
  let index: number | undefined;
  let reported: string | undefined;
  let brokenAt: number | undefined;
  let idle = 0;
  let immediateResponses = 0;
  let election: Election = {};
  while (!signal?.aborted) {
    const begin = Date.now();
    let state: State;
    let isBlocking = index !== undefined;
    try {
      const read = (attempt: number): Promise<State> => {
        // After an election another server may respond, or one that has lost its indexes.
        if (attempt > 0) isBlocking = false;
        return readState(operation, collection, query, isBlocking ? index : undefined, wait);
      };
      state = await outlastElection(operation, read, { electionTimeout, signal, election });
      // A server without a leader may still respond to a read that does not block.
      if (isBlocking || reported === undefined) election = {};
    } catch (error) {
      if (signal?.aborted) return;
      brokenAt ??= Date.now();
      if (reported === undefined || !isTransient(error) || Date.now() - brokenAt > limits.reconnectTimeout) throw error;
      // Another server may respond next, or one that has lost its indexes.
      index = undefined;
      await backOff(idle++, limits.pollDelay, limits.maxPollDelay, signal);
      continue;
    }
    if (!state.hasIndex) throw unsupported("no-index", "the response has no index, which blocking queries need");
    brokenAt = undefined;
    const taken = Date.now() - begin;
    const wasImmediate = taken < Math.min(1000, halfWait);
    immediateResponses =
      taken < Math.min(limits.immediateThreshold, halfWait) && isBlocking && state.index === index ? immediateResponses + 1 : 0;
    if (immediateResponses >= maxImmediate)
      throw unsupported("answers-at-once", "the server responds immediately instead of waiting for a change");
    // A lower index comes from another server, or from one that has lost its indexes. An index of 0 would not block.
    index = index !== undefined && state.index < index ? undefined : Math.max(1, state.index);
    const seen = JSON.stringify(state.items);
    if (seen !== reported) {
      reported = seen;
      idle = 0;
      yield { index: state.index, items: state.items };
    } else if (wasImmediate) await backOff(idle++, limits.pollDelay, limits.maxPollDelay, signal);
    else idle = 0;
  }
}

// A gateway ends an idle request with a 504, and answers 502 while it restarts.
const isTransient = (error: unknown): boolean =>
  error instanceof StewardError &&
  (["ERR_UNREACHABLE", "ERR_NO_RESPONSE", "ERR_RATE_LIMITED"].includes(error.code) || [502, 504].includes(error.status ?? 0));

const unsupported = (rule: string, reason: string): StewardError =>
  new StewardError({
    code: "ERR_UNEXPECTED_RESPONSE",
    rule,
    reason,
    hint: "Call the list function at intervals instead, or check for a proxy between Pulumi and the server.",
  });
