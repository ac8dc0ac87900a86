import { List, ListOptions, ListReadFunction, list, listFunction } from "./list";

/** What a list shows of a node, with the scheduler's own names, and all that it sent beside these. */
export interface NodeStub {
  /** A UUID. */
  ID: string;
  /** Its host. In a filter, which sees the full record, this is `HTTPAddr`, with the port. */
  Address: string;
  /** Nomad shows this, and all that follows; the API document does not. */
  Name?: string;
  Datacenter?: string;
  NodePool?: string;
  NodeClass?: string;
  /** `initializing`, `ready`, `down`, … */
  Status?: string;
  /** The same in the scheduler's words; mostly empty. */
  StatusDescription?: string;
  /** `eligible` or `ineligible`. */
  SchedulingEligibility?: string;
  /** Whether its allocations are moved away. */
  Drain?: boolean;
  /** The version of the agent. */
  Version?: string;
  CreateIndex?: number;
  ModifyIndex?: number;
  [field: string]: unknown;
}

/** @internal */
export const nodes: ListReadFunction<NodeStub> = listFunction("nodes");

/**
 * All nodes: `GET /v1/nodes`. Pages are fetched as they are needed; one that moves to another page meanwhile is given once. Reads in a preview as
 * well. Nodes have no namespace. Throws {@link StewardError}; what the server answers with 5xx is not sent again.
 */
export function listNodes(options: ListOptions = {}): List<NodeStub> {
  return list(nodes, options);
}
