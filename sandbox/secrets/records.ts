import { randomUUID } from "node:crypto";
import type { Clock } from "../clock";
import type { Holder } from "./pgp";
import type { Rule } from "./policy";
import type { SchedulerPeer } from "./scheduler-peer";
import type { Key } from "./seal";

/** How an engine reaches its scheduler. */
export interface Access {
  address: string;
  token: string;
  maxTokenNameLength: number;
  caCert: string;
  clientCert: string;
  clientKey: string;
}

/** How long generated tokens live, in whole seconds; 0 leaves the choice to the service. */
export interface LeaseConfig {
  ttl: number;
  maxTtl: number;
}

/** A generated token of the scheduler, and until when it lives. Times are in milliseconds. */
export interface Lease {
  id: string;
  mount: Mount;
  /** Of the token in the scheduler. */
  accessor: string;
  /** The id of the token that asked for it: the lease ends with it. */
  token: string;
  issued: number;
  renewed?: number;
  expires: number;
}

export interface Role {
  policies: string[];
  global: boolean;
  type: string;
}

/** A mounted scheduler engine with everything it holds. `path` ends in a slash, as the service writes it. */
export interface Mount {
  path: string;
  description: string;
  accessor: string;
  uuid: string;
  access?: Access;
  lease?: LeaseConfig;
  /** Somebody tried to remove it, and a token would not end: it does nothing any more. */
  tainted?: boolean;
  roles: Map<string, Role>;
}

/** Times are in milliseconds, lives in seconds. */
export interface Token {
  id: string;
  accessor: string;
  displayName: string;
  policies: string[];
  /** The id of the token that made it, and with which it ends. */
  parent?: string;
  created: number;
  /** How long it was to live when it was made; 0: for ever. */
  ttl: number;
  explicitMaxTtl: number;
  renewable: boolean;
  /** Absent: never. */
  expires?: number;
}

export interface Policy {
  text: string;
  rules: Rule[];
}

/** The one rekey that is going on, in the memory of the active node alone. */
export interface Attempt {
  nonce: string;
  startedAt: Date;
  /** Of the new key. */
  shares: number;
  threshold: number;
  /** To whom the new shares are encrypted, one for each share; none: they come in clear text. */
  holders: Holder[];
  backup: boolean;
  verification: boolean;
  /** The current shares so far. */
  given: Uint8Array[];
  /** Empty until something gave it. */
  verificationNonce: string;
  /** The new key, while its shares are being verified. */
  candidate?: Key;
  /** The new shares given back so far. */
  proven: Uint8Array[];
}

/** What lies at `core/unseal-keys-backup`: the messages of one rekey, in the order of the shares. */
export interface Backup {
  /** Of the attempt. */
  nonce: string;
  messages: { fingerprint: string; message: Uint8Array }[];
}

/** Everything the secrets service remembers. */
export class Records {
  /** The live key and its shares. */
  key: Key;
  sealed = false;
  /** The shares that were given to end the seal, when they are too few so far. */
  unsealing?: { nonce: string; parts: Uint8Array[] };
  attempt?: Attempt;
  backup?: Backup;
  readonly cluster: { name: string; id: string } = { name: `vault-cluster-${randomUUID().slice(0, 8)}`, id: randomUUID() };
  mounts: Map<string, Mount> = new Map();
  policies: Map<string, Policy> = new Map();
  /** By id, as the leases. Those whose time is over are still there until `expire` looks. */
  tokens: Map<string, Token> = new Map();
  leases: Map<string, Lease> = new Map();
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    /** The engine's type. */
    readonly engine: string,
    readonly clock: Clock,
    readonly schedulerPeer: SchedulerPeer,
    /** It may do everything. */
    readonly token: string,
    /** The one that it begins with. */
    private readonly firstKey: Key,
    /** Who keeps the key at work: the holders of its shares, or the seal itself. A rekey differs. */
    readonly seal: "shamir" | "stored",
  ) {
    this.key = firstKey;
  }

  /** Unsealed, with the first key and nothing else; `applySeed` puts the seed in. */
  reset(): void {
    this.key = this.firstKey;
    this.sealed = false;
    this.forget();
    this.backup = undefined;
    this.mounts = new Map();
    this.policies = new Map();
    this.leases = new Map();
    this.tokens = new Map();
  }

  /** What only the active node's memory holds is lost: with a seal, and when another node becomes active. */
  forget(): void {
    this.attempt = undefined;
    this.unsealing = undefined;
  }

  /** One after the other: shares are combined and encrypted in their own time, and nobody sees a rekey half done. */
  exclusive<T>(act: () => T | Promise<T>): Promise<T> {
    const result = this.turn.then(act);
    this.turn = result.catch(() => {});
    return result;
  }

  mount(path: string, description: string): void {
    const accessor = `${this.engine}_${randomUUID().slice(0, 8)}`;
    this.mounts.set(`${path}/`, { path: `${path}/`, description, accessor, uuid: randomUUID(), roles: new Map() });
  }

  /** The engine that answers for a path. No mount lies inside another, so there is at most one. */
  mountAt(path: string): Mount | undefined {
    for (const mount of this.mounts.values()) if (`${path}/`.startsWith(mount.path)) return mount;
    return undefined;
  }

  /** The rules of a token's policies together; a policy that does not exist gives none. */
  rules(token: Token): Rule[] {
    return token.policies.flatMap((name) => this.policies.get(name)?.rules ?? []);
  }
}
