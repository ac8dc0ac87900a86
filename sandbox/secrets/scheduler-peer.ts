/** What the engine asks a scheduler to make. */
export interface TokenRequest {
  name: string;
  type: "client" | "management";
  policies: string[];
  global: boolean;
}

/** The scheduler beside the service, which an engine reaches in this process. What it refuses is an error with the status and the sentence of its answer. */
export interface SchedulerPeer {
  /** Where it listens; empty as long as it does not. */
  readonly url: string;
  /** `secret`: of the token that asks. */
  create(secret: string, request: TokenRequest): { accessor: string; secret: string };
  remove(secret: string, accessor: string): void;
}
