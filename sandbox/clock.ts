import { setTimeout } from "node:timers/promises";

/** The time of the sandbox: the real time, moved forward on request. */
export class Clock {
  #moved = 0;
  #moving = new AbortController();

  now(): Date {
    return new Date(Date.now() + this.#moved);
  }

  advance(ms: number): void {
    if (!(ms >= 0 && Number.isFinite(ms))) throw new RangeError("The clock only moves forward: pass a number of milliseconds from 0.");
    this.#moved += ms;
    this.#wake();
  }

  /** Resolves at that time, or when `ended` is aborted. It reads the clock again after each move. */
  async until(time: number, ended: AbortSignal): Promise<void> {
    while (!ended.aborted && this.now().getTime() < time) {
      const signal = AbortSignal.any([ended, this.#moving.signal]);
      // A timer supports at most 2^31 milliseconds and may fire slightly early.
      const left = Math.min(time - this.now().getTime(), 2 ** 31 - 1);
      await setTimeout(left, undefined, { signal }).catch(() => undefined);
    }
  }

  reset(): void {
    this.#moved = 0;
    this.#wake();
  }

  #wake(): void {
    this.#moving.abort();
    this.#moving = new AbortController();
  }
}
