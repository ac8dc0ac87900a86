import { Limits } from "../contract/limits";
import { Operation, Writer } from "../contract/operation";
import { Json } from "../text/json";

/**
 * The failures after which a request is retried:
 *
 * - `idempotent`: broken connections, inactive nodes of a cluster, 429 and 503.
 * - `exceptOn5xx`: broken connections, inactive nodes and 429.
 * - `only429`: 429, which means that nothing was applied. For requests that are not idempotent.
 * - `never`: none. For optional reads, and for callers that read before they retry: see `delayAfter429`.
 */
export type Retry = "idempotent" | "exceptOn5xx" | "only429" | "never";

export interface Request {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below the address, with encoded segments: `/v1/scheduler/role/web`. */
  path: string;
  /** The parameters. One that is undefined is not sent. */
  query?: Record<string, string | undefined>;
  /** The headers of this request, where undefined ones are not sent. The token is read once for all its attempts. */
  headers(token: string | undefined): Record<string, string | undefined>;
  /** The body, which is sent as JSON. */
  body?: Json;
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

/** The operation that a client's request takes: any for a read. */
export type Sender<Sent extends Pick<Request, "method">> = Sent["method"] extends "GET" ? Operation : Writer;

export interface Response {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The parsed JSON. Undefined for an empty response. */
  body: unknown;
}

/** A request with what all its attempts share. */
export interface Sending {
  operation: Operation;
  request: Request;
  token: string | undefined;
  /** The strings that no error may contain. */
  secrets: readonly string[];
}

export const isWrite = ({ method }: Request): boolean => method !== "GET";
