import { Sandbox } from "../../../sandbox/index";
import { Gateway } from "../../support/gateway";

type Ordered = Parameters<Sandbox["faults"]["add"]>[0];

/** The request of an operation that meets the fault, together with its retries, which have the same method and path. */
export interface Where {
  system: Ordered["system"];
  method: string;
  path: string;
  /** The number of the request with this method and path, from 1. */
  nth: number;
  /** The number of requests before it. */
  before: number;
}

export interface Fault {
  name: string;
  order(where: Where, sandbox: Sandbox, gateway: Gateway): void | Promise<void>;
}

const everyTime = Number.POSITIVE_INFINITY;
const fault = (name: string, ordered: Omit<Ordered, "system" | "method" | "path">): Fault => ({
  name,
  order: ({ system, method, path, nth }, sandbox) => sandbox.faults.add({ system, method, path, nth, times: everyTime, ...ordered }),
});
const refusal = (status: number, headers?: Record<string, string>, times?: number): Fault =>
  fault(String(status), {
    action: "respond",
    status,
    body: status === 404 ? "404 page not found" : JSON.stringify({ errors: ["not today"] }),
    headers,
    ...(times === undefined ? {} : { times }),
  });

export const faults: readonly Fault[] = [
  { name: "refused", order: ({ before }, _, gateway) => gateway.closeAfter(Math.max(0, before)) },
  fault("lost before", { action: "drop-before" }),
  fault("lost after", { action: "drop-after" }),
  refusal(401),
  refusal(403),
  // Not the 404 of the API, which means that the object is deleted.
  refusal(404),
  // Only once: a retry succeeds.
  refusal(429, { "retry-after": "0" }, 1),
  refusal(500),
  refusal(503),
  fault("slow", { action: "delay", delayMs: 80 }),
  fault("HTML", { action: "respond", status: 200, body: "<html>Please log in.</html>", headers: { "content-type": "text/html" } }),
  fault("foreign JSON", { action: "respond", status: 200, body: '{"message":"maintenance"}' }),
  fault("control group", { action: "respond", status: 200, body: '{"lease_id":"","data":null,"wrap_info":{"token":"w"}}' }),
  fault("truncated", { action: "truncate" }),
  fault("50 MB", { action: "huge" }),
  fault("redirect", { action: "redirect", headers: { location: "http://127.0.0.1:9/elsewhere" } }),
];
