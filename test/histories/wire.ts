import { Readable } from "node:stream";
import { Sockets } from "../../provider/http/sockets";
import { limits } from "../support/limits";
import { Serve, World } from "./world";

/** The fault of a write. */
export type Trouble = "refused" | "lost before" | "lost after" | "lost after, and all that follow";

interface Sent {
  method: string;
  query?: Record<string, string>;
  headers: Record<string, string>;
  body: string | null;
  dispatcher: { onWrite(): void };
}

const broken = (): Error => Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });

/** Connects the provider and the servers without sockets, instead of undici's `request`. */
export class Wire {
  /** The faults by the number of the write in this run, from 1. */
  troubles = new Map<number, Trouble>();
  /** True if no request passes. */
  isDown = false;
  /** The writes that got a response. `lostTokens` counts tokens that were never received. */
  writes: string[] = [];
  lostTokens = 0;
  private count = 0;

  private readonly servers: ReadonlyMap<string, Serve>;

  /** `turn` is where a request waits before it is sent and before its response. */
  constructor(
    world: World,
    private readonly turn: () => Promise<void>,
  ) {
    this.servers = new Map([...world.serving()].map(([name, serve]) => [world.origins[name], serve]));
  }

  /** Installs it permanently: each suite has separate modules. Disables retries, so that each fault has an effect. */
  install(): void {
    const undici = require("undici") as { request: unknown };
    Sockets.prototype.dispatcher = (onWrite) => ({ onWrite }) as never;
    undici.request = (url: string, sent: Sent) => {
      // The request was sent before it was lost.
      sent.dispatcher.onWrite();
      return this.send(new URL(url), sent);
    };
    limits.maxRetries = 0;
  }

  /** Starts another run. */
  begin(troubles: readonly (readonly [number, Trouble])[]): void {
    this.troubles = new Map(troubles);
    this.isDown = false;
    this.count = 0;
    this.writes = [];
  }

  private async send(url: URL, { method, query, headers, body }: Sent): Promise<object> {
    await this.turn();
    if (this.isDown) throw broken();
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const isToken = method === "GET" && /\/creds\//.test(url.pathname);
    const isWrite = (method !== "GET" && !url.pathname.endsWith("/lookup")) || isToken;
    const trouble = isWrite ? this.troubles.get(++this.count) : undefined;
    if (trouble === "lost before") throw broken();
    if (trouble === "refused") return answer(403, {}, '{"errors":["permission denied"]}');
    const serve = this.servers.get(url.origin) as Serve;
    const response = await serve(new Request(url, { method, headers: { ...headers, "accept-encoding": "identity" }, body }));
    const text = await response.text();
    if (isWrite && response.ok) this.writes.push(`${method} ${url.pathname}`);
    await this.turn();
    if (trouble || this.isDown) {
      this.isDown ||= trouble === "lost after, and all that follow";
      if (isToken && response.ok) this.lostTokens++;
      throw broken();
    }
    return answer(response.status, Object.fromEntries(response.headers), text);
  }
}

const answer = (statusCode: number, headers: Record<string, string>, text: string): object => ({
  statusCode,
  headers,
  body: Readable.from([Buffer.from(text)]),
});
