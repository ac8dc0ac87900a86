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

/** What {@link watch} takes. */
export interface WatchOptions extends ListOptions, ElectionOptions {
  /** What is listed. */
  resource: "jobs" | "deployments" | "nodes";
  /**
   * How long the server holds one request at most; longer than 10 minutes is 10 minutes. Changes come when they happen, whatever it is.
   * @default "5m"
   */
  wait?: Duration;
  /**
   * Any server may answer, even one that has no leader. The answer may be old.
   * @default false
   */
  stale?: boolean;
  /** Ends the iteration, without an error. */
  signal?: AbortSignal;
}

/** The list as it is now. */
export interface Snapshot {
  /** The scheduler's number of this state. */
  index: number;
  /** All items that the query finds, with the scheduler's own names. */
  items: Record<string, unknown>[];
}

const longestWait = 600;
/** How many times a server may answer at once, and with nothing new, before it is one that does not wait. */
const hasty = 4;

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
 * A list as it is now, and then as it is after each change, by blocking queries: `GET /v1/jobs?index=…&wait=…`, and the same of deployments and nodes.
 *
 * A write that changes nothing about what the query finds is no change, and several changes that follow closely may come as one. When the connection
 * breaks, it is made again for five minutes, and then tells what has changed meanwhile. An election is outlasted, too: a line says so. `signal` ends the iteration without an error; without one, it
 * goes on until the loop is left, and so does the program: give it an end in a program of Pulumi's. Reads in a preview as well. Throws
 * {@link StewardError}, also where the server does not hold such requests.
 *
 * ```ts
 * for await (const { items } of scheduler.watch({ resource: "nodes", signal: AbortSignal.timeout(60_000) })) {
 *   if (items.every((node) => node.Status === "ready")) break;
 * }
 * ```
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

/** The whole list: at once, or, given the index of a state, when it is another one. */
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
    // What became of the list while the connection was broken, is a question of its own.
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

/** The states that differ from the one before, beginning with the present one. @internal */
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
          // After an election another server may answer, one that has forgotten its indexes.
          if (attempt > 0) isHeld = false;
          return readState(connection, collection, query, isHeld ? index : undefined, wait);
        },
        { electionTimeout, signal },
      );
    } catch (error) {
      if (signal?.aborted) return;
      brokenAt ??= Date.now();
      if (shown === undefined || !isBroken(error) || Date.now() - brokenAt > limits.reconnectTimeout) throw error;
      // Whoever answers next may be another server, or one that has forgotten its indexes.
      index = undefined;
      await pause(limits, idle++, signal);
      continue;
    }
    if (!state.hasIndex)
      throw cannotWait("no-index", "the server does not say which state it answers with, so that nobody can wait for the next");
    brokenAt = undefined;
    const taken = Date.now() - begin;
    const hurried = taken < Math.min(1000, halfWait);
    atOnce = taken < Math.min(limits.atOnce, halfWait) && isHeld && state.index === index ? atOnce + 1 : 0;
    if (atOnce >= hasty) throw cannotWait("answers-at-once", "the server answers at once where it should wait for a change");
    // An index that goes back says that the server has begun anew, and 0 would mean not to wait.
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
    hint: "List it in intervals instead, or look at what stands between.",
  });
