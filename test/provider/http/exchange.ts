import { createServer, IncomingMessage, RequestListener, Server } from "node:http";
import { AddressInfo, createServer as createTcpServer, Socket, Server as TcpServer } from "node:net";
import { Operation } from "../../../provider/contract/operation";
import { Request } from "../../../provider/http";
import { connectTo } from "../../support/connection";
import { limits } from "../../support/limits";

// A server with the responses of a test, and requests to it.

export type Answer = (request: IncomingMessage, response: Parameters<RequestListener>[1], count: number) => void;

/** Close the servers after each test. */
const closers: (() => Promise<unknown>)[] = [];
/** The received requests. */
export const seen: IncomingMessage[] = [];
/** The limits that the suite begins with, which each test may change. */
let usual: typeof limits;

beforeAll(() => {
  usual = { ...limits };
});
beforeEach(() => void seen.splice(0));
afterEach(async () => {
  Object.assign(limits, usual);
  for (const close of closers.splice(0)) await close();
});

export async function listen(server: TcpServer, drop = () => (server as Server).closeAllConnections()): Promise<number> {
  closers.push(() => {
    drop();
    return new Promise((done) => server.close(done));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return (server.address() as AddressInfo).port;
}

/** Starts a TCP server that passes each connection to `answer` after its first bytes. */
export async function listenTcp(answer: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    socket.once("data", () => answer(socket));
  });
  return listen(server, () => {
    for (const socket of sockets) socket.destroy();
  });
}

export async function serve(answer: Answer, settings: object = {}): Promise<Operation> {
  const port = await listen(createServer((request, response) => answer(request, response, seen.push(request))));
  return connection(`http://127.0.0.1:${port}`, settings);
}

/** Starts a server with these responses, and returns its address. */
export const serveAt = async (answer: Answer): Promise<string> => (await serve(answer)).server.address;

export function connection(address: string, settings: object = {}): Operation {
  // Later changes of the limits by a test apply to this connection, too.
  const operation = connectTo("secrets", { address, token: "canary-token", ...settings });
  return { ...operation, run: { ...operation.run, limits } };
}

export const get: Request = {
  method: "GET",
  path: "/v1/thing",
  headers: (token) => ({ "x-secrets-token": String(token) }),
  retry: "idempotent",
};
export const post: Request = { ...get, method: "POST", body: { value: 1 } };
export const ok = (response: Parameters<RequestListener>[1]): unknown =>
  response.setHeader("content-type", "application/json").end('{"fine":true}');
