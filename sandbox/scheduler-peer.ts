import { SchedulerTokenRequest } from "./scheduler/service";

/** A token that Vault creates. Its lease ends it, so it has no TTL. */
export type TokenRequest = Required<Omit<SchedulerTokenRequest, "ttl">>;

/** The sandbox's scheduler, called in this process. A rejected request throws an error with the status and the message of the response. */
export interface SchedulerPeer {
  /** The address. Empty while the scheduler does not listen. */
  readonly url: string;
  /** Creates a token. `secret`: a management token, which authorizes the request. */
  create(secret: string, request: TokenRequest): { accessor: string; secret: string };
  remove(secret: string, accessor: string): void;
}
