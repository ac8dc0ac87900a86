import { once } from "node:events";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type * as Undici from "undici";
import { ErrorCode, StewardError } from "../contract/errors";
import { Limits } from "../contract/limits";
import { Operation, Writer } from "../contract/operation";
import { parsed } from "../text/json";
import * as failures from "./failure";
import { redact } from "./redaction";
import { Sockets, socketsTo, undici } from "./sockets";

/**
 * The failures after which a request is retried:
 *
 * - `idempotent`: broken connections, inactive nodes of a cluster, 429 and 503.
 * - `exceptOn5xx`: broken connections, inactive nodes and 429.
 * - `only429`: 429, which means that nothing was applied. For requests that are not idempotent.
 * - `never`: none. For optional reads, and for callers that read before they retry: see `delayAfter429`.
 */
export type Retry = "idempotent" | "exceptOn5xx" | "only429" | "never";

const retries: Record<Retry, { transportErrors: boolean; statuses: readonly number[] }> = {
  idempotent: { transportErrors: true, statuses: [429, 503] },
  exceptOn5xx: { transportErrors: true, statuses: [429] },
  only429: { transportErrors: false, statuses: [429] },
  never: { transportErrors: false, statuses: [] },
};

/** The operation that a client's request takes: any for a read. */
export type Sender<Sent extends Pick<Request, "method">> = Sent["method"] extends "GET" ? Operation : Writer;

export interface Request {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below the address, with encoded segments: `/v1/scheduler/role/web`. */
  path: string;
  /** The parameters. One that is undefined is not sent. */
  query?: Record<string, string | undefined>;
  /** The headers of this request, where undefined ones are not sent. The token is read once for all its attempts. */
  headers(token: string | undefined): Record<string, string | undefined>;
  /** The body, which is sent as JSON. */
  body?: unknown;
  retry: Retry;
  /** Aborts the request and its retries. */
  signal?: AbortSignal;
  /** True for a blocking query, which may take minutes and must not occupy a slot. */
  isBlocking?: boolean;
  /** Limits for a slow or large response. */
  limits?: Partial<Pick<Limits, "idleTimeout" | "deadline" | "bodyBytes">>;
  /** Parses the response. Throws if it is not JSON. The default is `JSON.parse`. */
  parse?(text: string): unknown;
}

/** A request without the headers, which its system adds. */
export interface ApiRequest extends Omit<Request, "headers"> {
  /** A system deletes only with a claim. */
  method: Exclude<Request["method"], "DELETE">;
}

export interface Response {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The parsed JSON. Undefined for an empty response. */
  body: unknown;
}

/** Sends a request. Returns a 2xx response, and throws for any other. All HTTP requests go through here. */
export async function send(operation: Operation, request: Request): Promise<Response> {
  const token = operation.server.credentials.token();
  const secrets = [...operation.secrets.values, token ?? "", operation.server.credentials.clientKey ?? ""];
  const sockets = socketsTo(operation, request.isBlocking ?? false);
  let hasSlot = false;
  const release = (): void => {
    if (hasSlot) sockets.releaseSlot();
    hasSlot = false;
  };
  const deadline = request.limits?.deadline ?? operation.run.limits.deadline;
  let left = deadline;
  const before = { isSent: false, outcomeUnknown: false };
  try {
    for (let attempt = 0; ; attempt++) {
      hasSlot ||= await sockets.takeSlot(request.signal);
      const begin = Date.now();
      const outcome = await withDeadline(begin + left, [request.signal], (signal) =>
        sendOnce(operation, { request, token, secrets, sockets, signal, isFirst: !before.isSent }),
      ).catch(requestError);
      const isLimited = outcome.status === 429;
      if (outcome.status !== undefined) sockets.limitedSince = isLimited ? (sockets.limitedSince ?? begin) : undefined;
      if (!(outcome instanceof StewardError)) return outcome;
      const now = Date.now();
      if (!isLimited) left -= now - begin;
      const pause = retryDelay(operation, outcome, attempt, request.retry);
      // A limited rate is no failure while the server serves other requests.
      const end = isLimited ? (sockets.limitedSince ?? begin) + deadline : now + left;
      if (pause === undefined || now + pause > end) throw before.outcomeUnknown ? withDoubt(outcome) : outcome;
      // The last attempt may have failed early, but an earlier one may have been applied.
      before.isSent ||= !outcome.details.nothingSent;
      before.outcomeUnknown ||= outcome.details.outcomeUnknown ?? false;
      // The limit applies to the waiting requests as well, so this one keeps its slot.
      if (!isLimited) release();
      // If the program aborts during the pause, the next attempt throws.
      if (!(await pauseFor(operation, pause, request.signal))) throw before.outcomeUnknown ? withDoubt(outcome) : outcome;
      if (!isLimited) left -= pause;
      // The result of an action could not be saved.
      if (request.retry === "only429") await operation.run.engine.assertAlive();
    }
  } finally {
    release();
  }
}

