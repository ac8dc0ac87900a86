import { ConnectionArgs, onlyConnection } from "../inputs";
import { read } from "../program/invoke";
import { ReadFunction } from "../read-function";
import { callUnchanged, system } from "./client";

/** Options of {@link getAgentMembers}. */
export interface GetAgentMembersOptions extends ConnectionArgs {}

export const agentMembers: ReadFunction<GetAgentMembersOptions, unknown> = {
  token: "scheduler:getAgentMembers",
  operation: "Cannot read the members of the agent",
  system,
  options: onlyConnection,
  property: "members",
  run: (operation) => callUnchanged(operation, { method: "GET", path: "/v1/agent/members", retry: "exceptOn5xx" }, "members"),
};

/**
 * Reads the members that the agent at the connection's address knows: `GET /v1/agent/members`. Returns the response unchanged. Other agents of
 * the cluster may know other members. The function also runs in previews. Throws {@link StewardError}.
 * @permissions A Nomad token with this ACL policy:
 * ```hcl
 * node {
 *   policy = "read"
 * }
 * ```
 */
export function getAgentMembers(options: GetAgentMembersOptions = {}): Promise<unknown> {
  return read(agentMembers, options);
}
