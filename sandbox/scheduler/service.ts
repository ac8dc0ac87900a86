import type { Service } from "../service";

/** A record of the scheduler, by the names that its API uses. Fields that are not given are zero, empty or null, as in the API. */
export interface SchedulerRecord {
  ID: string;
  /** @default "default"; nodes have none */
  Namespace?: string;
  [field: string]: unknown;
}

/** A member of the cluster of servers. */
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

/** What a token of type "client" that names the policy may do. */
export interface SchedulerPolicy {
  name: string;
  /** What its jobs and deployments allow, by namespace; "*" is every other one. */
  namespaces?: Record<string, "read" | "write" | "deny">;
  /** Nodes may be listed. @default false */
  nodes?: boolean;
  /** The agent may be asked for its members. @default false */
  agent?: boolean;
}

/** What the scheduler should hold. */
export interface SchedulerSeed {
  /** The region that jobs, deployments, nodes and members belong to; one that is new exists from then on. @default "global" */
  region?: string;
  /** Their namespaces exist from then on. */
  jobs?: SchedulerRecord[];
  deployments?: SchedulerRecord[];
  nodes?: SchedulerRecord[];
  members?: SchedulerMember[];
  /** Namespaces without a job in them. */
  namespaces?: string[];
  policies?: SchedulerPolicy[];
}

/** Where a record is. */
export interface SchedulerPlace {
  /** @default "default" */
  namespace?: string;
  /** @default "global" */
  region?: string;
}

/** One kind of record, changed behind the API. Each change raises the index and wakes the requests that wait for one. */
export interface SchedulerRecords {
  /** Sets these fields. Throws where there is no such record. */
  change(id: string, fields: Record<string, unknown>, place?: SchedulerPlace): void;
  /** Throws where there is no such record. */
  remove(id: string, place?: SchedulerPlace): void;
}

/** A token to mint. */
export interface SchedulerTokenRequest {
  /** @default "" */
  name?: string;
  /** @default "client" */
  type?: "client" | "management";
  /** Of a client token. One that does not exist allows nothing. */
  policies?: string[];
  /** Does it count in every region? @default false */
  global?: boolean;
  /** In milliseconds, by the sandbox's clock. Without it, the token never expires. */
  ttl?: number;
}

/**
 * The scheduler, with what happens behind its API. `token` is a management token.
 *
 * It starts in the region `global` with one server, `scheduler-1.global`; the nodes `client-1` and `client-2`; the service jobs `web` and `api` and the
 * periodic batch job `backup` in the namespace `default`, `web` in `apps`; a successful deployment of each service job, and a cancelled one of `default`'s `web`;
 * and the policy `readonly`.
 */
export interface SchedulerService extends Service {
  /** Adds, or replaces what has the same identity: a record's namespace and ID, a member's or policy's name. Each record raises the index. */
  seed(content: SchedulerSeed): void;
  jobs: SchedulerRecords;
  deployments: SchedulerRecords;
  /** Nodes have no namespace. */
  nodes: SchedulerRecords;
  tokens: {
    mint(request?: SchedulerTokenRequest): { accessor: string; secret: string };
    /** false: there is no such token. */
    revoke(accessor: string): boolean;
  };
  /** How far stale reads are behind, in milliseconds; 0 at the start. */
  setStaleness(milliseconds: number): void;
  /** From now on only stale reads are answered. */
  loseLeader(): void;
  electLeader(): void;
}
