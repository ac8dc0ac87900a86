import { ReadFunction } from "../contract/function";
import { strictObject } from "../contract/inputs";
import { read } from "../program/invoke";
import { callUnchanged, ServerOptions, serverShape, system } from "./client";

/** Options of {@link getAgentMembers}. */
export interface GetAgentMembersOptions extends ServerOptions {}

export const agentMembers: ReadFunction<GetAgentMembersOptions, unknown> = {
  token: "scheduler:getAgentMembers",
  operation: "Cannot read the members of the agent",
  system,
  options: strictObject(serverShape),
  property: "members",
  run: (operation) => callUnchanged(operation, { method: "GET", path: "/v1/agent/members", retry: "exceptOn5xx" }, "members"),
};

/**
 * Reads the cluster members that the agent at the connection's address knows, with `GET /v1/agent/members`. The function returns the
 * response unchanged, and the other agents of the cluster may know different members. It also runs in previews, and throws a
 * {@link StewardError} if the request fails.
 * @permissions The connection needs a Nomad token with this ACL policy:
 * ```hcl
 * node {
 *   policy = "read"
 * }
 * ```
 */
export function getAgentMembers(options: GetAgentMembersOptions = {}): Promise<unknown> {
  return read(agentMembers, options);
}
