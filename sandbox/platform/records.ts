import { randomBytes } from "node:crypto";
import { Clock } from "../clock";
import { Values } from "./attributes";
import { SigningKeys } from "./keys";
import { Outbox } from "./outbox";
import { RateCounter } from "./rate";
import { Mail, TextMessage } from "./service";

export interface User {
  name: string;
  administrator: boolean;
}

export interface Organization {
  name: string;
  email: string;
  /** The names of users. */
  owners: string[];
  /** Undefined if that of the general settings applies. */
  planTimeout?: string;
  applyTimeout?: string;
  createdAt: Date;
}

export const runStatuses: string[] = [
  ...[
    "pending",
    "plan_queued",
    "planning",
    "planned",
    "confirmed",
    "apply_queued",
    "applying",
    "applied",
    "discarded",
    "errored",
    "canceled",
  ],
  ...["cost_estimating", "cost_estimated", "policy_checking", "policy_override", "policy_soft_failed", "policy_checked"],
  "planned_and_finished",
];

export interface Run {
  id: string;
  status: string;
  createdAt: Date;
}

export interface Workspace {
  id: string;
  name: string;
  organization: Organization;
  locked: boolean;
  vcsRepoIdentifier?: string;
  run?: Run;
  createdAt: Date;
}

export interface Deprecation {
  id: string;
  /** The reason with the suffix that the service appended. */
  reason: string;
  link: string | null;
}

export interface Version {
  id: string;
  deprecation?: Deprecation;
  revocation?: { message: string; link: string | null };
}

/** A module of the private registry. Its namespace is the name of its organization. */
export interface Module {
  organization: Organization;
  name: string;
  provider: string;
  description: string;
  versions: Map<string, Version>;
}

export class Records {
  organizations: Map<string, Organization> = new Map();
  /** The workspaces by id. */
  workspaces: Map<string, Workspace> = new Map();
  modules: Module[] = [];
  /** The settings by type, after their first write. */
  settings: Map<string, Values> = new Map();
  /** A new object after each reset. A route file can use it as the key of a WeakMap with its own data. */
  lifetime: object = {};
  /** The suffix that the service appends to the reason of a deprecation. */
  suffix = "";
  readonly keys: SigningKeys;
  /** The failure of test mails. `stored`: the settings are stored nevertheless. */
  readonly mail: Outbox<Mail, { status: 401 | 500 | 504; stored: boolean }> = new Outbox();
  readonly sms: Outbox<TextMessage, true> = new Outbox();
  readonly rate: RateCounter = new RateCounter();
  #lastNumber = 0;

  constructor(
    clock: Clock,
    readonly token: string,
    readonly memberToken: string,
  ) {
    this.keys = new SigningKeys(clock);
  }

  /** Removes all data except the tokens. `applySeed` then adds the seed. */
  reset(): void {
    this.organizations.clear();
    this.workspaces.clear();
    this.modules = [];
    this.settings.clear();
    this.lifetime = {};
    this.suffix = "";
    this.#lastNumber = 0;
    for (const part of [this.keys, this.mail, this.sms, this.rate]) part.reset();
  }

  user(token: string | undefined): User | undefined {
    if (token === this.token) return { name: "admin", administrator: true };
    return token === this.memberToken ? { name: "member", administrator: false } : undefined;
  }

  workspace(organization: Organization, name: string): Workspace | undefined {
    return [...this.workspaces.values()].find((workspace) => workspace.organization === organization && workspace.name === name);
  }

  module(namespace: string, name: string, provider: string): Module | undefined {
    return this.modules.find((module) => module.organization.name === namespace && module.name === name && module.provider === provider);
  }

  /** Deletes an organization with its workspaces and modules. */
  deleteOrganization(organization: Organization): void {
    for (const workspace of this.workspaces.values()) if (workspace.organization === organization) this.workspaces.delete(workspace.id);
    this.modules = this.modules.filter((module) => module.organization !== organization);
    this.organizations.delete(organization.name);
  }

  /** A random id such as `ws-SihZTyXKfNXUWuUa`. */
  newId(prefix: string): string {
    return `${prefix}-${randomText(16)}`;
  }

  /** An id that is the same after each reset and the same requests: `ab-0000000000000001`. */
  numberedId(prefix: string): string {
    return `${prefix}-${this.number().padStart(16, "0")}`;
  }

  /** The next number for the id of a version or a deprecation. */
  number(): string {
    this.#lastNumber += 1;
    return String(this.#lastNumber);
  }
}

/** Random letters and digits. An id or a token with a leading `-` would be an option on a command line. */
export function randomText(length: number): string {
  return randomBytes(length).toString("base64url").replace(/[-_]/g, "x").slice(0, length);
}

// Outside the admin API, a site administrator is an ordinary user.
export const mayManage = (user: User, { owners }: Organization): boolean => owners.includes(user.name);
