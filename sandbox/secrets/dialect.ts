import { randomUUID } from "node:crypto";
import type { Rule } from "./policy";
import { sees, seesMount } from "./policy";
import type { Access, Role } from "./records";
import { bareAccess, bareRole, fullAccess, fullRole } from "./wire";

/** Where the specification and the real product differ: one table, so that no route asks which one it serves. */
export interface Dialect {
  /** The engine's type, and where it is mounted at start. */
  engine: string;
  tokenHeader: string;
  /** Is `Authorization: Bearer` a way to send the token? */
  bearer: boolean;
  tokenPrefix: string;
  sealed: string;
  /** Verbs that write, in the engine. */
  writes: string[];
  /** Can an access configuration be deleted? */
  deletesAccess: boolean;
  /** Does a first access configuration without a token take over a fresh scheduler? */
  bootstraps: boolean;
  /** Must client roles have policies, and management roles none? */
  judgesPolicies: boolean;
  access(access: Access): Record<string, unknown>;
  role(role: Role): Record<string, unknown>;
  /** What surrounds `data` in an answer. */
  envelope(data: unknown, mountType: string): Record<string, unknown>;
  openapi: {
    version: string;
    title: string;
    description: string;
    /** The vendor's flags of a path. */
    sudo: string;
    unauthenticated: string;
    create: string;
    /** What the listing of a collection ends in. */
    listEnd: string;
    /** Does every path carry a description, or only those that the real product describes? */
    describesAll: boolean;
    /** Is a path shown to a token with these rules? `beginning`: the path ends in a parameter, cut off here. */
    shows(rules: Rule[], mount: string, path: string, beginning: boolean): boolean;
  };
}

export const standard: Dialect = {
  engine: "scheduler",
  tokenHeader: "x-secrets-token",
  bearer: false,
  tokenPrefix: "s.",
  sealed: "the service is sealed",
  writes: ["POST"],
  deletesAccess: false,
  bootstraps: false,
  judgesPolicies: false,
  access: bareAccess,
  role: bareRole,
  envelope: (data) => ({ data }),
  openapi: {
    version: "3.0.2",
    title: "Secrets Service API",
    description: "HTTP API that gives you full access to the service. All API routes are prefixed with `/v1/`.",
    sudo: "x-secrets-sudo",
    unauthenticated: "x-secrets-unauthenticated",
    create: "x-secrets-create-supported",
    listEnd: "",
    describesAll: true,
    shows: (rules, _mount, path, beginning) => sees(rules, path, beginning),
  },
};

/** Vault 1.21. */
export const hashicorp: Dialect = {
  engine: "nomad",
  tokenHeader: "x-vault-token",
  bearer: true,
  tokenPrefix: "hvs.",
  sealed: "Vault is sealed",
  writes: ["POST", "PUT"],
  deletesAccess: true,
  bootstraps: true,
  judgesPolicies: true,
  access: fullAccess,
  role: fullRole,
  envelope: (data, mountType) => ({
    request_id: randomUUID(),
    lease_id: "",
    renewable: false,
    lease_duration: 0,
    data,
    wrap_info: null,
    warnings: null,
    auth: null,
    mount_type: mountType,
  }),
  openapi: {
    version: "3.0.2",
    title: "HashiCorp Vault API",
    description: "HTTP API that gives you full access to Vault. All API routes are prefixed with `/v1/`.",
    sudo: "x-vault-sudo",
    unauthenticated: "x-vault-unauthenticated",
    create: "x-vault-createSupported",
    listEnd: "/",
    describesAll: false,
    shows: (rules, mount) => seesMount(rules, mount),
  },
};
