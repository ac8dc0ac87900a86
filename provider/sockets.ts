import type * as Undici from "undici";
import { Connection, isLoopback, isPrivate } from "./connection";
import { warnOnce } from "./warning";

/** Grants a limited number of requests at a time, first come, first served. @internal */
export class Slots {
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly size: number) {}

  /** Waits for a free slot. A signal ends the wait: then false comes back and no slot is taken. */
  take(signal: AbortSignal | undefined): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    if (this.taken < this.size) {
      this.taken++;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const enter = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve(true);
      };
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(enter), 1);
        resolve(false);
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.waiting.push(enter);
    });
  }

  /** Hands the slot to the request that waits longest. */
  release(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.taken--;
  }
}

/** The kept-alive sockets to one server with one identity. @internal */
export class Sockets {
  readonly slots: Slots;
  private pool: Undici.Dispatcher | undefined;

  /** `isHeld`: for requests that the server holds. They have as many sockets as they need, since each may take minutes. */
  constructor(
    private readonly connection: Connection,
    private readonly isHeld: boolean,
  ) {
    this.slots = new Slots(isHeld ? Number.POSITIVE_INFINITY : connection.limits.sockets);
  }

  /** Dispatches one request, and calls back just before its first byte is written to a socket. Whatever fails before that has sent nothing. */
  dispatcher(onWrite: () => void): Undici.Dispatcher {
    this.pool ??= this.open();
    return this.pool.compose(
      (dispatch) => (options, handler) =>
        dispatch(options, {
          onRequestStart: (controller, context) => {
            handler.onRequestStart?.(controller, context);
            onWrite();
          },
          onResponseStart: (...response) => handler.onResponseStart?.(...response),
          onResponseData: (...data) => handler.onResponseData?.(...data),
          onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
          onResponseError: (...error) => handler.onResponseError?.(...error),
        }),
    );
  }

  /** Proxies come from the environment, but never stand before this machine itself. */
  private open(): Undici.Dispatcher {
    const { address, caCert, clientCert, clientKey, limits } = this.connection;
    const { connect, idleTimeout, sockets } = limits;
    const tls = { ca: caCert, cert: clientCert, key: clientKey };
    const options: Undici.Agent.Options & Undici.EnvHttpProxyAgent.Options = {
      connections: this.isHeld ? null : sockets,
      headersTimeout: idleTimeout,
      bodyTimeout: idleTimeout,
      connect: { timeout: connect, ...tls },
      requestTls: tls,
      clientFactory: (proxy, given) => new ProxyPool(proxy, { ...given, headersTimeout: idleTimeout }),
    };
    const { Agent, EnvHttpProxyAgent, Pool } = undici();
    // Undici connects again at once, and without end, when a proxy closes the connection: only errors of other codes reach the request.
    class ProxyPool extends Pool {
      override async connect(request: unknown): Promise<never> {
        try {
          return await (super.connect as (request: unknown) => Promise<never>)(request);
        } catch (error) {
          const { code } = error as NodeJS.ErrnoException;
          throw code === "UND_ERR_SOCKET" ? Object.assign(new Error("closed"), { code: "ECONNRESET" }) : error;
        }
      }
    }
    return isLoopback(address) ? new Agent(options) : new EnvHttpProxyAgent(options);
  }
}

const known = new Map<string, Sockets>();

/** Anyone on the network can read the token. */
function warnOfPlainHttp(connection: Connection): void {
  const { system, title, address, say } = connection;
  if (isPrivate(connection)) return;
  warnOnce(
    say,
    `the ${title} sends requests to ${address}, with the token of ${system} in them, over plain http, which everyone between can read: give it an https address.`,
  );
}

/** @internal */
export function socketsTo(connection: Connection, isHeld: boolean): Sockets {
  warnOfPlainHttp(connection);
  const { address, caCert, clientCert, clientKey, limits } = connection;
  const key = JSON.stringify([address, caCert, clientCert, clientKey, isHeld, limits.connect, limits.idleTimeout, limits.sockets]);
  const sockets = known.get(key) ?? new Sockets(connection, isHeld);
  known.set(key, sockets);
  return sockets;
}

// Loaded with the first request: a program that only declares resources never needs it.
let loaded: typeof Undici | undefined;
/** @internal */
export function undici(): typeof Undici {
  loaded ??= require("undici") as typeof Undici;
  return loaded;
}
