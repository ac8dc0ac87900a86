import { HttpError, one } from "./http-error";
import type { Granted } from "./leases";
import type { Rule } from "./policy";
import { sees, seesMount } from "./policy";
import type { Access, Attempt, Backup, Records, Role } from "./records";
import type { Completed, RekeyRules } from "./rekey";
import { rekeyErrors, rotationErrors } from "./rekey-errors";
import * as wire from "./wire";

/** Where the specification and the real product differ: one table, so that no route asks which one it serves. */
export interface Dialect {
  /** Of the product. */
  version: string;
  /** The engine's type, and where it is mounted at start. */
  engine: string;
  tokenHeader: string;
  /** Is `Authorization: Bearer` a way to send the token? */
  bearer: boolean;
  tokenPrefix: string;
  sealed: string;
  /** Paths behind which no engine stands: nobody asks for a token, a body is read to the letter, and some answer while sealed. */
  raw: string[];
  /** Verbs that write, in the engine. */
  writes: string[];
  /** Can an access configuration be deleted? */
  deletesAccess: boolean;
  /** Is a client certificate without its key, or a key without its certificate, refused when it is written? */
  pairsCertificates: boolean;
  /** Does a first access configuration without a token take over a fresh scheduler? */
  bootstraps: boolean;
  /** The answer to who wants a token of a role that does not exist. */
  noRole(name: string): HttpError;
  /** Can leases be looked up, renewed and revoked, and can a token ask about itself and end? */
  leases: boolean;
  roleName: {
    /** With a name that this expression does not match, the path is none of the engine's. */
    pattern: string;
    /** Can it hold ".."? Vault's pattern lets it through, and the storage below does not. */
    doubleDots: boolean;
  };
  /** Must client roles have policies, and management roles none? */
  judgesPolicies: boolean;
  access(access: Access): Record<string, unknown>;
  role(role: Role): Record<string, unknown>;
  /** What surrounds `data` in an answer. */
  envelope(data: unknown, mountType: string): Record<string, unknown>;
  /** What surrounds `data` in an answer that comes with a lease. */
  leased(granted: Granted, data: unknown, mountType: string): Record<string, unknown>;
  rekey: RekeyRules & {
    /** Where it is, below `sys/`. */
    path: string;
    /** Does Vault's path answer as if it were disabled? */
    disablesVaults: boolean;
    /** Does an engine stand behind it, which reads fields and not a body to the letter? */
    behindEngine: boolean;
    /** Verbs that start, update and verify. */
    writes: string[];
    /** Is whatever is sent to "update" an update? */
    updatesByAnyVerb: boolean;
    /** Does a cancel need a body, and the nonce of a young attempt in it? */
    guardsCancel: boolean;
    status(records: Records): Record<string, unknown>;
    /** The answer to a start. */
    started(records: Records): Record<string, unknown>;
    completed(completed: Completed): Record<string, unknown>;
    verification(attempt: Attempt): Record<string, unknown>;
    /** The answer to the last new share. */
    committed(nonce: string): Record<string, unknown>;
    backup(backup: Backup): Record<string, unknown>;
    noBackup(): HttpError;
    otherVerb(): HttpError;
  };
  openapi: {
    title: string;
    description: string;
    /** The vendor's flags of a path. */
    sudo: string;
    unauthenticated: string;
    create: string;
    /** What the listing of a collection ends in. */
    listEnd: string;
    /** What the document says that a cancel of a rekey and an unmount answer. Vault's says 200, though both answer 204. */
    removal: "200" | "204";
    /** Does every path carry a description, or only those that the real product describes? */
    describesAll: boolean;
    /** Is a path shown to a token with these rules? `beginning`: the path ends in a parameter, cut off here. */
    shows(rules: Rule[], mount: string, path: string, beginning: boolean): boolean;
  };
}

const sysRekey = {
  path: "rekey",
  disablesVaults: false,
  behindEngine: false,
  needsNonce: false,
  errors: rekeyErrors,
  keepsUncombined: false,
  committed: (nonce: string) => ({ nonce, complete: true }),
};

