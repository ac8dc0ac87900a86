import type { Service } from "../service";

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
    recover(): void;
  };
  /** Where test messages end. */
  sms: {
    sent(): TextMessage[];
    /** From now on every test message is refused. */
    fail(): void;
    /** Delivers again. */
    recover(): void;
  };
  /** The OIDC signing keys, oldest first. */
  signingKeys(): { kid: string; createdAt: Date }[];
  /** Adds, or replaces what has the same identity: an organization's name, a workspace's id, a module's namespace, name and provider. */
  seed(content: Seed): void;
  /** What the service appends to the reason of every version deprecated from now on; "" at the start. */
  appendToReasons(text: string): void;
}
