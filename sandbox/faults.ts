/** A simulated failure of the requests that match it. */
export interface Fault {
  /** The service whose requests are counted. */
  system: "secrets" | "platform" | "scheduler";
  /** The method, in upper or lower case. If it is omitted, all methods match. */
  method?: string;
  /** The path. A string must equal the path, with or without its query, whereas a regular expression searches the path with its query. */
  path: RegExp | string;
  /**
   * The first matching request that fails, where 1 is the next one.
   * @default 1
   */
  nth?: number;
  /**
   * The number of matching requests that fail from there on, or `Infinity` for all of them.
   * @default 1
   */
  times?: number;
  /**
   * The kind of failure.
   * - `refuse`: closes the connection at once, without applying the request.
   * - `drop-before`: reads the request, then closes the connection without applying the request.
   * - `drop-after`: applies the request, then closes the connection without a response.
   * - `delay`: waits `delayMs`, then handles the request as usual.
   * - `respond`: responds with `status` (500), `body` and `headers`, without applying the request.
   * - `truncate`: applies the request, then sends only a part of the response.
   * - `redirect`: responds with `status` (307) and `headers.location`, without applying the request.
   * - `huge`: responds with 50 MB that begin like JSON, without applying the request.
   */
  action: "refuse" | "drop-before" | "drop-after" | "delay" | "respond" | "truncate" | "redirect" | "huge";
  /** The status of `respond` (500), `redirect` (307) and `huge` (200). */
  status?: number;
  /** The body of `respond`. */
  body?: string;
  /** The headers of `respond`, `redirect` and `huge`. A redirect requires `location`. */
  headers?: Record<string, string>;
  /** The duration of `delay` in milliseconds of real time, which `clock.advance` does not shorten. */
  delayMs?: number;
}

const actions = ["refuse", "drop-before", "drop-after", "delay", "respond", "truncate", "redirect", "huge"];

/** The active faults. Each counts the matching requests since it was added. */
export class Faults {
  #waiting: { fault: Fault; seen: number }[] = [];

  add(fault: Fault): void {
    const { nth = 1, times = 1, action } = fault;
    if (!actions.includes(action)) throw new TypeError(`Unknown fault action "${action}". Known: ${actions.join(", ")}.`);
    if (!Number.isInteger(nth) || nth < 1) throw new RangeError("nth must be a whole number from 1: 1 is the next matching request.");
    if (times !== Number.POSITIVE_INFINITY && (!Number.isInteger(times) || times < 1))
      throw new RangeError("times must be a whole number from 1.");
    if (action === "redirect" && !fault.headers?.location) throw new TypeError("A redirect requires headers.location.");
    if (action === "delay" && fault.delayMs === undefined) throw new TypeError("A delay requires delayMs.");
    this.#waiting.push({ fault: { ...fault }, seen: 0 });
  }

  clear(): void {
    this.#waiting = [];
  }

  /** Counts the request for every matching fault, and returns the first fault to apply. */
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

function matches(pattern: RegExp | string, path: string): boolean {
  if (typeof pattern === "string") return pattern === path || pattern === path.split("?")[0];
  // `search` ignores lastIndex, which an expression with the g flag would keep for the next request.
  return path.search(pattern) >= 0;
}
