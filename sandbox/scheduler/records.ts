import { randomUUID } from "node:crypto";
import { Clock } from "../clock";
import { SchedulerPlace, SchedulerPolicy, SchedulerTokenRequest } from "./service";
import { complete } from "./types";

export type Collection = "jobs" | "deployments" | "nodes";

/** A full record. It is immutable, so that older states keep the older record. */
export type Row = Readonly<Record<string, unknown>>;

export interface Table {
  /** The index of the last change. */
  index: number;
  /** The rows by namespace and ID, separated by a zero byte. This is the service's order. */
  rows: ReadonlyMap<string, Row>;
}

/** The data of a region from the time `at` on. */
export type State = Record<Collection, Table> & { at: number };
/** A state that is being written. */
type Draft = Record<Collection, Table & { rows: Map<string, Row> }> & { at: number };

export interface Token {
  accessor: string;
  secret: string;
  name: string;
  type: "client" | "management";
  policies: string[];
  global: boolean;
  /** The expiry in milliseconds. Without it, the token never expires. */
  expires?: number;
}

export const home = "global";
/** The types of the records. */
export const structures: Record<Collection, string> = { jobs: "structs.Job", deployments: "structs.Deployment", nodes: "structs.Node" };

export function keyOf(collection: Collection, id: string, namespace = "default"): string {
  return collection === "nodes" ? id : `${namespace}\0${id}`;
}

/** The jobs, deployments and nodes of a region, with their recent history. */
export class Region {
  readonly members: Map<string, Record<string, unknown>> = new Map();
  #index: number;
  #states: State[];
  /** The state of the current transaction. */
  #draft: Draft | undefined;

  constructor(
    readonly name: string,
    private readonly clock: Clock,
    private readonly changed: () => void,
    first: number,
  ) {
    this.#index = Math.max(first, 9);
    const empty: Table = { index: first, rows: new Map() };
    this.#states = [{ at: 0, jobs: empty, deployments: empty, nodes: empty }];
  }

  get state(): State {
    return this.#states.at(-1)!;
  }

  get index(): number {
    return this.#index;
  }

  /** The state on a server that is this many milliseconds behind. */
  stateBehind(milliseconds: number): State {
    const seen = this.clock.now().getTime() - milliseconds;
    return this.#states.filter(({ at }) => at <= seen).at(-1) ?? this.#states[0]!;
  }

  /** The time at which such a server sees the state after this one; undefined after the last state. */
  nextAfter(state: State, milliseconds: number): number | undefined {
    const next = this.#states[this.#states.indexOf(state) + 1];
    return next && next.at + milliseconds;
  }

  find(collection: Collection, id: string, namespace?: string): Row | undefined {
    return this.state[collection].rows.get(keyOf(collection, id, namespace));
  }

  /** Combines several writes into one new state, which makes seeding thousands of records fast. */
  transaction<T>(write: () => T): T {
    const { state } = this;
    const copy = (collection: Collection): Draft[Collection] => ({ ...state[collection], rows: new Map(state[collection].rows) });
    this.#draft = { at: this.clock.now().getTime(), jobs: copy("jobs"), deployments: copy("deployments"), nodes: copy("nodes") };
    // Stale reads need older states, but not all of them.
    this.#states = [...this.#states.slice(-1000), this.#draft];
    try {
      return write();
    } finally {
      this.#draft = undefined;
      this.changed();
    }
  }

  /** Raises the index for a write that no list shows. */
  advance(): number {
    this.#index += 1;
    return this.#index;
  }

  /** Writes one record, with the next index; `undefined` removes it. */
  write(collection: Collection, key: string, fields: Row | undefined): Row | undefined {
    if (!this.#draft) return this.transaction(() => this.write(collection, key, fields));
    this.advance();
    const table = this.#draft[collection];
    const before = table.rows.get(key);
    const indexes = { CreateIndex: before?.CreateIndex ?? this.#index, ModifyIndex: this.#index };
    const row = fields && Object.freeze(complete(structures[collection], { ...structuredClone(fields), ...indexes }) as Row);
    if (row) table.rows.set(key, row);
    else table.rows.delete(key);
    table.index = this.#index;
    return row;
  }
}

export class Records {
  regions: Map<string, Region> = new Map();
  namespaces: Set<string> = new Set(["default"]);
  policies: Map<string, SchedulerPolicy> = new Map();
  /** The tokens by accessor. */
  tokens: Map<string, Token> = new Map();
  /** The lag of stale reads in milliseconds. */
  staleness = 0;
  /** The time at which the leader was lost. */
  leaderless: number | undefined;
  #changing = new AbortController();
  #ending = new AbortController();
  #held = 0;

  constructor(
    readonly clock: Clock,
    readonly token: string,
    private readonly firstIndex: number,
  ) {}

  /** Removes all data except the token, and ends held requests. `applySeed` then adds the seed. */
  reset(): void {
    this.end();
    this.#ending = new AbortController();
    this.#held = 0;
    this.regions = new Map();
    this.namespaces = new Set(["default"]);
    this.policies = new Map();
    this.tokens = new Map();
    this.staleness = 0;
    this.leaderless = undefined;
  }

  /** Responds to held requests now. */
  end(): void {
    this.#ending.abort();
  }

  /** The region with this name, which is created if necessary. */
  region(name: string): Region {
    const region = this.regions.get(name) ?? new Region(name, this.clock, () => this.wake(), this.firstIndex);
    this.regions.set(name, region);
    return region;
  }

  /** Makes held requests look again. */
  wake(): void {
    this.#changing.abort();
    this.#changing = new AbortController();
  }

  /** `changed` is aborted at the next change, `ended` when the waits end. */
  get signals(): { changed: AbortSignal; ended: AbortSignal } {
    return { changed: this.#changing.signal, ended: this.#ending.signal };
  }

  /** The next number from 0 to 1 for the random part of a wait. The sequence restarts after a reset. */
  fraction(): number {
    this.#held += 1;
    return (this.#held * 0.618_033_988_749_895) % 1;
  }

  change(collection: Collection, id: string, fields: Row, { namespace, region = home }: SchedulerPlace = {}): void {
    const before = this.existing(collection, id, namespace, region);
    this.region(region).write(collection, keyOf(collection, id, namespace), { ...before, ...fields, ID: id });
  }

  remove(collection: Collection, id: string, { namespace, region = home }: SchedulerPlace = {}): void {
    this.existing(collection, id, namespace, region);
    this.region(region).write(collection, keyOf(collection, id, namespace), undefined);
  }

  private existing(collection: Collection, id: string, namespace: string | undefined, region: string): Row {
    const row = this.regions.get(region)?.find(collection, id, namespace);
    if (!row)
      throw new TypeError(
        `Unknown record "${id}" in the ${collection} of the region "${region}"${namespace ? `, namespace "${namespace}"` : ""}.`,
      );
    return row;
  }

  mint({ name = "", type = "client", policies = [], global = false, ttl }: SchedulerTokenRequest = {}): Token {
    const expires = ttl === undefined ? undefined : this.clock.now().getTime() + ttl;
    const token: Token = { accessor: randomUUID(), secret: randomUUID(), name, type, policies: [...policies], global, expires };
    this.tokens.set(token.accessor, token);
    return token;
  }

  revoke(accessor: string): boolean {
    return this.tokens.delete(accessor);
  }
}
