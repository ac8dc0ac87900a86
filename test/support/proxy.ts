import { createServer, IncomingMessage, request as send } from "node:http";
import { AddressInfo } from "node:net";

/** Decides on a request: the server that receives it, with more headers, or the status of a refusal. */
type Route = (incoming: IncomingMessage) => Promise<{ address: string; headers?: Record<string, string> } | 403>;

/** Starts a proxy in front of real servers. `statuses` are those of their responses. */
export async function startProxy(route: Route): Promise<{ url: string; statuses: Set<number>; close(): void }> {
  const statuses = new Set<number>();
  const server = createServer(async (incoming, outgoing) => {
    const target = await route(incoming);
    if (target === 403) return outgoing.writeHead(403, { "content-type": "application/json" }).end('{"errors":["permission denied"]}');
    const { host } = new URL(target.address);
    const options = { method: incoming.method, headers: { ...incoming.headers, ...target.headers, host } };
    const upstream = send(new URL(String(incoming.url), target.address), options, (response) => {
      statuses.add(response.statusCode as number);
      response.pipe(outgoing.writeHead(response.statusCode as number, response.headers));
    });
    incoming.pipe(upstream.on("error", () => incoming.socket.destroy()));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, statuses, close: () => server.close().closeAllConnections() };
}
