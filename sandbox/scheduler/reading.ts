import { denied, HttpError } from "./http-error";
import { Access, accessOf } from "./policy";
import { Query, queryOf } from "./query";
import { Collection, home, Region, State } from "./records";
import { json, Route, secretOf } from "./response";

const defaultWait = 300_000;

/** The result of a route for one state, or the message of a 404. */
type Select = (state: State, query: Query, access: Access) => { body: unknown; nextToken?: string } | string;

/** The region of a request. Throws if the region is unknown or has no leader to respond. */
export function regionOf(c: Route, name: string, stale: boolean): Region {
  const { records } = c.var;
  const region = records.regions.get(name);
  if (!region) throw new HttpError(500, "No path to region");
  // Other regions always have a leader.
  if (!stale && name === home && records.leaderless !== undefined) throw new HttpError(500, "No cluster leader");
  return region;
}

/**
 * Handles a read: checks the region and the token, selects the state that the server sees, and waits for a newer one. `select` is called again
 * after each change.
 */
export async function read(c: Route, collection: Collection, select: Select): Promise<Response> {
  const { records, dialect } = c.var;
  const query = queryOf(c);
  const region = regionOf(c, query.region, query.stale);
  const access = accessOf(records, secretOf(c), query.region);
  if (!(collection === "nodes" ? access.nodes : access.namespace(query.namespace, "read"))) throw denied();

  const behind = (): number => (query.stale ? records.staleness : 0);
  const waitTime = query.index > 0n ? longest(query, dialect.longestWait, records.fraction()) : 0;
  const deadline = records.clock.now().getTime() + waitTime;
  const { ended } = records.signals;
  const signal = AbortSignal.any([ended, c.req.raw.signal]);
  for (;;) {
    const { changed } = records.signals;
    const state = region.stateBehind(behind());
    const result = select(state, query, access);
    const waits = query.index > 0n && BigInt(state[collection].index) <= query.index;
    if (!waits || signal.aborted || records.clock.now().getTime() >= deadline) {
      const { index } = state[collection];
      const headers: Record<string, string> = {
        [`${dialect.header}Index`]: String(index),
        [`${dialect.header}LastContact`]: String(contact(c, query)),
        [`${dialect.header}KnownLeader`]: String(records.leaderless === undefined || region.name !== home),
      };
      if (typeof result === "string") throw new HttpError(404, result, headers);
      if (result.nextToken) headers[`${dialect.header}${dialect.nextToken}`] = result.nextToken;
      return json(c, result.body, headers);
    }
    const visible = region.nextAfter(state, behind()) ?? deadline;
    await records.clock.until(Math.min(deadline, visible), AbortSignal.any([signal, changed]));
  }
}

/** The longest wait of a blocking query in milliseconds, with a random extra that spreads the responses. */
function longest({ wait }: Query, most: number, fraction: number): number {
  const waitTime = Math.min(wait > 0 ? wait : defaultWait, most);
  return waitTime + Math.floor((fraction * waitTime) / 16);
}

/** The milliseconds since the server last had contact with the leader; 0 unless the read is stale. */
function contact(c: Route, { stale, region }: Query): number {
  const { staleness, leaderless, clock } = c.var.records;
  if (!stale) return 0;
  return Math.max(staleness, region === home && leaderless !== undefined ? clock.now().getTime() - leaderless : 0);
}
