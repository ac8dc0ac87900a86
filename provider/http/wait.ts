import { once } from "node:events";
import { Operation } from "../contract/operation";

type Signals = readonly (AbortSignal | undefined)[];

/**
 * Runs an operation with one signal for a deadline and the given signals. It does not use AbortSignal.any(), since older Node garbage-collects the sources
 * during the wait.
 */
export async function withDeadline<T>(end: number, signals: Signals, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signals.find((each) => each?.aborted)?.reason);
  // The longest delay of a timer.
  const left = Math.min(Math.max(1, end - Date.now()), 2 ** 31 - 1);
  const timer = setTimeout(() => controller.abort(new DOMException("", "TimeoutError")), left);
  for (const each of signals) each?.addEventListener("abort", abort, { once: true });
  if (signals.some((each) => each?.aborted)) abort();
  try {
    return await attempt(controller.signal);
  } finally {
    clearTimeout(timer);
    for (const each of signals) each?.removeEventListener("abort", abort);
  }
}

/** Waits, until one of the signals ends it. Returns false if the user cancels the run. */
export async function pauseFor({ run: { engine } }: Pick<Operation, "run">, milliseconds: number, signal?: AbortSignal): Promise<boolean> {
  const ended = async (either: AbortSignal): Promise<unknown> => either.aborted || once(either, "abort");
  await withDeadline(Date.now() + milliseconds, [signal, engine.canceled], ended);
  return !engine.canceled?.aborted;
}
