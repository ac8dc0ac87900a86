import { Clock } from "./clock";
import { Fault } from "./faults";

/** One request in the log. `status` is 0 until a response is sent. */
export interface Entry {
  system: Fault["system"];
  method: string;
  path: string;
  status: number;
  at: number;
}

export class Log {
  #entries: Entry[] = [];

  constructor(private readonly clock: Clock) {}

  add(system: Fault["system"], method: string, path: string): Entry {
    const entry: Entry = { system, method, path, status: 0, at: this.clock.now().getTime() };
    this.#entries.push(entry);
    return entry;
  }

  get count(): number {
    return this.#entries.length;
  }

  /** The last `count` requests with their numbers, in order of arrival. */
  newest(count: number): (Entry & { number: number })[] {
    const first = Math.max(0, this.count - count);
    return this.#entries.slice(first).map((entry, index) => ({ ...entry, number: first + index }));
  }

  entries(): Entry[] {
    return this.#entries.map((entry) => ({ ...entry }));
  }

  reset(): void {
    this.#entries = [];
  }
}
