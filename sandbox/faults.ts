/** Something that goes wrong on purpose, for the requests that match it. */
export interface Fault {
  /** The service whose requests are counted. */
  system: "secrets" | "platform" | "scheduler";
  /** The verb, in any case. Any verb when omitted. */
  method?: string;
  /** A text is the whole path, with its query or without; an expression searches the path with its query. */
  path: RegExp | string;
  /**
   * Which matching request: 1 is the next.
   * @default 1
   */
  nth?: number;
  /**
   * How many matching requests from there on; `Infinity`: all of them.
   * @default 1
   */
  times?: number;
  /**
   * What happens.
   * - `refuse`: the connection is destroyed at once; nothing is applied.
   * - `drop-before`: the request is read, nothing is applied, the connection is destroyed.
   * - `drop-after`: the request is applied, and its answer is lost.
   * - `delay`: the request waits `delayMs`, then goes on as usual.
   * - `respond`: `status` (500), `body` and `headers` are the answer; nothing is applied.
   * - `truncate`: the request is applied; its answer stops in the middle of the body.
   * - `redirect`: the answer is `status` (307) with `headers.location`; nothing is applied.
   * - `huge`: the answer is a body of 50 MB that begins like JSON; nothing is applied.
   */
  action: "refuse" | "drop-before" | "drop-after" | "delay" | "respond" | "truncate" | "redirect" | "huge";
  /** The status of `respond` (500), `redirect` (307) and `huge` (200). */
  status?: number;
  /** The body of `respond`. */
  body?: string;
  /** Headers of `respond`, `redirect` and `huge`; a redirect needs `location`. */
  headers?: Record<string, string>;
  /** How long `delay` waits, in real milliseconds: the sandbox's clock does not shorten it. */
  delayMs?: number;
}

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
