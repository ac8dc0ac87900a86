import { onlyConnection } from "../inputs";
import { invoke } from "../invoke";
import { call, system } from "./client";

/** What {@link getAgentMembers} takes. */
export interface GetAgentMembersOptions {
  /**
   * Which connection of the stack's configuration, `steward:<connection>`, names the server.
   * @default "default"
   */
  connection?: string;
}

/**
 * The servers that the agent at the connection's address knows, as it sends them: `GET /v1/agent/members`. This is about that one agent, not about
 * the cluster. Reads in a preview as well. Throws {@link StewardError}.
 */
export function getAgentMembers(options: GetAgentMembersOptions = {}): Promise<unknown> {
  return invoke("Cannot read the members of the agent", system, { schema: onlyConnection, given: options }, async (connection) => {
    const { body } = await call(connection, { method: "GET", path: "/v1/agent/members", retry: "exceptOn5xx" });
    return body;
  });
}
