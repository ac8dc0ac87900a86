import { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { system } from "../../../provider/scheduler/client";
import { serveAt } from "../http/exchange";

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

afterEach(forget);

/** Starts a server for responses that Nomad cannot be made to send. The connection `default` uses it. */
export async function serve(answer: Answer, dialect = "standard"): Promise<Asked[]> {
  const seen: Asked[] = [];
  const url = await serveAt(async (request, response) => {
    const body = await text(request);
    const { pathname, searchParams } = new URL(request.url ?? "", "http://scheduler");
    const { method = "", headers } = request;
    const asked = { method, path: pathname, query: Object.fromEntries(searchParams), headers, body, request };
    answer(asked, response, seen.push(asked));
  });
  forget();
  for (const { address, prefix } of system.variables.filter((row) => row.dialect === dialect))
    Object.assign(process.env, { [address]: url, [`${prefix}_TOKEN`]: "canary-token" });
  return seen;
}

function forget(): void {
  for (const name of Object.keys(process.env))
    if (system.variables.some(({ prefix }) => name.startsWith(`${prefix}_`))) delete process.env[name];
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
