import { createServer, Server as HttpServer, STATUS_CODES } from "node:http";
import { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { Clock } from "./clock";
import { Fault, Faults } from "./faults";
import { Log } from "./log";

/** The connection is closed instead of sending a response with this header, as after a panic in Nomad. */
export const dropHeader = "x-sandbox-drop";

export interface System {
  name: Fault["system"];
  fetch(request: Request): Response | Promise<Response>;
}

export interface Listener {
  url: string;
  close(): Promise<void>;
}

export interface Server extends Listener {
  /** Closes all connections. The server continues to listen. */
  drop(): void;
}

/** The result of a request. `cut` closes the connection before the response or in the middle of it. */
interface Outcome {
  response: Response;
  cut?: "whole" | "half";
}

/** Starts a server. Each request passes the log and the faults, then the system. */
export async function listen(system: System, port: number, shared: { log: Log; faults: Faults; clock: Clock }): Promise<Server> {
  const { log, faults, clock } = shared;
  const closing = new AbortController();

  async function respond(request: Request, path: string): Promise<Outcome> {
    const entry = log.add(system.name, request.method, path);
    const fault = faults.take(system.name, request.method, path);
    const outcome = await act(fault, request);
    outcome.response.headers.set("date", clock.now().toUTCString());
    if (outcome.cut !== "whole") entry.status = outcome.response.status;
    return outcome;
  }

  async function act(fault: Fault | undefined, request: Request): Promise<Outcome> {
    const nothing = new Response(null);
    const made = (body: BodyInit | null, status: number, headers?: Record<string, string>): Outcome => ({
      response: new Response(body, { status: fault?.status ?? status, headers: { ...headers, ...fault?.headers } }),
    });
    switch (fault?.action) {
      case "refuse":
        return { response: nothing, cut: "whole" };
      case "drop-before":
        await request.arrayBuffer();
        return { response: nothing, cut: "whole" };
      case "drop-after":
        return { response: await system.fetch(request), cut: "whole" };
      case "truncate":
        return { response: await system.fetch(request), cut: "half" };
      case "respond":
        return made(fault.body || null, 500);
      case "redirect":
        return made(null, 307);
      case "huge":
        return made(Readable.toWeb(Readable.from(huge())) as ReadableStream, 200, { "content-type": "application/json" });
      case "delay":
        // Rejects if the sandbox closes meanwhile.
        await setTimeout(fault.delayMs, undefined, { signal: closing.signal }).catch(() => undefined);
        return closing.signal.aborted ? { response: nothing, cut: "whole" } : { response: await system.fetch(request) };
      default: {
        const response = await system.fetch(request);
        return { response, cut: response.headers.has(dropHeader) ? "whole" : undefined };
      }
    }
  }

  const listener = getRequestListener(
    async (request, { incoming, outgoing }) => {
      const { response, cut } = await respond(request, incoming.url ?? "/");
      if (!cut) return response;
      if (cut === "half") await write(incoming.socket, response, cut);
      incoming.socket.destroy();
      outgoing.destroy();
      // Tells the adapter not to send a response.
      return new Response(null, { headers: { "x-hono-already-sent": "true" } });
    },
    // Do not replace the global Request and Response of the surrounding program.
    { overrideGlobalObjects: false },
  );
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));

  // Node's parser rejects the method LIST. The raw packets of the error contain the request.
  const unread = new WeakMap<Socket, { head: string; size: number; list: ReturnType<typeof parse> }>();
  server.on("clientError", async (error: Error & { rawPacket?: Buffer }, duplex) => {
    const socket = duplex as Socket;
    // The connection broke or timed out, so there is no request.
    if (!error.rawPacket) return void socket.destroy();
    const read = unread.get(socket) ?? { head: "", size: 0, list: "incomplete" as const };
    unread.set(socket, read);
    read.size += error.rawPacket.length;
    // The body is only counted: a LIST has none of use.
    if (read.list === "incomplete") {
      read.head += error.rawPacket.toString("latin1");
      read.list = parse(read.head);
    }
    const { list } = read;
    if (list === "incomplete" || (list && read.size < list.size)) return;
    if (!list) {
      if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
      return;
    }
    const { response, cut } = await respond(list.request, list.path);
    if (cut !== "whole") await write(socket, response, cut);
    socket.destroy();
  });

  const { url, close } = await bind(server, port);
  return {
    url,
    drop: () => server.closeAllConnections(),
    close() {
      closing.abort();
      return close();
    },
  };
}

/** Starts to listen on the loopback address. */
export async function bind(server: HttpServer, port: number): Promise<Listener> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Parses the head of a LIST request; undefined for any other request. `size` includes its body. */
function parse(text: string): { request: Request; path: string; size: number } | "incomplete" | undefined {
  if (!"LIST ".startsWith(text.slice(0, 5))) return undefined;
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return text.length > 65_536 ? undefined : "incomplete";
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const path = /^LIST (\/\S*) HTTP\/1\.[01]$/.exec(first)?.[1];
  if (!path) return undefined;
  try {
    const headers = new Headers(
      lines.map((line): [string, string] => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
    );
    const request = new Request(`http://${headers.get("host") ?? "127.0.0.1"}${path}`, { method: "LIST", headers });
    return { request, path, size: end + 4 + Number(headers.get("content-length") ?? 0) };
  } catch {
    return undefined;
  }
}

/** Writes a response to the socket. If it is cut, it announces the whole body but sends only a half. */
async function write(socket: Socket, response: Response, cut: "half" | undefined): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  const lines = [`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ""}`];
  response.headers.forEach((value, name) => {
    if (name !== "content-length") lines.push(`${name}: ${value}`);
  });
  lines.push(`content-length: ${body.length}`, "connection: close", "", "");
  const sent = Buffer.concat([Buffer.from(lines.join("\r\n"), "latin1"), cut ? body.subarray(0, body.length >> 1) : body]);
  await new Promise<void>((resolve) => (socket.destroyed ? resolve() : socket.end(sent, () => resolve())));
}

/** 50 MB that begin like JSON. */
function* huge(): Generator<Uint8Array> {
  yield Buffer.from('{"data":"');
  for (let megabyte = 0; megabyte < 50; megabyte++) yield Buffer.alloc(1_000_000, "x");
  yield Buffer.from('"}');
}
