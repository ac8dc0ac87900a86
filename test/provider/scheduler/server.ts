import { createServer, IncomingMessage, Server, ServerResponse } from "node:http";
import { AddressInfo } from "node:net";
import { StewardError } from "../../../provider/errors";
import { system } from "../../../provider/scheduler/client";

/** A received request. */
export interface Asked {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingMessage["headers"];
  body: string;
  request: IncomingMessage;
}

type Answer = (asked: Asked, response: ServerResponse, count: number) => unknown;

const servers: Server[] = [];

/** Starts a server for responses that Nomad cannot be made to send. The connection `default` uses it. */
export async function serve(answer: Answer, dialect = "standard"): Promise<Asked[]> {
  const seen: Asked[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { pathname, searchParams } = new URL(request.url ?? "", "http://scheduler");
    const { method = "", headers } = request;
    const asked = { method, path: pathname, query: Object.fromEntries(searchParams), headers, body, request };
    answer(asked, response, seen.push(asked));
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  pointAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "canary-token", dialect);
  return seen;
}

function pointAt(url: string, token: string, dialect: string): void {
  forget();
  for (const { address, prefix } of system.variables.filter((row) => row.dialect === dialect))
    Object.assign(process.env, { [address]: url, [`${prefix}_TOKEN`]: token });
}

const forget = (): void => {
  for (const name of Object.keys(process.env))
    if (system.variables.some(({ prefix }) => name.startsWith(`${prefix}_`))) delete process.env[name];
};

export async function closeAll(): Promise<void> {
  forget();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
}

/** Responds with a list as the API document describes it. */
export function answerList(
  response: ServerResponse,
  items: unknown,
  headers: Record<string, string | number> = { "X-Scheduler-Index": 7 },
): void {
  response
    .writeHead(200, { "content-type": "application/json", ...headers })
    .end(typeof items === "string" ? items : JSON.stringify(items));
}

export const failure = async (promise: Promise<unknown>): Promise<StewardError> => {
  const error = await promise.then(
    () => Promise.reject(new Error("it succeeded")),
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(StewardError);
  expect(error.message).not.toContain("canary");
  return error;
};
