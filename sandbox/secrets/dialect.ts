import { HttpError, one } from "./http-error";
import { Granted } from "./leases";
import { Rule, sees, seesMount } from "./policy";
import { Attempt, Backup } from "./records";
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

const inData = (data: unknown): Record<string, unknown> => wire.envelope(data);

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

/** The generation of a root token. */
const generateRoot = {
  /** The path below `sys/`. */
  path: "generate-root",
  /** Belongs to an engine, which responds with `data`. */
  inData: false,
  inProgress: "root generation already in progress",
  /** The response to a share that is rejected. */
  refused: (reason: string): HttpError => new HttpError(400, reason),
  /** The reason for a wrong key. */
  unreadable:
    "failed to decrypt keys from storage: error decrypting seal wrapped value\nerror decrypting using seal shamir: cipher: message authentication failed",
};

export type RootTokens = typeof generateRoot;

/** Vault 1.21. */
export const hashicorp = {
  /** For a route file that one dialect serves. */
  name: "hashicorp" as "standard" | "hashicorp" | "openbao",
  /** The product's version. */
  version: wire.version,
  /** The engine's type, and its mount in the seed. */
  engine: "nomad",
  tokenHeader: "x-vault-token",
  /** Accepts the token in `Authorization: Bearer`. */
  bearer: true,
  tokenPrefix: "hvs.",
  /** The error of a sealed service, of a token that does not exist, and of a mount whose removal failed. */
  sealed: "Vault is sealed",
  invalidToken: "2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n",
  tainted: (path: string): string => `no handler for route "${path}". route entry is tainted.`,
  /** Paths without an engine. They need no token and read the body strictly. Some respond while the service is sealed. */
  raw: [
    ...["rekey", "rekey-recovery-key"].flatMap((path) => ["init", "update", "verify"].map((end) => `sys/${path}/${end}`)),
    ...["sys/generate-root/attempt", "sys/generate-root/update"],
    ...["sys/seal-status", "sys/unseal", "sys/health"],
  ],
  /** The methods that write to the engine. */
  writes: ["POST", "PUT"],
  /** Serves the deletion of the access configuration. */
  deletesAccess: true,
  /** Rejects a client certificate without its key, and a key without its certificate, when they are written. */
  pairsCertificates: false,
  /** Bootstraps the scheduler's ACLs if the first access configuration has no token. */
  bootstraps: true,
  /** The response to a request for a token of a role that does not exist. */
  noRole: (name: string): HttpError => new HttpError(400, `role "${name}" not found`),
  /** Serves the lookup, renewal and revocation of leases, and the lookup and revocation of tokens. */
  leases: true,
  /** The lookup of a lease includes its path. */
  leasesShowPath: false,
  /**
   * `pattern`: the pattern of role names. A path with any other name does not exist. `doubleDots`: accepts ".." in a name. It matches Vault's pattern,
   * but Vault's storage rejects it.
   */
  roleName: { pattern: "[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?", doubleDots: false },
  /** Requires policies in client roles, and rejects them in management roles. */
  judgesPolicies: true,
  /** A write of a role without a type resets it, although omitted policies stay. */
  resetsRoleType: true,
  access: wire.fullAccess,
  role: wire.fullRole,
  /** The body of a response with `data`. */
  envelope: wire.envelope,
  /** The body of a response with `data` and a lease. */
  leased: ({ lease, seconds, warnings }: Granted, data: unknown, mountType?: string): Record<string, unknown> => ({
    ...wire.envelope(data, mountType),
    lease_id: lease.id,
    renewable: true,
    lease_duration: seconds,
    warnings: warnings.length > 0 ? warnings : null,
  }),
  /** The fields of `sys/health` that only Vault has. */
  health: {
    performance_standby: false,
    enterprise: false,
    echo_duration_ms: 0,
    clock_skew_ms: 0,
    replication_primary_canary_age_ms: 0,
  } as Record<string, unknown>,
  /** Responds on Vault's paths of a rekey as if they were disabled. */
  disablesVaultsRekey: false,
  /** The rekey of the unseal keys and, if the dialect has recovery keys, theirs. */
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
  ] as readonly [Rekey, ...Rekey[]],
  rootTokens: generateRoot as RootTokens | undefined,
  openapi: {
    title: "HashiCorp Vault API",
    description: "HTTP API that gives you full access to Vault. All API routes are prefixed with `/v1/`.",
    license: { name: "Mozilla Public License 2.0", url: "https://www.mozilla.org/en-US/MPL/2.0" },
    /** The names of the vendor extensions of a path. */
    sudo: "x-vault-sudo",
    unauthenticated: "x-vault-unauthenticated",
    create: "x-vault-createSupported",
    /** The end of a path that lists a collection. */
    listEnd: "/",
    /** The documented status of a canceled rekey and of an unmount. Vault documents 200, but returns 204. */
    removal: "200" as "200" | "204",
    /** Describes every path, not only those that Vault describes. */
    describesAll: false,
    /** True if a token with these rules sees the path. `beginning`: the path ends in a parameter, which is cut off here. */
    shows: (rules: Rule[], mount: string, _path: string, _beginning: boolean): boolean => seesMount(rules, mount),
  },
};

