import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type * as Undici from "undici";
import { bodyTooLarge, failureOf, transportError } from "./failure";
import { isWrite, Response, Sending } from "./request";
import { Sockets, undici } from "./sockets";

/** A complete response of any status. */
export interface Exchange extends Omit<Response, "body"> {
  /** The decompressed body. */
  text: string;
}

/** Sends a request once and reads the response. Without a complete one, throws an error that tells whether the request was sent. `isFirst`: no earlier attempt was. */
export async function exchange(
  { operation, request, token, secrets }: Sending,
  sockets: Sockets,
  signal: AbortSignal,
  isFirst: boolean,
): Promise<Exchange> {
  const { method, path, query, limits, body } = request;
  const sentBody = body === undefined ? null : JSON.stringify(body);
  let isSent = false;
  let response: Undici.Dispatcher.ResponseData | undefined;
  try {
    signal.throwIfAborted();
    const sending = undici().request(`${operation.server.address}${path}`, {
      dispatcher: sockets.dispatcher(() => {
        isSent = true;
      }),
      signal,
      headersTimeout: limits?.idleTimeout,
      bodyTimeout: limits?.idleTimeout,
      // A balancer of connections may choose another node for a new one.
      reset: !isFirst,
      method,
      query: Object.fromEntries(Object.entries(query ?? {}).filter(([, value]) => value !== undefined)),
      headers: {
        accept: "application/json",
        "accept-encoding": "gzip",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...request.headers(token),
      },
      body: sentBody,
    });
    response = await orAborted(sending, signal);
    const text = await readBody(response, limits?.bodyBytes ?? operation.run.limits.bodyBytes);
    return { status: response.statusCode, headers: response.headers, text };
  } catch (error) {
    const writes = isWrite(request);
    const nothingSent = !isSent && isFirst;
    const fail = failureOf(request, secrets);
    if (request.signal?.aborted)
      throw fail("ERR_ABORTED", "the program's AbortSignal aborted it", { outcomeUnknown: writes && isSent, nothingSent });
    const hasResponse = response !== undefined;
    throw transportError(error, operation.server, { writes, isSent, nothingSent, hasResponse, proxy: sockets.proxy }, fail);
  }
}

/** Reads and decompresses the body of a response. Throws an error with the code `bodyTooLarge` if it exceeds `most` bytes. */
async function readBody({ statusCode, body, headers }: Undici.Dispatcher.ResponseData, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const collect = async (source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > most) return;
      chunks.push(chunk);
    }
  };
  try {
    const zipped = String(headers["content-encoding"]).toLowerCase() === "gzip" && statusCode !== 204;
    await (zipped ? pipeline(body, createGunzip(), collect) : collect(body));
  } catch (error) {
    if (size <= most) throw error;
  }
  // The error of a stream that was not read to its end does not tell this.
  if (size > most) throw Object.assign(new Error(), { code: bodyTooLarge });
  return Buffer.concat(chunks).toString("utf8");
}

/** Undici observes a signal only after it has connected, which may take longer than the deadline. */
const orAborted = <T>(sending: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    sending.then(resolve, reject);
  });
