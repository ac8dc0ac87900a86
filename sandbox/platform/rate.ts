const second = 1000;

/** Counts the requests of each client per second. A second starts with the first request after the previous one. */
export class RateCounter {
  #clients: Map<string, { since: number; count: number }> = new Map();

  reset(): void {
    this.#clients.clear();
  }

  /** Counts a request. Returns the number of requests in the client's current second, and the milliseconds left of it. */
  count(client: string, now: number): { count: number; left: number } {
    const before = this.#clients.get(client);
    const current = before && now - before.since < second ? before : { since: now, count: 0 };
    current.count += 1;
    this.#clients.set(client, current);
    return { count: current.count, left: current.since + second - now };
  }
}
