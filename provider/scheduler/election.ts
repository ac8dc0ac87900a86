import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { Duration, seconds } from "../comparison";
import { Operation } from "../connection";
import { StewardError } from "../errors";
import { rule } from "../inputs";

// A scheduler without a leader answers 500 or 503 for some seconds. Functions that wait for changes also wait for the election.

/** Options of functions that wait for changes. */
export interface ElectionOptions {
  /**
   * The maximum wait for a leader election, during which Nomad answers 500 "No cluster leader" or 503.
   * @default "60s"
   */
  electionTimeout?: Duration;
}

export const durationInput: z.ZodType<Duration | undefined> = z
  .custom<Duration>(
    (value) => (seconds(value) ?? 0) >= 1,
    rule("at-least-1s", 'must be at least 1s, such as "30s", "1h30m", or whole seconds'),
  )
  .optional();

const hasNoLeader = (error: unknown): error is StewardError =>
  error instanceof StewardError && (error.status === 503 || (error.status === 500 && /no cluster leader/i.test(error.details.reason)));

/** Retries a read while Nomad has no leader, and prints one line. */
export async function outlastElection<T>(
  { run: { limits, log }, server: { words } }: Operation,
  read: (attempt: number) => Promise<T>,
  { electionTimeout, signal }: ElectionOptions & { signal?: AbortSignal },
): Promise<T> {
  const allowed = seconds(electionTimeout) ?? 60;
  let end: number | undefined;
  for (let attempt = 0; ; attempt++) {
    try {
      return await read(attempt);
    } catch (error) {
      if (!hasNoLeader(error) || signal?.aborted) throw error;
      // The wait starts only now: the server may have held the failed read for minutes.
      end ??= Date.now() + allowed * 1000;
      if (Date.now() >= end)
        throw error.with({
          rule: "no-leader",
          hint: `There was no leader for ${allowed} s. Read the logs of the servers, or set a longer electionTimeout.`,
        });
      if (attempt === 0) log.info(`pulumi-steward: ${words.service} has no leader (${error.status}): retrying for up to ${allowed} s.`);
      const pause = Math.min(limits.electionBackoff * 2 ** Math.min(attempt, 20), limits.maxElectionBackoff, Math.max(1, end - Date.now()));
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
  }
}
