import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { Duration, seconds } from "../comparison";
import { StewardError } from "../errors";
import { invokeEach } from "../invoke";
import { Limits } from "../limits";
import { SchedulerConnection, system } from "./client";
import { durationInput, ElectionOptions, outlastElection } from "./election";
import { Collection } from "./filter-check";
import { Fetched, fetchPage, Item, ListOptions, pages, querySchema } from "./list";

/** Options of {@link watch}. */
export interface WatchOptions extends ListOptions, ElectionOptions {
  /** The list to watch. */
  resource: "jobs" | "deployments" | "nodes";
  /**
   * The longest time for which the server holds one request, at most 10 minutes. It does not delay changes.
   * @default "5m"
   */
  wait?: Duration;
  /**
   * Let any server respond, even one without a leader. The response may be stale.
   * @default false
   */
  stale?: boolean;
  /** Ends the iteration without an error. */
  signal?: AbortSignal;
}

/** The list at one index. */
export interface Snapshot {
  /** The index of the list. */
  index: number;
  /** All items that match the query, with the scheduler's property names. */
  items: Record<string, unknown>[];
}

const longestWait = 600;
/** After so many immediate responses without a change, the server does not support blocking queries. */
const maxImmediate = 4;

const resources = ["jobs", "deployments", "nodes"] as const;
const more = {
  resource: z.enum(resources, 'must be "jobs", "deployments" or "nodes"'),
  wait: durationInput,
  electionTimeout: durationInput,
};
const schemas: Record<Collection, z.ZodType> = {
  jobs: querySchema("jobs", more),
  deployments: querySchema("deployments", more),
  nodes: querySchema("nodes", more),
};

/**
 * Watches a list with blocking queries: `GET /v1/jobs?index=…&wait=…`, or the same for deployments and nodes. Yields the current list, then the
 * list after each change.
 *
 * A write that does not change the items is no change. Several changes in a row may be reported as one. If the connection breaks, the
 * function reconnects for up to five minutes, then reports the changes since. During a leader election it prints a line and waits. Previews
 * read too.
 *
 * `signal` ends the iteration without an error. Without it the iteration ends only when the loop does, so a Pulumi program must leave the
 * loop. Throws {@link StewardError}, also if the server does not support blocking queries.
 *
 * ```ts
 * for await (const { items } of scheduler.watch({ resource: "nodes", signal: AbortSignal.timeout(60_000) })) {
 *   if (items.every((node) => node.Status === "ready")) break;
 * }
 * ```
 * @permissions Those of {@link listJobs}, {@link listDeployments} or {@link listNodes}.
 */
export function watch(options: WatchOptions): AsyncIterable<Snapshot> {
  const { resource, wait, electionTimeout, ...query } = options ?? {};
  const isKnown = resources.includes(resource);
  const operation = `Cannot watch ${isKnown ? resource : "the scheduler"}`;
  const schema = schemas[isKnown ? resource : "jobs"];
  const outlasting = { electionTimeout, signal: query.signal, wait };
  return {
    [Symbol.asyncIterator]: () =>
      invokeEach({ operation, system, options: schema }, options, (connection) => changes(connection, resource, query, outlasting)),
  };
}

interface State extends Snapshot {
  hasIndex: boolean;
}

const waitSeconds = (wait: Duration | undefined): number => Math.min(seconds(wait) ?? 300, longestWait);

/** Reads the whole list: at once, or once its index differs from `index`. */
async function readState(
  connection: SchedulerConnection,
  collection: Collection,
  query: ListOptions,
  index: number | undefined,
  wait: Duration | undefined,
): Promise<State> {
  const held = waitSeconds(wait);
  const idleTimeout = (held + held / 16) * 1000 + connection.limits.heldMargin;
  const blocking = {
    query: { index: String(index), wait: `${held}s` },
    isHeld: true,
    limits: { idleTimeout, deadline: idleTimeout },
    // After a broken connection, `changes` reads the list again without an index.
    retry: "never" as const,
  };
  let first: Fetched | undefined;
  const items: Item[] = [];
  const fetch = (each: ListOptions, next?: string): Promise<Fetched> =>
    fetchPage(connection, collection, each, next, index === undefined || first ? {} : blocking);
  for await (const fetched of pages(query, collection, fetch)) {
    first ??= fetched;
    items.push(...fetched.items);
  }
  return { index: first?.page.index ?? 0, hasIndex: first?.hasIndex ?? false, items };
}

/** The current list, then the list after each change. @internal */
export async function* changes(
  connection: SchedulerConnection,
  collection: Collection,
  query: ListOptions,
  { signal, wait, electionTimeout }: ElectionOptions & { signal?: AbortSignal; wait?: Duration },
): AsyncGenerator<Snapshot> {
  const { limits } = connection;
  const halfWait = waitSeconds(wait) * 500;
  let index: number | undefined;
  let shown: string | undefined;
  let brokenAt: number | undefined;
  let idle = 0;
  let atOnce = 0;
  while (!signal?.aborted) {
    const begin = Date.now();
    let state: State;
    let isHeld = index !== undefined;
    try {
      state = await outlastElection(
        connection,
        (attempt) => {
          // After an election another server may respond, or one that has lost its indexes.
          if (attempt > 0) isHeld = false;
          return readState(connection, collection, query, isHeld ? index : undefined, wait);
        },
        { electionTimeout, signal },
      );
    } catch (error) {
      if (signal?.aborted) return;
      brokenAt ??= Date.now();
      if (shown === undefined || !isBroken(error) || Date.now() - brokenAt > limits.reconnectTimeout) throw error;
      // Another server may respond next, or one that has lost its indexes.
      index = undefined;
      await pause(limits, idle++, signal);
      continue;
    }
    if (!state.hasIndex) throw cannotWait("no-index", "the response has no index, which blocking queries need");
    brokenAt = undefined;
    const taken = Date.now() - begin;
    const hurried = taken < Math.min(1000, halfWait);
    atOnce = taken < Math.min(limits.atOnce, halfWait) && isHeld && state.index === index ? atOnce + 1 : 0;
    if (atOnce >= maxImmediate) throw cannotWait("answers-at-once", "the server responds at once instead of waiting for a change");
    // A lower index means that the server has restarted. An index of 0 would not block.
    index = index !== undefined && state.index < index ? undefined : Math.max(1, state.index);
    const seen = JSON.stringify(state.items);
    if (seen !== shown) {
      shown = seen;
      idle = 0;
      yield { index: state.index, items: state.items };
    } else if (hurried) await pause(limits, idle++, signal);
    else idle = 0;
  }
}

const pause = ({ pollPause, longestPollPause }: Limits, count: number, signal: AbortSignal | undefined): Promise<void> =>
  sleep(Math.min(pollPause * 2 ** Math.min(count, 20), longestPollPause), undefined, { signal }).catch(() => {});

const isBroken = (error: unknown): boolean =>
  error instanceof StewardError && ["ERR_UNREACHABLE", "ERR_NO_RESPONSE", "ERR_RATE_LIMITED"].includes(error.code);

const cannotWait = (rule: string, reason: string): StewardError =>
  new StewardError({
    code: "ERR_UNEXPECTED_RESPONSE",
    rule,
    reason,
    hint: "Call the list function in intervals instead, or check any proxy in between.",
  });
