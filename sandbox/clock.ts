import { setTimeout } from "node:timers/promises";

/** The sandbox's one source of time: the real time, moved forward on request. */
export class Clock {
  #moved = 0;
  #moving = new AbortController();

  now(): Date {
    return new Date(Date.now() + this.#moved);
  }

  advance(ms: number): void {
    if (!(ms >= 0 && Number.isFinite(ms))) throw new RangeError("The clock only moves forward: by a number of milliseconds from 0 on.");
    this.#moved += ms;
    this.#wake();
  }

  /** Resolves when it is that time, or when `ended` is aborted; a clock that moves is looked at again. */
  async until(time: number, ended: AbortSignal): Promise<void> {
    while (!ended.aborted && this.now().getTime() < time) {
      const signal = AbortSignal.any([ended, this.#moving.signal]);
      // A timer counts at most 2^31 milliseconds, and may fire a little early.
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
