import { onlyConnection } from "../inputs";
import { read } from "../invoke";
import { ReadFunction } from "../read-function";
import { call, system } from "./client";

/** What {@link getAgentMembers} takes. */
export interface GetAgentMembersOptions {
  /**
   * Which connection of the stack's configuration, `steward:<connection>`, names the server.
   * @default "default"
   */
  connection?: string;
}

/** @internal */
export const agentMembers: ReadFunction<GetAgentMembersOptions, unknown> = {
  token: "scheduler:getAgentMembers",
  operation: "Cannot read the members of the agent",
  system,
  options: onlyConnection,
  property: "members",
  run: async (connection) => (await call(connection, { method: "GET", path: "/v1/agent/members", retry: "exceptOn5xx" })).body,
};

/**
 * The servers that the agent at the connection's address knows, as it sends them: `GET /v1/agent/members`. This is about that one agent, not about
 * the cluster. Reads in a preview as well. Throws {@link StewardError}.
 */
export function getAgentMembers(options: GetAgentMembersOptions = {}): Promise<unknown> {
  return read(agentMembers, options);
}
