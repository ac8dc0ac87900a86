/** The sandbox's one source of time: the real time, moved forward on request. */
export class Clock {
  #moved = 0;

  now(): Date {
    return new Date(Date.now() + this.#moved);
  }

  advance(ms: number): void {
    if (!Number.isFinite(ms)) throw new RangeError("The clock advances by a number of milliseconds.");
    this.#moved += ms;
  }

  reset(): void {
    this.#moved = 0;
  }
}
