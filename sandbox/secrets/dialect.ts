import { HttpError } from "./http-error";
import { Granted } from "./leases";
import { Rule, sees, seesMount } from "./policy";
import { Access, Attempt, Backup, Role } from "./records";
import { Completed, RekeyRules } from "./rekey";
import { recoveryRekeyErrors, recoveryRotationErrors, rekeyErrors, rotationErrors } from "./rekey-errors";
import * as wire from "./wire";

/** The rekey of one kind of keys. */
export interface Rekey extends RekeyRules {
  /** The path below `sys/`. */
  path: string;
  /** The path of the backup below `sys/`. */
  backupPath: string;
  /** The API document lists its paths, not only the backup. */
  documented: boolean;
  /** Belongs to an engine, which converts fields, instead of a handler, which reads the body strictly. */
  behindEngine: boolean;
  /** The methods that start, update and verify. */
  writes: string[];
  /** Treats every method on "update" as an update. */
  updatesByAnyVerb: boolean;
  /** Requires a body to cancel, and in it the nonce of a recent attempt. */
  guardsCancel: boolean;
  status(attempt: Attempt | undefined, required: number): Record<string, unknown>;
  /** The response to a start. */
  started(attempt: Attempt | undefined, required: number): Record<string, unknown>;
  /** The response to a start that needs no current shares. */
  created(completed: Completed): Record<string, unknown>;
  completed(completed: Completed): Record<string, unknown>;
  verification(attempt: Attempt): Record<string, unknown>;
  /** The response to the last new share. */
  committed(nonce: string): Record<string, unknown>;
  backup(backup: Backup): Record<string, unknown>;
  noBackup(): HttpError;
}

/** The differences between the API specification, Vault and OpenBao. Routes read this table. Only a file that one dialect serves reads the name. */
export interface Dialect {
  /** For a route file that one dialect serves. */
  name: "standard" | "hashicorp" | "openbao";
  /** The product's version. */
  version: string;
  /** The engine's type, and its mount in the seed. */
  engine: string;
  tokenHeader: string;
  /** Accepts the token in `Authorization: Bearer`. */
  bearer: boolean;
  tokenPrefix: string;
  /** The error of a sealed service. */
  sealed: string;
  /** Paths without an engine. They need no token and read the body strictly. Some respond while the service is sealed. */
  raw: string[];
  /** The methods that write to the engine. */
  writes: string[];
  /** Serves the deletion of the access configuration. */
  deletesAccess: boolean;
  /** Rejects a client certificate without its key, and a key without its certificate, when they are written. */
  pairsCertificates: boolean;
  /** Bootstraps the scheduler's ACLs if the first access configuration has no token. */
  bootstraps: boolean;
  /** The response to a request for a token of a role that does not exist. */
  noRole(name: string): HttpError;
  /** Serves the lookup, renewal and revocation of leases, and the lookup and revocation of tokens. */
  leases: boolean;
  roleName: {
    /** The pattern of role names. A path with any other name does not exist. */
    pattern: string;
    /** Accepts ".." in a name. It matches Vault's pattern, but Vault's storage rejects it. */
    doubleDots: boolean;
  };
  /** Requires policies in client roles, and rejects them in management roles. */
  judgesPolicies: boolean;
  access(access: Access): Record<string, unknown>;
  role(role: Role): Record<string, unknown>;
  /** The body of a response with `data`. */
  envelope(data: unknown, mountType: string): Record<string, unknown>;
  /** The body of a response with `data` and a lease. */
  leased(granted: Granted, data: unknown, mountType: string): Record<string, unknown>;
  /** The fields of `sys/health` that only Vault has. */
  health: Record<string, unknown>;
  /** Responds on Vault's paths of a rekey as if they were disabled. */
  disablesVaultsRekey: boolean;
  /** The rekey of the unseal keys and, if the dialect has recovery keys, theirs. */
  rekeys: readonly [Rekey, ...Rekey[]];
  openapi: {
    title: string;
    description: string;
    /** The names of the vendor extensions of a path. */
    sudo: string;
    unauthenticated: string;
    create: string;
    /** The end of a path that lists a collection. */
    listEnd: string;
    /** The documented status of a canceled rekey and of an unmount. Vault documents 200, but returns 204. */
    removal: "200" | "204";
    /** Describes every path, not only those that Vault describes. */
    describesAll: boolean;
    /** True if a token with these rules sees the path. `beginning`: the path ends in a parameter, which is cut off here. */
    shows(rules: Rule[], mount: string, path: string, beginning: boolean): boolean;
  };
}

