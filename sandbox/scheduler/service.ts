import { Service } from "../service";

/** A record of the scheduler with the property names of its API, where omitted fields are zero, empty or null as in the API. */
export interface SchedulerRecord {
  ID: string;
  /** @default "default"; nodes have none */
  Namespace?: string;
  [field: string]: unknown;
}

/** A server in the cluster. */
export interface SchedulerMember {
  Name: string;
  /** @default "127.0.0.1" */
  Addr?: string;
  /** @default 4648 */
  Port?: number;
  /** @default "alive" */
  Status?: string;
  Tags?: Record<string, string>;
  [field: string]: unknown;
}

/** A policy, which grants rights to client tokens. */
export interface SchedulerPolicy {
  name: string;
  /** The right to jobs and deployments by namespace, where "*" stands for all other namespaces. */
  namespaces?: Record<string, "read" | "write" | "deny">;
  /** Allows listing nodes. @default false */
  nodes?: boolean;
  /** Allows listing the members of the agent. @default false */
  agent?: boolean;
}

/** Data to add to the scheduler. */
export interface SchedulerSeed {
  /** The region of the jobs, deployments, nodes and members, which is created if necessary. @default "global" */
  region?: string;
  /** The jobs, whose namespaces are created if necessary. */
  jobs?: SchedulerRecord[];
  deployments?: SchedulerRecord[];
  nodes?: SchedulerRecord[];
  members?: SchedulerMember[];
  /** Additional namespaces. */
  namespaces?: string[];
  policies?: SchedulerPolicy[];
}

/** The namespace and the region of a record. */
export interface SchedulerPlace {
  /** @default "default" */
  namespace?: string;
  /** @default "global" */
  region?: string;
}

/** Functions to change records of one kind outside the API. Each change raises the index and wakes blocking queries. */
export interface SchedulerRecords {
  /** Sets fields of a record, and throws a TypeError if the record does not exist. */
  change(id: string, fields: Record<string, unknown>, place?: SchedulerPlace): void;
  /** Removes a record, and throws a TypeError if the record does not exist. */
  remove(id: string, place?: SchedulerPlace): void;
}

/** A token to mint. */
export interface SchedulerTokenRequest {
  /** @default "" */
  name?: string;
  /** @default "client" */
  type?: "client" | "management";
  /** The policies of a client token, where an unknown policy grants no rights. */
  policies?: string[];
  /** Makes the token valid in all regions. @default false */
  global?: boolean;
  /** The lifetime in milliseconds, by the sandbox's clock. If it is omitted, the token never expires. */
  ttl?: number;
}

/**
 * The scheduler, with functions to control it outside its API. `token` is a management token. At the start, the region `global` contains:
 *
 * - the server `scheduler-1.global`
 * - the nodes `client-1` and `client-2`
 * - the service jobs `web` and `api` and the periodic batch job `backup` in the namespace `default`
 * - the service job `web` in the namespace `apps`
 * - a successful deployment of each service job, and a canceled one of `web` in `default`
 * - the policy `readonly`
 */
export interface SchedulerService extends Service {
  /**
   * Adds items, or replaces items with the same identity. The identity of a record is its namespace and ID, that of a member or a policy its
   * name. Each record raises the index.
   */
  seed(content: SchedulerSeed): void;
  jobs: SchedulerRecords;
  deployments: SchedulerRecords;
  /** Nodes have no namespace. */
  nodes: SchedulerRecords;
  tokens: {
    mint(request?: SchedulerTokenRequest): { accessor: string; secret: string };
    /** Returns false if the token does not exist. */
    revoke(accessor: string): boolean;
  };
  /** Sets the lag of stale reads in milliseconds, which is 0 at the start. */
  setStaleness(milliseconds: number): void;
  /** Removes the leader. Until `electLeader`, only stale reads succeed. */
  loseLeader(): void;
  electLeader(): void;
}
