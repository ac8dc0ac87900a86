const second = 1000;

/** Counts each client's requests. A second begins with the first request that none before it covers. */
export class RateCounter {
  #clients: Map<string, { since: number; count: number }> = new Map();

  reset(): void {
    this.#clients.clear();
  }

  /** How many requests this client has sent in its second, this one included, and how many milliseconds are left of it. */
  count(client: string, now: number): { count: number; left: number } {
    const before = this.#clients.get(client);
    const current = before && now - before.since < second ? before : { since: now, count: 0 };
    current.count += 1;
    this.#clients.set(client, current);
    return { count: current.count, left: current.since + second - now };
  }
}
