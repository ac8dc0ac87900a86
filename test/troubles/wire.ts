import { Readable } from "node:stream";
import { Sockets } from "../../provider/http/sockets";
import { limits } from "../support/limits";
import { Serve, World } from "./world";

/** Responses that a service, or a gateway before it, sends without applying the request. */
const responses = {
  refused: [403, '{"errors":["permission denied"]}'],
  "an internal error": [500, '{"errors":["internal error"]}'],
  "a gateway's 404": [404, '{"message":"no Route matched with those values"}'],
  "a gateway's 200": [200, '{"message":"maintenance"}'],
} as const;
/** The fault of a write or, after "read", of a read. */
export type Trouble = keyof typeof responses | "lost before" | "lost after" | "lost after, and all that follow";
export type Troubles = readonly (readonly [request: number, trouble: Trouble, of?: "read"])[];
export const troubleNames: readonly Trouble[] = [
  ...(Object.keys(responses) as (keyof typeof responses)[]),
  ...(["lost before", "lost after", "lost after, and all that follow"] as const),
];

/** The response of a trouble, if it has one. */
export const responseOf = (trouble: Trouble | undefined): readonly [status: number, body: string] | undefined =>
  responses[trouble as keyof typeof responses];

/** The key of a request's trouble. */
export const troubleKey = (request: number, of = "write"): string => `${of} ${request}`;
export const troublesByKey = (troubles: Troubles): Map<string, Trouble> =>
  new Map(troubles.map(([request, trouble, of]) => [troubleKey(request, of), trouble]));

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
  /** The faults of this run. */
  private troubles = new Map<string, Trouble>();
  /** True if no request passes. */
  isDown = false;
  /** The number of requests that met a fault. */
  met = 0;
  /** The writes that got a response. `lostTokens` counts tokens that were never received. */
  writes: string[] = [];
  lostTokens = 0;
  private readonly counts = { write: 0, read: 0 };

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
  begin(troubles: Troubles): void {
    this.troubles = troublesByKey(troubles);
    this.isDown = false;
    Object.assign(this.counts, { write: 0, read: 0 });
    this.writes = [];
  }

  private async send(url: URL, { method, query, headers, body }: Sent): Promise<object> {
    await this.turn();
    if (this.isDown) throw broken();
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const isToken = method === "GET" && /\/creds\//.test(url.pathname);
    const isWrite = (method !== "GET" && !url.pathname.endsWith("/lookup")) || isToken;
    const of = isWrite ? "write" : "read";
    const trouble = this.troubles.get(troubleKey(++this.counts[of], of));
    if (trouble) this.met++;
    if (trouble === "lost before") throw broken();
    const response = responseOf(trouble);
    if (response) return answer(response[0], {}, response[1]);
    const serve = this.servers.get(url.origin) as Serve;
    const served = await serve(new Request(url, { method, headers: { ...headers, "accept-encoding": "identity" }, body }));
    const text = await served.text();
    if (isWrite && served.ok) this.writes.push(`${method} ${url.pathname}`);
    await this.turn();
    if (trouble || this.isDown) {
      this.isDown ||= trouble === "lost after, and all that follow";
      if (isToken && served.ok) this.lostTokens++;
      throw broken();
    }
    return answer(served.status, Object.fromEntries(served.headers), text);
  }
}

const answer = (statusCode: number, headers: Record<string, string>, text: string): object => ({
  statusCode,
  headers,
  body: Readable.from([Buffer.from(text)]),
});