/** Waits, until one of the signals ends it. Returns false if the user cancels the run. */
export async function pauseFor({ run: { engine } }: Pick<Operation, "run">, milliseconds: number, signal?: AbortSignal): Promise<boolean> {
  const ended = async (either: AbortSignal): Promise<unknown> => either.aborted || once(either, "abort");
  await withDeadline(Date.now() + milliseconds, [signal, engine.canceled], ended);
  return !engine.canceled?.aborted;
}

/** Returns the error of a request, and throws any other. */
function requestError(error: unknown): StewardError {
  if (error instanceof StewardError) return error;
  throw error;
}

/** Marks the outcome of a failure as unknown, since the server may have applied an earlier attempt. */
function withDoubt(failure: StewardError): StewardError {
  if (failure.details.outcomeUnknown) return failure;
  return failure.with({
    code: failure.code === "ERR_UNREACHABLE" ? "ERR_NO_RESPONSE" : failure.code,
    outcomeUnknown: true,
    hint: `${failure.details.hint ?? ""} An earlier attempt got no response, and the server may have applied it.`.trim(),
  });
}

type Signals = readonly (AbortSignal | undefined)[];

/**
 * Runs an operation with one signal for a deadline and the given signals. It does not use AbortSignal.any(), since older Node garbage-collects the sources
 * during the wait.
 */
export async function withDeadline<T>(end: number, signals: Signals, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signals.find((each) => each?.aborted)?.reason);
  // The longest delay of a timer.
  const left = Math.min(Math.max(1, end - Date.now()), 2 ** 31 - 1);
  const timer = setTimeout(() => controller.abort(new DOMException("", "TimeoutError")), left);
  for (const each of signals) each?.addEventListener("abort", abort, { once: true });
  if (signals.some((each) => each?.aborted)) abort();
  try {
    return await attempt(controller.signal);
  } finally {
    clearTimeout(timer);
    for (const each of signals) each?.removeEventListener("abort", abort);
  }
}

function retryDelay({ run: { limits } }: Operation, error: StewardError, attempt: number, retry: Retry): number | undefined {
  const { transportErrors, statuses } = retries[retry];
  const { status, details } = error;
  const broken = status === undefined && (error.code === "ERR_UNREACHABLE" || error.code === "ERR_NO_RESPONSE");
  if (!(broken || failures.isInactiveNode(error) ? transportErrors : status !== undefined && statuses.includes(status))) return undefined;
  // After a 429, in an election, and with a Retry-After, only the deadline ends the attempts.
  const isCounted = (broken || status === 503) && failures.parseRetryAfter(details.retryAfter) === undefined;
  return isCounted && attempt >= limits.maxRetries ? undefined : pauseOf(limits, error, attempt);
}

/** The milliseconds until the next attempt, with jitter, so that resources do not retry all at once. */
const pauseOf = ({ initialBackoff, maxRetries }: Limits, { details }: StewardError, attempt: number): number =>
  (failures.parseRetryAfter(details.retryAfter) ?? 0) + initialBackoff * 2 ** Math.min(attempt, maxRetries) * (0.5 + Math.random() / 2);

/**
 * The milliseconds to wait after a 429 or an inactive node before a caller retries a request of the class `never`. Undefined after any other error.
 */
export const delayAfter429 = (limits: Limits, error: unknown, attempt: number): number | undefined =>
  error instanceof StewardError && (error.status === 429 || failures.isInactiveNode(error)) ? pauseOf(limits, error, attempt) : undefined;

