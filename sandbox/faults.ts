import type { Fault } from "./service";

const actions = ["refuse", "drop-before", "drop-after", "delay", "respond", "truncate", "redirect", "huge"];

/** The faults that wait for a request. Each counts, from the moment it is added, the requests that match it. */
export class Faults {
  #waiting: { fault: Fault; seen: number }[] = [];

  add(fault: Fault): void {
    const { nth = 1, times = 1, action } = fault;
    if (!actions.includes(action)) throw new TypeError(`Unknown fault action "${action}". Known: ${actions.join(", ")}.`);
    if (!Number.isInteger(nth) || nth < 1) throw new RangeError("nth is a whole number from 1: 1 is the next matching request.");
    if (times !== Number.POSITIVE_INFINITY && (!Number.isInteger(times) || times < 1))
      throw new RangeError("times is a whole number from 1.");
    if (action === "redirect" && !fault.headers?.location) throw new TypeError('A redirect needs headers: { location: "…" }.');
    if (action === "delay" && fault.delayMs === undefined) throw new TypeError("A delay needs delayMs.");
    this.#waiting.push({ fault: { ...fault }, seen: 0 });
  }

  clear(): void {
    this.#waiting = [];
  }

  /** Counts the request for every fault that matches it, and returns the first one whose turn it is. */
  take(system: Fault["system"], method: string, path: string): Fault | undefined {
    let taken: Fault | undefined;
    for (const waiting of this.#waiting) {
      const { fault } = waiting;
      if (fault.system !== system || (fault.method && fault.method.toUpperCase() !== method) || !matches(fault.path, path)) continue;
      waiting.seen += 1;
      const { nth = 1, times = 1 } = fault;
      if (!taken && waiting.seen >= nth && waiting.seen < nth + times) taken = fault;
    }
    return taken;
  }
}

/** A string is the whole path, with or without its query; an expression searches the path with its query. */
function matches(wanted: RegExp | string, path: string): boolean {
  if (typeof wanted === "string") return wanted === path || wanted === path.split("?")[0];
  // `search` ignores lastIndex, which an expression with the g flag would carry from one request to the next.
  return path.search(wanted) >= 0;
}
