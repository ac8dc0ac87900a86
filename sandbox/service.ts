import type { SchedulerService } from "./scheduler/service";

// What a test or a program meets of the sandbox.

/** One of the three services: where it listens, and a token that may do everything there. */
export interface Service {
  /** Scheme, address and port, without a slash at the end. */
  url: string;
  /** Stays the same after a reset. */
  token: string;
}

/** Something that goes wrong on purpose, for the requests that match it. */
export interface Fault {
  /** The service whose requests are counted. */
  system: "secrets" | "platform" | "scheduler";
  /** The verb, in any case. Any verb when omitted. */
  method?: string;
  /** A text is the whole path, with its query or without; an expression searches the path with its query. */
  path: RegExp | string;
  /**
   * Which matching request: 1 is the next.
   * @default 1
   */
  nth?: number;
  /**
   * How many matching requests from there on; `Infinity`: all of them.
   * @default 1
   */
  times?: number;
  /**
   * What happens.
   * - `refuse`: the connection is destroyed at once; nothing is applied.
   * - `drop-before`: the request is read, nothing is applied, the connection is destroyed.
   * - `drop-after`: the request is applied, and its answer is lost.
   * - `delay`: the request waits `delayMs`, then goes on as usual.
   * - `respond`: `status` (500), `body` and `headers` are the answer; nothing is applied.
   * - `truncate`: the request is applied; its answer stops in the middle of the body.
   * - `redirect`: the answer is `status` (307) with `headers.location`; nothing is applied.
   * - `huge`: the answer is a body of 50 MB that begins like JSON; nothing is applied.
   */
  action: "refuse" | "drop-before" | "drop-after" | "delay" | "respond" | "truncate" | "redirect" | "huge";
  /** The status of `respond` (500), `redirect` (307) and `huge` (200). */
  status?: number;
  /** The body of `respond`. */
  body?: string;
  /** Headers of `respond`, `redirect` and `huge`; a redirect needs `location`. */
  headers?: Record<string, string>;
  /** How long `delay` waits, in real milliseconds: the sandbox's clock does not shorten it. */
  delayMs?: number;
}

/** How the sandbox starts. */
export interface Options {
  /**
   * Whose names and answers: the specifications' ("standard"), or those of the real products ("hashicorp").
   * @default "standard"
   */
  dialect?: "standard" | "hashicorp";
  /**
   * First of four ports, in the order secrets, platform, scheduler, page. 0 takes free ones.
   * @default 0
   */
  port?: number;
  /**
   * How many shares unseal the secrets service. With 1, the share is the key itself.
   * @default 5
   */
  unsealShares?: number;
  /**
   * How many of them are needed. 1 of several only in the dialect "standard".
   * @default 3, or all of fewer shares
   */
  unsealThreshold?: number;
  /**
   * "stored": the key is kept by the seal, as with a key management service, and the shares only authorize a rekey.
   * @default "shamir"
   */
  seal?: "shamir" | "stored";
  /**
   * Whether the platform enables SMTP only with an address for a test message. Its API document can be read so.
   * @default false
   */
  smtpNeedsTestAddress?: boolean;
  /**
   * Whether the scheduler refuses to make a token for a policy that it does not have. The API document says that the policies of a role
   * must exist; Nomad makes a token that is allowed nothing.
   * @default false
   */
  tokensNeedKnownPolicies?: boolean;
}

/**
 * The service's own unseal shares, and ways to be an unkind operator. Shares are given in base64 or hex.
 *
 * Its scheduler engine makes tokens that work in the sandbox's scheduler, where the access configuration has that one's address and a management token.
 * They end, by the sandbox's clock, with their lease or with the token that asked for them, and with the mount.
 */
export interface SecretsService extends Service {
  /** The live shares, in base64. Those of a rekey, too, whether it encrypted them or not. */
  shares: string[];
  /** How many of them open it. */
  threshold: number;
  /** Are these the live shares? Disturbs nothing. */
  opens(shares: string[]): Promise<boolean>;
  /** From now on every route answers 503, but for those that end it; an attempt at a rekey is lost. */
  seal(): Promise<void>;
  /** Ends the seal. false: these shares do not open it, and nothing changes. */
  unseal(shares: string[]): Promise<boolean>;
  /** The active node changes: an attempt in memory is lost, and so is every open connection. */
  failover(): Promise<void>;
}

