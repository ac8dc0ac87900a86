import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { Duration, seconds } from "../contract/comparison";
import { StewardError } from "../contract/errors";
import { rule } from "../contract/inputs";
import { Operation } from "../contract/operation";

// A scheduler without a leader answers 500 or 503 for some seconds. Functions that wait for changes also wait for the election.

/** Options of functions that wait for changes. */
export interface ElectionOptions {
  /**
   * The maximum wait for a leader election, during which Nomad answers 500 "No cluster leader" or 503.
   * @default "60s"
   */
  electionTimeout?: Duration;
}

export const waitInput: z.ZodType<Duration | undefined> = z
  .custom<Duration>(
    (value) => (seconds(value) ?? 0) >= 1,
    rule("at-least-1s", 'must be at least 1s, such as "30s", "1h30m", or whole seconds'),
  )
  .optional();

const hasNoLeader = (error: unknown): error is StewardError =>
  error instanceof StewardError && (error.status === 503 || (error.status === 500 && /no cluster leader/i.test(error.details.reason)));

/** Waits, after each attempt twice as long and at most `longest`, or until the signal aborts. */
export const backOff = (attempt: number, first: number, longest: number, signal: AbortSignal | undefined): Promise<void> =>
  sleep(Math.min(first * 2 ** Math.min(attempt, 20), longest), undefined, { signal }).catch(() => {});

/** An election, for which all reads of one caller wait. */
export interface Election {
  /** The time at which the wait ends. Undefined while there is a leader. */
  end?: number;
}

/** Retries a read while Nomad has no leader, and prints one line. `election`: that of earlier reads, which the caller ends. */
export async function outlastElection<T>(
  { run: { limits, log }, server: { words } }: Operation,
  read: (attempt: number) => Promise<T>,
  { electionTimeout, signal, election = {} }: ElectionOptions & { signal?: AbortSignal; election?: Election },
): Promise<T> {
  const allowed = seconds(electionTimeout) ?? 60;
  for (let attempt = 0; ; attempt++) {
    const begin = Date.now();
    try {
      return await read(attempt);
    } catch (error) {
      if (!hasNoLeader(error) || signal?.aborted) throw error;
      // The server had a leader while it held the read, and the wait starts only now.
      if (Date.now() - begin >= allowed * 1000) election.end = undefined;
      const isFirst = election.end === undefined;
      election.end ??= Date.now() + allowed * 1000;
      if (Date.now() >= election.end)
        throw error.with({
          rule: "no-leader",
          hint: `There was no leader for ${allowed} s. Read the logs of the servers, or set a longer electionTimeout.`,
        });
      if (isFirst) log.info(`pulumi-steward: ${words.service} has no leader (${error.status}): retrying for up to ${allowed} s.`);
      await backOff(attempt, limits.electionBackoff, Math.min(limits.maxElectionBackoff, Math.max(1, election.end - Date.now())), signal);
    }
  }
}