/** The differences between the API specification, Vault and OpenBao. Routes read this table. Only a file that one dialect serves reads the name. */
export type Dialect = typeof hashicorp;

export const standard: Dialect = {
  name: "standard",
  version: "1.12.0",
  engine: "scheduler",
  tokenHeader: "x-secrets-token",
  bearer: false,
  tokenPrefix: "s.",
  sealed: "the service is sealed",
  invalidToken: hashicorp.invalidToken,
  tainted: hashicorp.tainted,
  raw: [],
  writes: ["POST"],
  deletesAccess: false,
  pairsCertificates: true,
  bootstraps: false,
  noRole: () => new HttpError(404),
  leases: false,
  leasesShowPath: false,
  roleName: { pattern: "[^/]+", doubleDots: true },
  judgesPolicies: false,
  resetsRoleType: false,
  access: wire.bareAccess,
  role: wire.bareRole,
  envelope: (data) => ({ data }),
  // The specification shows no lease, although the token expires with one.
  leased: (_, data) => ({ data }),
  health: {},
  disablesVaultsRekey: false,
  rekeys: [standardRekey],
  rootTokens: undefined,
  openapi: {
    title: "Secrets Service API",
    description: "HTTP API that gives you full access to the service. All API routes are prefixed with `/v1/`.",
    license: { name: "Apache License 2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    sudo: "x-secrets-sudo",
    unauthenticated: "x-secrets-unauthenticated",
    create: "x-secrets-create-supported",
    listEnd: "",
    removal: "204",
    describesAll: true,
    shows: (rules, _mount, path, beginning) => sees(rules, path, beginning),
  },
};

/** The dialect with a rekey and a generation of root tokens that require a token, as in Vault 2.x: test/sandbox/secrets/vault-2.test.ts. */
export const withRekeyToken = (dialect: Dialect): Dialect => ({
  ...dialect,
  raw: dialect.raw.filter((path) => !/^sys\/(rekey|generate-root)/.test(path)),
});

/** OpenBao 2.7.2, with `disable_unauthed_rekey_endpoints`, which is the default since 2.5. */
export const openbao: Dialect = {
  ...hashicorp,
  name: "openbao",
  version: "2.7.2",
  tokenPrefix: "s.",
  health: {},
  invalidToken: "permission denied",
  tainted: (path) => `no handler for route "${path}" on namespace "". route entry or namespace is tainted.`,
  leasesShowPath: true,
  roleName: { ...hashicorp.roleName, doubleDots: true },
  envelope: (data) => wire.envelope(data),
  leased: (granted, data) => hashicorp.leased(granted, data),
  disablesVaultsRekey: true,
  rekeys: [
    rotation,
    { ...rotation, kind: "recovery", path: "rotate/recovery", backupPath: "rotate/recovery/backup", errors: recoveryRotationErrors },
  ],
  rootTokens: {
    path: "generate-root-token",
    inData: true,
    inProgress: "root generation already in progress for this namespace",
    refused: (reason) => new HttpError(500, one(reason)),
    unreadable: "failed to decrypt keys from storage: cipher: message authentication failed",
  },
  openapi: {
    ...hashicorp.openapi,
    title: "OpenBao API",
    description: "HTTP API that gives you full access to OpenBao. All API routes are prefixed with `/v1/`.",
  },
};
