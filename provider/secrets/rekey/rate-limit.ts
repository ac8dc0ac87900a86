import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "../../connection";
import { delayAfter429 } from "../../http";

// A 429 says that nothing was applied. Meanwhile the attempt may have become another one, so the service is looked at again before anything is sent.

/** All waits of a run, whatever they were for. */
interface Waits {
  count: number;
  milliseconds: number;
}

/** Waits after a 429. Throws every other error, and the 429 itself once all waits of this run would last longer than the deadline of a request. @internal */
export async function waitAfter429(connection: Connection, error: unknown): Promise<void> {
  const key = "rekey: waits after 429";
  const { count, milliseconds } = (connection.memory.get(key) as Waits | undefined) ?? { count: 0, milliseconds: 0 };
  const pause = delayAfter429(connection, error, count);
  if (pause === undefined || milliseconds + pause > connection.limits.deadline) throw error;
  connection.memory.set(key, { count: count + 1, milliseconds: milliseconds + pause });
  await sleep(pause);
}

/** Sends again what a 429 refused, as long as the service still shows what it is meant for. @internal */
export async function sendPatiently<T>(connection: Connection, send: () => Promise<T>, isStillMeant: () => Promise<boolean>): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      await waitAfter429(connection, error);
      if (!(await isStillMeant())) throw error;
    }
  }
}
