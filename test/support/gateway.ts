import { ClientRequest, createServer, IncomingMessage, ServerResponse, request as send } from "node:http";
import { AddressInfo } from "node:net";
import { Wire, wireOf } from "./rekey-wire";

/** A request on its way to the server. */
export interface Passing {
  method: string;
  path: string;
  /** The number of requests with this method and path, including this one. */
  nth: number;
  /** The number of all requests. */
  count: number;
  namespace?: string;
}

/**
 * The fault of a request, `before` the server receives it or `after` its response. Then the connection is closed, unless another response replaces
 * the server's, or a standby redirects.
 */
export interface Interruption {
  when: "before" | "after";
  act?(): Promise<void> | void;
  answer?(body: string): string;
  /** Holds the request until `deliver`, like a request that a killed process had already sent. */
  late?: boolean;
  /** Responds like a standby of Vault that could not forward the request, or lost the active node's response. */
  redirects?: boolean;
}

export interface Gateway {
  url: string;
  /** Called for each request from now on. Undefined lets it pass. */
  interrupt?: (passing: Passing) => Interruption | undefined;
  /** Interrupts each request like `PUT sys/rekey/update`, or only the nth from now on. */
  on(request: string, interruption: Interruption, nth?: number): void;
  requests: Passing[];
  /** Sends a held request to the server. */
  deliver?: () => Promise<void>;
  /** Refuses connections after this many more responses, like a port without a listener. */
  closeAfter(count: number): Promise<void>;
  /** Accepts connections again, on the same port. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** Makes the server seem to be an OpenBao before 2.6, which keeps shares that it cannot combine until the attempt ends. `kept`: it keeps some now. */
export function keepsUncombined(gateway: Gateway, kept = false): void {
  let keeps = kept;
  gateway.interrupt = ({ method, path }) => {
    if (method !== "GET" && path.endsWith("/rekey/init")) keeps = false;
    const answer = (body: string): string => {
      if (body.includes("failed to compute key")) keeps = true;
      if (!keeps || !path.endsWith("/rekey/init")) return body;
      const status = JSON.parse(body);
      return JSON.stringify({ ...status, progress: status.required });
    };
    return /\/rekey\/(init|update)$/.test(path) ? { when: "after", answer } : undefined;
  };
}

/** A changed response. The test receives the fields in its own names. */
function changed(text: string, answer: (body: string) => string, { fields, wrapped }: Wire): string {
  const json = (body: string): unknown => {
    try {
      return JSON.parse(body);
    } catch {
      return undefined;
    }
  };
  const before = json(text);
  const other = answer(before === undefined ? text : JSON.stringify(fields(before)));
  const after = json(other);
  return after === undefined ? other : JSON.stringify(wrapped(after as object, before));
}

/** Starts a gateway in front of a server, the sandbox or a real one, which causes faults. */
export async function startGateway(address: string, wire: Wire = wireOf("standard")): Promise<Gateway> {
  const seen = new Map<string, number>();
  const sent = new Set<ClientRequest>();
  /** The number of responses until it closes. */
  let left = Number.POSITIVE_INFINITY;
  const cut = (incoming: IncomingMessage): void => void incoming.socket.destroy();

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "GET", url: path = "/", headers } = incoming;
    const [verb, place] = wire.named(method, path);
    const key = `${verb} ${place}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    const namespace = headers["x-vault-namespace"] as string | undefined;
    const passing: Passing = { method: verb, path: place, nth: seen.get(key) ?? 1, count: gateway.requests.length + 1, namespace };
    gateway.requests.push(passing);
    const body = Buffer.concat(await incoming.toArray());
    const interruption = gateway.interrupt?.(passing);
    const end = ({ redirects }: Interruption): void => {
      if (redirects) outgoing.writeHead(307, { location: `http://active.invalid:8200${path}` }).end();
      else cut(incoming);
    };
    const options = { method, headers: { ...headers, host: new URL(address).host, "accept-encoding": "identity" } };
    if (interruption?.when === "before") {
      if (interruption.late)
        gateway.deliver = () =>
          new Promise((done) => {
            gateway.deliver = undefined;
            send(new URL(path, address), options, (response) => response.resume().on("end", done))
              .on("error", () => done())
              .end(body);
          });
      await interruption.act?.();
      return end(interruption);
    }
    const upstream = send(new URL(path, address), options, async (response) => {
      const answer = Buffer.concat(await response.toArray());
      // A connection that is kept alive would still work after the gateway is closed.
      const more = Number.isFinite(left) ? { connection: "close" } : {};
      if (--left <= 0) server.close();
      if (interruption) {
        await interruption.act?.();
        if (!interruption.answer) return end(interruption);
        const text = changed(answer.toString(), interruption.answer, wire);
        return void outgoing.writeHead(response.statusCode ?? 502, { "content-type": "application/json" }).end(text);
      }
      outgoing.writeHead(response.statusCode ?? 502, { ...response.headers, ...more }).end(answer);
    });
    sent.add(upstream);
    upstream.on("close", () => sent.delete(upstream));
    upstream.on("error", () => cut(incoming));
    upstream.end(body);
  }

  const server = createServer((incoming, outgoing) => void handle(incoming, outgoing).catch(() => cut(incoming)));
  const listen = (port: number): Promise<void> => new Promise((done) => server.listen(port, "127.0.0.1", done));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const gateway: Gateway = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    on(request, interruption, nth) {
      let count = 0;
      gateway.interrupt = ({ method, path }) =>
        `${method} ${path.replace("/v1/", "")}` === request && [undefined, ++count].includes(nth) ? interruption : undefined;
    },
    async closeAfter(count) {
      left = count;
      if (count === 0) await gateway.close();
    },
    async reopen() {
      left = Number.POSITIVE_INFINITY;
      if (!server.listening) await listen(port);
    },
    async close() {
      const closed = new Promise<void>((done) => server.close(() => done()));
      server.closeAllConnections();
      // A response that the server holds, as for a blocking query, would outlast the test.
      for (const upstream of sent) upstream.destroy();
      await closed;
    },
  };
  return gateway;
}