/** A test mail that arrived. Never a password. */
export interface Mail {
  to: string;
  /** Empty where the settings name none. */
  sender: string;
  host: string;
  at: Date;
}

/** A test message that arrived. */
export interface TextMessage {
  to: string;
  from: string;
  at: Date;
}

/** What the platform should hold. An organization that a workspace or a module names is created where it does not exist. */
export interface Seed {
  organizations?: {
    name: string;
    /** Names of users. The token is of the user "admin", the member's token of "member". @default ["admin"] */
    owners?: string[];
  }[];
  workspaces?: {
    /** @default that of the workspace of this name, or a new one */
    id?: string;
    name: string;
    organization: string;
    /** @default false */
    locked?: boolean;
    /** Such as "acme/network". Without one, the workspace is connected to no repository. */
    vcsRepoIdentifier?: string;
    /** The current run. */
    run?: { id?: string; status: string; createdAt?: Date };
  }[];
  modules?: {
    /** The organization that owns it. */
    namespace: string;
    name: string;
    provider: string;
    description?: string;
    /** A version that is no longer named is gone; one that stays keeps its deprecation. */
    versions: string[];
  }[];
}

/**
 * The platform, with what happens behind its API.
 *
 * It starts with the organizations `acme`, owned by the administrator, and `globex`, owned by the member;
 * the workspaces `ws-acmeNetworkProd` (network-prod: applied, from the repository acme/network), `ws-acmeNetworkTest` (network-test: never run),
 * `ws-acmeDataProd` (data-prod: locked, planning) and `ws-globexWebsite` (website: errored, from globex/website); and the modules `acme/network/aws`
 * (1.0.0, 1.0.0+build.5, 1.1.0, 2.0.0-rc.1, 2.0.0) and `globex/website/google` (0.1.0).
 */
export interface PlatformService extends Service {
  /** A token of a user who is not an administrator. Stays the same after a reset. */
  memberToken: string;
  /** Where test mails end. */
  mail: {
    sent(): Mail[];
    /** From now on every test mail ends so. `stored`: are the settings kept all the same? (false) */
    fail(status: 401 | 500 | 504, options?: { stored?: boolean }): void;
    /** Delivers again. */
    work(): void;
  };
  /** Where test messages end. */
  sms: {
    sent(): TextMessage[];
    /** From now on every test message is refused. */
    fail(): void;
    /** Delivers again. */
    work(): void;
  };
  /** The OIDC signing keys, oldest first. */
  signingKeys(): { kid: string; createdAt: Date }[];
  /** Adds, or replaces what has the same identity: an organization's name, a workspace's id, a module's namespace, name and provider. */
  seed(content: Seed): void;
  /** What the service appends to the reason of every version deprecated from now on; "" at the start. */
  appendToReasons(text: string): void;
}

/** The three services, running in this process on 127.0.0.1. */
export interface Sandbox {
  secrets: SecretsService;
  platform: PlatformService;
  scheduler: SchedulerService;
  /** The address of a page for the browser that shows, as it changes, what the three hold and what was asked of them: read-only, and without secrets. */
  page: string;
  /** The variables a child process needs to reach all three. */
  env: Record<string, string>;
  /** Every request so far, in the order of arrival. `path` has its query; `status` is 0 where no answer was sent; `at` is the clock's. */
  requests(): { system: string; method: string; path: string; status: number; at: number }[];
  faults: {
    /** Begins to count matching requests now. */
    add(fault: Fault): void;
    clear(): void;
  };
  /** The time that everything in the sandbox goes by: token lifetimes, the log, the Date of an answer. */
  clock: {
    now(): Date;
    /** Forward, by so many milliseconds from 0 on; throws a RangeError for anything else. */
    advance(ms: number): void;
  };
  /** Back to the state after `start`: records, log, faults and clock. Addresses, tokens and shares stay. */
  reset(): Promise<void>;
  /** Closes every socket; nothing is left running. */
  close(): Promise<void>;
}
