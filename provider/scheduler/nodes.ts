import { List, ListOptions, ListReadFunction, list, listFunction } from "./list";

/** A node in a list, with Nomad's property names and all further properties of the response. */
export interface NodeStub {
  /** The id, a UUID. */
  ID: string;
  /** The host. A filter applies to the full record, where this is `HTTPAddr`, with the port. */
  Address: string;
  /** The name. Nomad returns it and the following properties, which the API specification does not have. */
  Name?: string;
  Datacenter?: string;
  NodePool?: string;
  NodeClass?: string;
  /** The status: `initializing`, `ready`, `down`, … */
  Status?: string;
  /** Nomad's description of the status, usually empty. */
  StatusDescription?: string;
  /** The scheduling eligibility: `eligible` or `ineligible`. */
  SchedulingEligibility?: string;
  /** True if the node is draining. */
  Drain?: boolean;
  /** The version of the agent. */
  Version?: string;
  CreateIndex?: number;
  ModifyIndex?: number;
  [field: string]: unknown;
}

export const nodes: ListReadFunction<NodeStub> = listFunction("nodes");

/**
 * Lists all nodes: `GET /v1/nodes`. Pages are fetched on demand. A node that moves to a different page in the meantime is returned once. Nodes have
 * no namespace. The function also runs in previews. Throws {@link StewardError}. A 5xx response is not retried.
 * @permissions A Nomad token with this ACL policy:
 * ```hcl
 * node {
 *   policy = "read"
 * }
 * ```
 */
export function listNodes(options: ListOptions = {}): List<NodeStub> {
  return list(nodes, options);
}
