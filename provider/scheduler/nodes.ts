import { List, ListOptions, ListReadFunction, list, listFunction } from "./list";

/** A node in a list, with Nomad's property names and all further properties of the response. */
export interface NodeStub {
  /** The id, a UUID. */
  ID: string;
  /** The host. A filter applies to the full record, where this field is `HTTPAddr` and includes the port. */
  Address: string;
  /** The name. The API specification lacks this and the following properties, which Nomad returns. */
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
 * Lists all nodes with `GET /v1/nodes`, which have no namespace. Pages are fetched on demand, and a node that moves to a different page in
 * the meantime is returned once. The function also runs in previews, does not retry a 5xx response, and throws a {@link StewardError} if a
 * request fails.
 * @permissions The connection needs a Nomad token with this ACL policy:
 * ```hcl
 * node {
 *   policy = "read"
 * }
 * ```
 */
export function listNodes(options: ListOptions = {}): List<NodeStub> {
  return list(nodes, options);
}
