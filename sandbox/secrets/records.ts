import { randomUUID } from "node:crypto";
import type { Clock } from "../clock";
import type { Dialect } from "./dialect";
import type { Rule } from "./policy";
import { parsePolicy } from "./policy";
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

/** Whole seconds; 0 leaves the choice to the service. */
export interface Lease {
  ttl: number;
  maxTtl: number;
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
  lease?: Lease;
  roles: Map<string, Role>;
}

export interface Token {
  id: string;
  accessor: string;
  policies: string[];
  /** Milliseconds; absent: never. */
  expires?: number;
}

export interface Policy {
  text: string;
  rules: Rule[];
}

// What the real product's own "default" policy lets every token do, of the routes that exist here: it makes their mounts visible.
const defaultPolicy = `
path "auth/token/lookup-self" { capabilities = ["read"] }
path "sys/capabilities-self" { capabilities = ["update"] }
`;

/** What a fresh service has, and has again after a reset. */
export interface Seed {
  key: Key;
  seal: "shamir" | "stored";
  token: string;
}

/** Everything the secrets service remembers. */
export class Records {
  /** The live key and its shares. */
  key: Key;
  /** Who keeps the key at work: the holders of its shares, or the seal itself. A rekey differs. */
  readonly seal: "shamir" | "stored";
  sealed = false;
  mounts: Map<string, Mount> = new Map();
  policies: Map<string, Policy> = new Map();
  tokens: Map<string, Token> = new Map();

  constructor(
    private readonly dialect: Dialect,
    private readonly clock: Clock,
    private readonly seed: Seed,
  ) {
    this.key = seed.key;
    this.seal = seed.seal;
    this.reset();
  }

  /** Back to the seed: unsealed, one engine without configuration or roles, one token that may do everything. */
  reset(): void {
    this.key = this.seed.key;
    this.sealed = false;
    this.mounts = new Map();
    this.mount(this.dialect.engine, "");
    this.policies = new Map([["default", { text: defaultPolicy, rules: parsePolicy(defaultPolicy) }]]);
    this.tokens = new Map([[this.seed.token, { id: this.seed.token, accessor: randomUUID(), policies: ["root"] }]]);
  }

  mount(path: string, description: string): void {
    const accessor = `${this.dialect.engine}_${randomUUID().slice(0, 8)}`;
    this.mounts.set(`${path}/`, { path: `${path}/`, description, accessor, uuid: randomUUID(), roles: new Map() });
  }

  /** The engine that answers for a path. No mount lies inside another, so there is at most one. */
  mountAt(path: string): Mount | undefined {
    for (const mount of this.mounts.values()) if (`${path}/`.startsWith(mount.path)) return mount;
    return undefined;
  }

  /** A token that exists and has not expired. */
  token(id: string): Token | undefined {
    const token = this.tokens.get(id);
    if (token?.expires === undefined || token.expires > this.clock.now().getTime()) return token;
    this.tokens.delete(id);
    return undefined;
  }

  /** The rules of a token's policies together; a policy that does not exist gives none. */
  rules(token: Token): Rule[] {
    return token.policies.flatMap((name) => this.policies.get(name)?.rules ?? []);
  }
}
