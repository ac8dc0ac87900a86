import { randomUUID } from "node:crypto";
import { Clock } from "../clock";
import { SchedulerPeer } from "../scheduler-peer";
import { Holder } from "./pgp";
import { Rule } from "./policy";
import { Key } from "./seal";

/** The access configuration of an engine. */
export interface Access {
  address: string;
  token: string;
  maxTokenNameLength: number;
  caCert: string;
  clientCert: string;
  clientKey: string;
}

/** The lease configuration of an engine, in whole seconds. 0 means the system's default or maximum. */
export interface LeaseConfig {
  ttl: number;
  maxTtl: number;
}

/** The lease of a generated scheduler token. Times are in milliseconds. */
export interface Lease {
  id: string;
  mount: Mount;
  accessor: string;
  /** The id of the token that requested the lease. The lease ends with it. */
  token: string;
  issued: number;
  renewed?: number;
  expires: number;
}

export interface Role {
  policies: string[];
  global: boolean;
  type: "client" | "management";
}

/** A mounted Nomad secrets engine with its data. `path` ends in a slash, as in Vault. */
export interface Mount {
  path: string;
  description: string;
  /** The default and maximum TTL of its leases. */
  terms: LeaseConfig;
  accessor: string;
  uuid: string;
  access?: Access;
  lease?: LeaseConfig;
  /** An unmount failed because a token could not be revoked. The engine no longer serves requests. */
  tainted?: boolean;
  roles: Map<string, Role>;
}

/** A token of the service. Times are in milliseconds, TTLs in seconds. */
export interface Token {
  id: string;
  accessor: string;
  displayName: string;
  policies: string[];
  /** The id of the token that created it. It ends with its parent. */
  parent?: string;
  /** The name of the role that it was created with. */
  role?: string;
  created: number;
  /** The TTL at creation. 0: it does not expire. */
  ttl: number;
  explicitMaxTtl: number;
  renewable: boolean;
  /** Undefined: never. */
  expires?: number;
}

/** A role that tokens are created with. `maxTtl`: in seconds, or 0. */
export interface TokenRole {
  policies: string[];
  orphan: boolean;
  renewable: boolean;
  default: boolean;
  maxTtl: number;
}

export interface Policy {
  text: string;
  rules: Rule[];
}

/** A rekey in progress. Only the active node holds it, in memory. */
export interface Attempt {
  nonce: string;
  startedAt: Date;
  /** The number of shares of the new key. */
  shares: number;
  threshold: number;
  /** The holders to encrypt the new shares to, one for each share. Empty: the new shares are returned in plaintext. */
  holders: Holder[];
  backup: boolean;
  verification: boolean;
  /** The current shares submitted so far. */
  submitted: Uint8Array[];
  /** Empty until the new shares are made, or until a restart. */
  verificationNonce: string;
  /** The new key, while its shares are being verified. */
  candidate?: Key;
  /** The new shares verified so far. */
  proven: Uint8Array[];
}

/** A generation of a root token in progress, in the memory of the active node. */
export interface RootAttempt {
  nonce: string;
  submitted: Uint8Array[];
  /** The owner of the key to encrypt the token to. Otherwise the one-time password encodes it. */
  holder?: Holder;
  otp: string;
}

/** The keeper of the key: the holders of its shares, or the seal itself. A rekey differs between them. */
export type Seal = "shamir" | "stored";

/** The keys that a rekey replaces. Only a seal that keeps the unseal key has recovery keys. */
export type KeyKind = "unseal" | "recovery";

/** The value at `core/unseal-keys-backup` or `core/recovery-keys-backup`: the encrypted shares of one rekey, in order. */
export interface Backup {
  /** The nonce of the rekey. */
  nonce: string;
  messages: { fingerprint: string; message: Uint8Array }[];
}

/** The data of the service. */
export class Records {
  /** The valid key and its shares. If the seal keeps the unseal key, these are the recovery keys. */
  key: Key;
  sealed = false;
  hasKms = true;
  /** The shares submitted to unseal the service, while they are too few. */
  unsealing?: { nonce: string; parts: Uint8Array[] };
  attempts: Partial<Record<KeyKind, Attempt>> = {};
  rootAttempt?: RootAttempt;
  backups: Partial<Record<KeyKind, Backup>> = {};
  readonly cluster: { name: string; id: string } = { name: `vault-cluster-${randomUUID().slice(0, 8)}`, id: randomUUID() };
  mounts: Map<string, Mount> = new Map();
  policies: Map<string, Policy> = new Map();
  /** The tokens by id. Expired tokens and leases stay until `expire` runs. */
  tokens: Map<string, Token> = new Map();
  /** The token roles by name. */
  tokenRoles: Map<string, TokenRole> = new Map();
  leases: Map<string, Lease> = new Map();
  /** A new object after each reset. A route file that is not below a mount can use it as the key of a WeakMap with its own data. */
  lifetime: object = {};
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    /** The engine's type. */
    readonly engine: string,
    readonly clock: Clock,
    readonly schedulerPeer: SchedulerPeer,
    /** The root token. */
    readonly token: string,
    /** The key at the start and after a reset. */
    private readonly firstKey: Key,
    readonly seal: Seal,
  ) {
    this.key = firstKey;
  }

  /** Unseals the service and removes all data but the first key. `applySeed` then adds the seed. */
  reset(): void {
    this.key = this.firstKey;
    this.sealed = false;
    this.hasKms = true;
    this.clearMemory();
    this.backups = {};
    this.mounts = new Map();
    this.policies = new Map();
    this.leases = new Map();
    this.tokens = new Map();
    this.tokenRoles = new Map();
    this.lifetime = {};
  }

  /** Drops the data in the active node's memory. A seal and a change of the active node do this. */
  clearMemory(): void {
    this.attempts = {};
    this.rootAttempt = undefined;
    this.unsealing = undefined;
  }

  /** Runs one action after another. Combining and encrypting shares is asynchronous, and no request may see an incomplete rekey. */
  exclusive<T>(act: () => T | Promise<T>): Promise<T> {
    const result = this.turn.then(act);
    this.turn = result.catch(() => {});
    return result;
  }

  mount(path: string, description = "", terms: LeaseConfig = { ttl: 0, maxTtl: 0 }): void {
    const accessor = `${this.engine}_${randomUUID().slice(0, 8)}`;
    this.mounts.set(`${path}/`, { path: `${path}/`, description, terms, accessor, uuid: randomUUID(), roles: new Map() });
  }

  /** The engine that serves a path. Mounts are never nested, so there is at most one. */
  mountAt(path: string): Mount | undefined {
    for (const mount of this.mounts.values()) if (`${path}/`.startsWith(mount.path)) return mount;
    return undefined;
  }

  /** The rules of all policies of a token. A policy that does not exist has none. */
  rules(token: Token): Rule[] {
    return token.policies.flatMap((name) => this.policies.get(name)?.rules ?? []);
  }
}
