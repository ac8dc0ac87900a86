import type * as Undici from "undici";
import { isLoopback, isPrivate, Operation } from "../contract/operation";
import { warnOnce } from "../text/log";
import { proxyFor } from "./failure";

/** The keep-alive sockets to a server, with one set of certificates. Each request takes a slot, first in, first out. */
export class Sockets {
  /** The time since which the server responds to every request with 429. */
  limitedSince: number | undefined;
  /** The proxy to the server, unless a connection without one was attempted. */
  proxy: ReturnType<typeof proxyFor>;
  private taken = 0;
  private readonly waiting = new Set<() => void>();
  private pool: Undici.Dispatcher | undefined;

  /** `isBlocking`: for blocking queries. Their number is unlimited, since each may take minutes. */
  constructor(
    private readonly operation: Operation,
    private readonly isBlocking: boolean,
  ) {
    const { address } = operation.server;
    this.proxy = isLoopback(address) ? undefined : proxyFor(address, process.env);
  }

  /** Waits for a free slot. Returns false, without a slot, if the signal ends the wait. */
  takeSlot(signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve(false);
      const enter = (): void => {
        this.taken++;
        resolve(true);
      };
      if (this.isBlocking || this.taken < this.operation.run.limits.maxConcurrentRequests) return enter();
      this.waiting.add(enter);
      signal?.addEventListener("abort", () => this.waiting.delete(enter) && resolve(false), { once: true });
    });
  }

  /** Passes the slot to the first waiting request. */
  releaseSlot(): void {
    this.taken--;
    const [next] = this.waiting;
    if (next) this.waiting.delete(next);
    next?.();
    if (this.taken === 0) this.limitedSince = undefined;
  }

  /** Returns a dispatcher that calls `onWrite` before it writes the first byte of a request. A failure before that call has sent nothing. */
  dispatcher(onWrite: () => void): Undici.Dispatcher {
    this.pool ??= this.open();
    return this.pool.compose((dispatch) => (options, handler) => {
      const start = handler.onRequestStart?.bind(handler);
      handler.onRequestStart = (controller, context) => {
        start?.(controller, context);
        onWrite();
      };
      return dispatch(options, handler);
    });
  }

  /** Uses the proxies of the environment, except for loopback addresses. */
  private open(): Undici.Dispatcher {
    const { server, run } = this.operation;
    const { caCert, clientCert, clientKey, tlsServerName } = server.credentials;
    const { connect: timeout, idleTimeout, maxConcurrentRequests } = run.limits;
    const { Agent, buildConnector, EnvHttpProxyAgent, Pool } = undici();
    // Overrides NODE_TLS_REJECT_UNAUTHORIZED.
    const verified = { rejectUnauthorized: true };
    const tls = { ca: caCert, cert: clientCert, key: clientKey, servername: tlsServerName, ...verified };
    const connect = buildConnector({ timeout, ...tls });
    const options: Undici.Agent.Options & Undici.EnvHttpProxyAgent.Options = {
      connections: this.isBlocking ? null : maxConcurrentRequests,
      headersTimeout: idleTimeout,
      bodyTimeout: idleTimeout,
      connect: (...connection) => {
        this.proxy = undefined;
        connect(...connection);
      },
      requestTls: tls,
      clientFactory: (proxy, poolOptions) => new ProxyPool(proxy, { ...poolOptions, connect: verified, headersTimeout: idleTimeout }),
    };
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

export function socketsTo(operation: Operation, isBlocking: boolean): Sockets {
  const { server, run } = operation;
  const { system, title, address } = server;
  if (!isPrivate(server))
    warnOnce(
      run.log,
      `the ${title} sends the token of ${system} to ${address} over plain HTTP, where anyone on the network can read it. Use an https address.`,
    );
  const { caCert, clientCert, clientKey, tlsServerName } = server.credentials;
  const { connect, idleTimeout, maxConcurrentRequests } = run.limits;
  const identity = [address, caCert, clientCert, clientKey, tlsServerName];
  const key = JSON.stringify([...identity, isBlocking, connect, idleTimeout, maxConcurrentRequests]);
  const sockets = pools.get(key) ?? new Sockets(operation, isBlocking);
  pools.set(key, sockets);
  return sockets;
}

/** Loaded with the first request: a program that only declares resources never needs it. */
export const undici = (): typeof Undici => require("undici");
