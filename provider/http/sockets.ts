import type * as Undici from "undici";
import { isLoopback, isPrivate, Operation } from "../connection";
import { warnOnce } from "../log/log";
import { assertProxies } from "./failure";

/** A first-in, first-out semaphore for requests. */
export class Slots {
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly size: number) {}

  /** Waits for a free slot. Returns false, without a slot, if the signal ends the wait. */
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

  get isIdle(): boolean {
    return this.taken === 0;
  }

  /** Passes the slot to the first waiting request. */
  release(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.taken--;
  }
}

/** The keep-alive sockets to a server, with one set of certificates. */
export class Sockets {
  readonly slots: Slots;
  /** The time since which the server responds to every request with 429. */
  limitedSince: number | undefined;
  private pool: Undici.Dispatcher | undefined;

  /** `isHeld`: for blocking queries. Their number is unlimited, since each may take minutes. */
  constructor(
    private readonly operation: Operation,
    private readonly isHeld: boolean,
  ) {
    if (!isLoopback(operation.server.address)) assertProxies(process.env);
    this.slots = new Slots(isHeld ? Number.POSITIVE_INFINITY : operation.run.limits.maxConcurrentRequests);
  }

  /** Releases a slot. */
  release(): void {
    this.slots.release();
    if (this.slots.isIdle) this.limitedSince = undefined;
  }

  /** Returns a dispatcher that calls `onWrite` before it writes the first byte of a request. A failure before that call has sent nothing. */
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

  /** Uses the proxies of the environment, except for loopback addresses. */
  private open(): Undici.Dispatcher {
    const { server, run } = this.operation;
    const { caCert, clientCert, clientKey } = server.credentials;
    const { connect, idleTimeout, maxConcurrentRequests } = run.limits;
    // Overrides NODE_TLS_REJECT_UNAUTHORIZED.
    const verified = { rejectUnauthorized: true };
    const tls = { ca: caCert, cert: clientCert, key: clientKey, ...verified };
    const options: Undici.Agent.Options & Undici.EnvHttpProxyAgent.Options = {
      connections: this.isHeld ? null : maxConcurrentRequests,
      headersTimeout: idleTimeout,
      bodyTimeout: idleTimeout,
      connect: { timeout: connect, ...tls },
      requestTls: tls,
      clientFactory: (proxy, poolOptions) => new ProxyPool(proxy, { ...poolOptions, connect: verified, headersTimeout: idleTimeout }),
    };
    const { Agent, EnvHttpProxyAgent, Pool } = undici();
    // Undici retries endlessly when a proxy closes the connection. Only an error with another code reaches the request.
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
    return isLoopback(server.address) ? new Agent(options) : new EnvHttpProxyAgent(options);
  }
}

const pools = new Map<string, Sockets>();

export function socketsTo(operation: Operation, isHeld: boolean): Sockets {
  const { server, run } = operation;
  const { system, title, address } = server;
  if (!isPrivate(server))
    warnOnce(
      run.log,
      `the ${title} sends the token of ${system} to ${address} over plain HTTP, where anyone on the network can read it. Use an https address.`,
    );
  const { caCert, clientCert, clientKey } = server.credentials;
  const { connect, idleTimeout, maxConcurrentRequests } = run.limits;
  const key = JSON.stringify([address, caCert, clientCert, clientKey, isHeld, connect, idleTimeout, maxConcurrentRequests]);
  const sockets = pools.get(key) ?? new Sockets(operation, isHeld);
  pools.set(key, sockets);
  return sockets;
}

/** Loaded with the first request: a program that only declares resources never needs it. */
export const undici = (): typeof Undici => require("undici");