interface Attempt {
  request: Request;
  token: string | undefined;
  secrets: readonly string[];
  sockets: Sockets;
  signal: AbortSignal;
  /** True if no earlier attempt was sent. */
  isFirst: boolean;
}

async function sendOnce(operation: Operation, { request, token, secrets, sockets, signal, isFirst }: Attempt): Promise<Response> {
  const { method, path } = request;
  const fail = (code: ErrorCode, reason: string, details: Partial<StewardError["details"]> = {}): StewardError =>
    new StewardError({
      code,
      method,
      path,
      ...details,
      reason: redact(reason, secrets),
      hint: details.hint && redact(details.hint, secrets),
    });
  const writes = method !== "GET";
  // Throws if the body contains a secret whose reference cannot be read.
  const sentBody = request.body === undefined ? null : JSON.stringify(request.body);

  let isSent = false;
  let response: Undici.Dispatcher.ResponseData | undefined;
  let text: string;
  try {
    signal.throwIfAborted();
    const sending = undici().request(`${operation.server.address}${path}`, {
      dispatcher: sockets.dispatcher(() => {
        isSent = true;
      }),
      signal,
      headersTimeout: request.limits?.idleTimeout,
      bodyTimeout: request.limits?.idleTimeout,
      // A balancer of connections may choose another node for a new one.
      reset: !isFirst,
      method,
      query: Object.fromEntries(Object.entries(request.query ?? {}).filter(([, value]) => value !== undefined)),
      headers: {
        accept: "application/json",
        "accept-encoding": "gzip",
        ...(request.body === undefined ? {} : { "content-type": "application/json" }),
        ...request.headers(token),
      },
      body: sentBody,
    });
    response = await orAborted(sending, signal);
    text = await readBody(response, request.limits?.bodyBytes ?? operation.run.limits.bodyBytes);
  } catch (error) {
    const nothingSent = !isSent && isFirst;
    if (request.signal?.aborted)
      throw fail("ERR_ABORTED", "the program's AbortSignal aborted it", { outcomeUnknown: writes && isSent, nothingSent });
    const hasResponse = response !== undefined;
    throw failures.transportError(error, operation, { writes, isSent, nothingSent, hasResponse, proxy: sockets.proxy }, fail);
  }

  const { statusCode: status, headers } = response;
  if (status >= 300 && status < 400) throw failures.redirected(operation.server.address, status, headers.location, writes, fail);
  const isDone = status >= 200 && status < 300;
  const body = parsed(text, (isDone && request.parse) || JSON.parse);
  if (isDone) {
    if (body !== undefined || text === "") return { status, headers, body };
    throw fail("ERR_UNEXPECTED_RESPONSE", failures.isHtml(text) ? "the response is a web page" : "the response is not JSON", {
      rule: failures.isHtml(text) ? failures.webPage : failures.notJson,
      status,
      hint: `Check that ${operation.server.address} is the address of the ${operation.server.system} API, not of a proxy or a login page.`,
      outcomeUnknown: writes,
    });
  }
  const retryAfter = headers["retry-after"] ?? headers["x-ratelimit-reset"];
  const reason = failures.serverReason(body, text, secrets);
  const cause = reason || (failures.isHtml(text) ? "the response is a web page" : "the server returned no reason");
  throw fail(failures.errorCode(status), cause, {
    status,
    errorCount: failures.errorsIn(body)?.length,
    rule: failures.ruleOf(status, reason, text, token !== undefined),
    firstHint: request.query?.namespace === undefined ? failures.namespaceHint(status, operation.server) : undefined,
    hint: failures.hintFor(status, operation.server, token !== undefined),
    outcomeUnknown: writes && status >= 500 && status !== 503,
    ...(typeof retryAfter === "string" ? { retryAfter } : {}),
  });
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
  if (size > most) throw Object.assign(new Error(), { code: failures.bodyTooLarge });
  return Buffer.concat(chunks).toString("utf8");
}

/** Undici observes a signal only after it has connected, which may take longer than the deadline. */
const orAborted = <T>(sending: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    sending.then(resolve, reject);
  });
