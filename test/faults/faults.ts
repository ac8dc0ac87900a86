import { Sandbox } from "../../sandbox/index";
import { FaultProxy } from "./fault-proxy";

type Ordered = Parameters<Sandbox["faults"]["add"]>[0];

/** Which request of an operation meets the fault, with those after it that have its method and path: its maxRetries. */
export interface Where {
  system: Ordered["system"];
  method: string;
  path: string;
  /** The how manieth of this method and path, from 1. */
  nth: number;
  /** How many requests went before it. */
  before: number;
}

/** What can happen to a request. */
export interface Fault {
  name: string;
  order(where: Where, sandbox: Sandbox, door: FaultProxy): void;
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
  { name: "refused", order: ({ before }, _, door) => door.closeAfter(Math.max(0, before)) },
  fault("lost before", { action: "drop-before" }),
  fault("lost after", { action: "drop-after" }),
  refusal(401),
  refusal(403),
  // Not the API's own, which says that the object is gone.
  refusal(404),
  // Once: whoever is patient gets through.
  refusal(429, { "retry-after": "0" }, 1),
  refusal(500),
  refusal(503),
  fault("slow", { action: "delay", delayMs: 80 }),
  fault("HTML", { action: "respond", status: 200, body: "<html>Please log in.</html>", headers: { "content-type": "text/html" } }),
  fault("truncated", { action: "truncate" }),
  fault("50 MB", { action: "huge" }),
  fault("redirect", { action: "redirect", headers: { location: "http://127.0.0.1:9/elsewhere" } }),
];