const sysRekey = {
  kind: "unseal" as const,
  path: "rekey",
  backupPath: "rekey/backup",
  documented: true,
  behindEngine: false,
  needsNonce: false,
  errors: rekeyErrors,
  checksRequest: true,
  checksProgressFirst: false,
  anyLength: false,
  countsRepeatedNewShares: false,
  committed: (nonce: string) => ({ nonce, complete: true }),
};

const standardRekey: Rekey = {
  ...sysRekey,
  writes: ["PUT"],
  updatesByAnyVerb: false,
  guardsCancel: false,
  storedNeedsOne: true,
  oneForSeveral: true,
  status: wire.bareRekey,
  // The specification does not show this response. A client has to read the status.
  started: () => ({}),
  created: wire.bareRekeyed,
  completed: wire.bareRekeyed,
  verification: wire.bareVerification,
  backup: wire.bareBackup,
  noBackup: () => new HttpError(404),
};

const vaultRekey: Rekey = {
  ...sysRekey,
  writes: ["POST", "PUT"],
  updatesByAnyVerb: true,
  guardsCancel: true,
  storedNeedsOne: false,
  oneForSeveral: false,
  status: wire.fullRekey,
  started: wire.fullRekey,
  created: wire.fullRekeyed,
  completed: wire.fullRekeyed,
  verification: wire.fullVerification,
  backup: (backup) => wire.twice(wire.fullBackup(backup)),
  noBackup: () => new HttpError(400, "no backed-up keys found"),
};

const inData = (data: unknown): Record<string, unknown> => wire.envelope(data, "system");

const rotation: Rekey = {
  ...vaultRekey,
  path: "rotate/root",
  backupPath: "rotate/root/backup",
  behindEngine: true,
  needsNonce: true,
  errors: rotationErrors,
  checksRequest: false,
  checksProgressFirst: true,
  anyLength: true,
  countsRepeatedNewShares: true,
  updatesByAnyVerb: false,
  guardsCancel: false,
  status: (attempt, required) => inData(wire.rotation(attempt, required)),
  started: (attempt, required) => inData(wire.rotation(attempt, required)),
  created: (completed) => inData(wire.created(completed)),
  completed: (completed) => inData(wire.rotated(completed)),
  verification: (attempt) => inData(wire.fullVerification(attempt)),
  committed: (nonce) => inData({ complete: true, nonce }),
};

export const standard: Dialect = {
  name: "standard",
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
  // The specification shows no lease, although the token expires with one.
  leased: (_, data) => ({ data }),
  health: {},
  disablesVaultsRekey: false,
  rekeys: [standardRekey],
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
  name: "hashicorp",
  version: wire.version,
  engine: "nomad",
  tokenHeader: "x-vault-token",
  bearer: true,
  tokenPrefix: "hvs.",
  sealed: "Vault is sealed",
  raw: [
    ...["rekey", "rekey-recovery-key"].flatMap((path) => ["init", "update", "verify"].map((end) => `sys/${path}/${end}`)),
    ...["sys/seal-status", "sys/unseal", "sys/health"],
  ],
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
  health: {
    performance_standby: false,
    enterprise: false,
    echo_duration_ms: 0,
    clock_skew_ms: 0,
    replication_primary_canary_age_ms: 0,
  },
  disablesVaultsRekey: false,
  rekeys: [
    vaultRekey,
    {
      ...vaultRekey,
      kind: "recovery",
      path: "rekey-recovery-key",
      backupPath: "rekey/recovery-key-backup",
      documented: false,
      errors: recoveryRekeyErrors,
    },
  ],
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

/** The dialect with a rekey that requires a token, as Vault 2.x is documented to. Nobody has compared it with that version. */
export const withRekeyToken = (dialect: Dialect): Dialect => ({
  ...dialect,
  raw: dialect.raw.filter((path) => !path.startsWith("sys/rekey")),
});

/** OpenBao 2.7.2, with `disable_unauthed_rekey_endpoints`, which is the default since 2.5. */
export const openbao: Dialect = {
  ...hashicorp,
  name: "openbao",
  version: "2.7.2",
  health: {},
  disablesVaultsRekey: true,
  rekeys: [
    rotation,
    {
      ...rotation,
      kind: "recovery",
      path: "rotate/recovery",
      backupPath: "rotate/recovery/backup",
      errors: recoveryRotationErrors,
    },
  ],
  openapi: {
    ...hashicorp.openapi,
    title: "OpenBao API",
    description: "HTTP API that gives you full access to OpenBao. All API routes are prefixed with `/v1/`.",
  },
};