export const standard: Dialect = {
  version: wire.version,
  engine: "scheduler",
  tokenHeader: "x-secrets-token",
  bearer: false,
  tokenPrefix: "s.",
  sealed: "the service is sealed",
  raw: [],
  writes: ["POST"],
  deletesAccess: false,
  pairsCertificates: true,
  bootstraps: false,
  noRole: () => new HttpError(404),
  leases: false,
  roleName: { pattern: "[^/]+", doubleDots: true },
  judgesPolicies: false,
  access: wire.bareAccess,
  role: wire.bareRole,
  envelope: (data) => ({ data }),
  // The specification shows no lease, though the token lives no longer than one.
  leased: (_, data) => ({ data }),
  rekey: {
    writes: ["PUT"],
    updatesByAnyVerb: false,
    guardsCancel: false,
    ...sysRekey,
    storedNeedsOne: true,
    oneForSeveral: true,
    status: wire.bareRekey,
    // The specification does not show this answer: a client has to read the status.
    started: () => ({}),
    completed: wire.bareRekeyed,
    verification: wire.bareVerification,
    backup: wire.bareBackup,
    noBackup: () => new HttpError(404),
    otherVerb: () => new HttpError(405, one("unsupported operation")),
  },
  openapi: {
    title: "Secrets Service API",
    description: "HTTP API that gives you full access to the service. All API routes are prefixed with `/v1/`.",
    sudo: "x-secrets-sudo",
    unauthenticated: "x-secrets-unauthenticated",
    create: "x-secrets-create-supported",
    listEnd: "",
    removal: "204",
    describesAll: true,
    shows: (rules, _mount, path, beginning) => sees(rules, path, beginning),
  },
};

/** Vault 1.21. */
export const hashicorp: Dialect = {
  version: wire.version,
  engine: "nomad",
  tokenHeader: "x-vault-token",
  bearer: true,
  tokenPrefix: "hvs.",
  sealed: "Vault is sealed",
  raw: ["sys/rekey/init", "sys/rekey/update", "sys/rekey/verify", "sys/seal-status", "sys/unseal"],
  writes: ["POST", "PUT"],
  deletesAccess: true,
  pairsCertificates: false,
  bootstraps: true,
  noRole: (name) => new HttpError(400, `role "${name}" not found`),
  leases: true,
  roleName: { pattern: "[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?", doubleDots: false },
  judgesPolicies: true,
  access: wire.fullAccess,
  role: wire.fullRole,
  envelope: wire.envelope,
  leased: ({ lease, seconds, warnings }, data, mountType) => ({
    ...wire.envelope(data, mountType),
    lease_id: lease.id,
    renewable: true,
    lease_duration: seconds,
    warnings: warnings.length > 0 ? warnings : null,
  }),
  rekey: {
    writes: ["POST", "PUT"],
    updatesByAnyVerb: true,
    guardsCancel: true,
    ...sysRekey,
    storedNeedsOne: false,
    oneForSeveral: false,
    status: wire.fullRekey,
    started: wire.fullRekey,
    completed: wire.fullRekeyed,
    verification: wire.fullVerification,
    backup: (backup) => wire.twice(wire.fullBackup(backup)),
    noBackup: () => new HttpError(400, "no backed-up keys found"),
    otherVerb: () => new HttpError(405),
  },
  openapi: {
    title: "HashiCorp Vault API",
    description: "HTTP API that gives you full access to Vault. All API routes are prefixed with `/v1/`.",
    sudo: "x-vault-sudo",
    unauthenticated: "x-vault-unauthenticated",
    create: "x-vault-createSupported",
    listEnd: "/",
    removal: "200",
    describesAll: false,
    shows: (rules, mount) => seesMount(rules, mount),
  },
};

const inData = (data: unknown): Record<string, unknown> => wire.envelope(data, "system");

/** OpenBao 2.4.4, with `disable_unauthed_rekey_endpoints`, which is the default since 2.5. */
export const openbao: Dialect = {
  ...hashicorp,
  version: "2.4.4",
  rekey: {
    path: "rotate/root",
    disablesVaults: true,
    behindEngine: true,
    needsNonce: true,
    errors: rotationErrors,
    keepsUncombined: true,
    storedNeedsOne: false,
    oneForSeveral: false,
    writes: ["POST", "PUT"],
    updatesByAnyVerb: false,
    guardsCancel: false,
    status: (records) => inData(wire.rotation(records)),
    started: (records) => inData(wire.rotation(records)),
    completed: (completed) => inData(wire.rotated(completed)),
    verification: (attempt) => inData(wire.fullVerification(attempt)),
    committed: (nonce) => inData({ complete: true, nonce }),
    backup: (backup) => wire.twice(wire.fullBackup(backup)),
    noBackup: hashicorp.rekey.noBackup,
    otherVerb: standard.rekey.otherVerb,
  },
  openapi: {
    ...hashicorp.openapi,
    title: "OpenBao API",
    description: "HTTP API that gives you full access to OpenBao. All API routes are prefixed with `/v1/`.",
  },
};
