import type * as Undici from "undici";
import { isPrivate, Operation } from "../contract/operation";
import { warnOnce } from "../text/log";
import { ProxyServer, proxyFor } from "./proxy";

/** The keep-alive sockets to a server, with one set of certificates. Each request takes a slot, first in, first out. */
export class Sockets {
  readonly proxy: ProxyServer | undefined;
  /** The time since which the server responds to every request with 429. */
  private limitedSince: number | undefined;
  private taken = 0;
  private readonly waiting = new Set<() => void>();
  private pool: Undici.Dispatcher | undefined;

  /** `isBlocking`: for blocking queries. Their number is unlimited, since each may take minutes. */
  constructor(
    private readonly operation: Operation,
    private readonly isBlocking: boolean,
  ) {
    this.proxy = proxyFor(operation.server.address, process.env);
  }

  /** The slot of a request. `take` waits for it, unless the request has it already. If the signal ends the wait, the request has none. */
  slot(signal: AbortSignal | undefined): { take(): Promise<void>; release(): void } {
    let isTaken = false;
    const take = (): Promise<void> =>
      new Promise((resolve) => {
        if (isTaken || signal?.aborted) return resolve();
        const enter = (): void => {
          isTaken = true;
          this.taken++;
          resolve();
        };
        if (this.isBlocking || this.taken < this.operation.run.limits.maxConcurrentRequests) return enter();
        this.waiting.add(enter);
        signal?.addEventListener("abort", () => this.waiting.delete(enter) && resolve(), { once: true });
      });
    const release = (): void => {
      if (isTaken) this.release();
      isTaken = false;
    };
    return { take, release };
  }

  /** Passes a slot to the first waiting request. */
  private release(): void {
    this.taken--;
    const [next] = this.waiting;
    if (next) this.waiting.delete(next);
    next?.();
    if (this.taken === 0) this.limitedSince = undefined;
  }

  /**
   * Records the status of a response to an attempt that began at this time. After a 429, returns the time since which the server has rejected every request.
   */
  recordStatus(status: number, begin: number): number | undefined {
    this.limitedSince = status === 429 ? (this.limitedSince ?? begin) : undefined;
    return this.limitedSince;
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

  private open(): Undici.Dispatcher {
    const { server, run } = this.operation;
    const { caCert, clientCert, clientKey, tlsServerName } = server.credentials;
    const { connect: timeout, idleTimeout, maxConcurrentRequests } = run.limits;
    const { Agent, buildConnector, Pool, ProxyAgent } = undici();
    // Overrides NODE_TLS_REJECT_UNAUTHORIZED.
    const verified = { rejectUnauthorized: true };
    const tls = { ca: caCert, cert: clientCert, key: clientKey, servername: tlsServerName, ...verified };
    const options: Undici.Agent.Options = {
      connections: this.isBlocking ? null : maxConcurrentRequests,
      headersTimeout: idleTimeout,
      bodyTimeout: idleTimeout,
    };
    if (!this.proxy) return new Agent({ ...options, connect: buildConnector({ timeout, ...tls }) });
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
    return new ProxyAgent({
      ...options,
      uri: this.proxy.uri,
      requestTls: tls,
      clientFactory: (proxy, poolOptions) => new ProxyPool(proxy, { ...poolOptions, connect: verified, headersTimeout: idleTimeout }),
    });
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
