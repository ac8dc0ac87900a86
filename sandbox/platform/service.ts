import { Service } from "../service";

/** A delivered test mail. */
export interface Mail {
  to: string;
  /** The sender in the settings, or an empty string. */
  sender: string;
  host: string;
  at: Date;
}

/** A delivered test message. */
export interface TextMessage {
  to: string;
  from: string;
  at: Date;
}

/** Data to add to the platform. The missing organizations of workspaces and modules are created as well. */
export interface Seed {
  organizations?: {
    name: string;
    /** The names of users. `token` belongs to the user "admin", `memberToken` to "member". @default ["admin"] */
    owners?: string[];
    /** The timeout of a plan, such as "4h". @default that of the general settings */
    planTimeout?: string;
    /** The timeout of an apply, such as "36h". @default that of the general settings */
    applyTimeout?: string;
  }[];
  workspaces?: {
    /** The id. @default that of the workspace with this name, or a new one */
    id?: string;
    name: string;
    organization: string;
    /** @default false */
    locked?: boolean;
    /** The repository, such as "acme/network". If it is omitted, the workspace has none. */
    vcsRepoIdentifier?: string;
    /** The current run. */
    run?: { id?: string; status: string; createdAt?: Date };
  }[];
  modules?: {
    /** The organization that owns the module. */
    namespace: string;
    name: string;
    provider: string;
    description?: string;
    /** The complete list of versions. Other versions are removed, and an existing version keeps its deprecation. */
    versions: string[];
  }[];
}

/**
 * The platform, with functions to control it outside its API. At the start, it contains:
 *
 * - the organizations `acme`, owned by the administrator, and `globex`, owned by the member
 * - the workspace `ws-acmeNetworkProd` (network-prod, applied, repository acme/network)
 * - the workspace `ws-acmeNetworkTest` (network-test, never run)
 * - the workspace `ws-acmeDataProd` (data-prod, locked, planning)
 * - the workspace `ws-globexWebsite` (website, errored, repository globex/website)
 * - the module `acme/network/aws` with the versions 1.0.0, 1.0.0+build.5, 1.1.0, 2.0.0-rc.1 and 2.0.0
 * - the module `globex/website/google` with the version 0.1.0
 */
export interface PlatformService extends Service {
  /** The token of a user who is not a site administrator, which stays the same after a reset. */
  memberToken: string;
  /** The mail server. */
  mail: {
    sent(): Mail[];
    /** Makes all test mails fail with this status. With `stored` (default false), the settings are stored nevertheless. */
    fail(status: 401 | 500 | 504, options?: { stored?: boolean }): void;
    /** Delivers test mails again. */
    recover(): void;
  };
  /** The SMS provider. */
  sms: {
    sent(): TextMessage[];
    /** Makes all test messages fail. */
    fail(): void;
    /** Delivers test messages again. */
    recover(): void;
  };
  /** The OIDC signing keys, oldest first. */
  signingKeys(): { kid: string; createdAt: Date }[];
  /**
   * Adds items, or replaces items with the same identity. The identity of an organization is its name, that of a workspace its id, and that of
   * a module its namespace, name and provider.
   */
  seed(content: Seed): void;
  /** Sets the suffix that the platform appends to the reason of each later deprecation, which is "" at the start. */
  appendToReasons(text: string): void;
}
