import { isObject } from "../text/json";

// The differences between the API document, Vault and OpenBao. No other module names a dialect.

/** The API of a rekey of one kind of keys. */
export interface RekeyApi {
  /** The path below `/v1` of `init`, `update` and `verify`. */
  path: string;
  /** The path below `/v1` of the backup. */
  backup: string;
  /** The method that starts an attempt or submits a share. */
  write: "PUT" | "POST";
  /** True if the fields of a response are below `data`. */
  wrapsData: boolean;
  /** True if a standby responds from its own memory, which holds no attempt of the active node. */
  standbysRespond: boolean;
  /** True if the start of a rekey without current keys returns the first ones. */
  returnsFirstKeys: boolean;
  /** The response of a service without this path. `who` has the path, and `hint` names the dialect to use. */
  notServed: { status: number; who: string; hint: string };
}

/** The differences between dialects. */
export interface SecretsDialect {
  tokenHeader: string;
  namespaceHeader: string;
  /** The default mount of the scheduler engine. */
  schedulerMount: string;
  /** True if `DELETE config/access` exists. Otherwise a blank configuration overwrites the old one. */
  deletesAccess: boolean;
  /** True if a first `config/access` without a token bootstraps the scheduler's ACL system. */
  bootstraps: boolean;
  roleName: { pattern: RegExp; reason: string };
  /** True if a client role needs policies and a management role must have none. */
  policiesByType: boolean;
  /** True if a generated token has a lease, which ends with the token that requested it. */
  tokensHaveLeases: boolean;
  /** The API document has no recovery keys. */
  rekey: { unseal: RekeyApi; recovery?: RekeyApi };
  /** True if a namespace may have unseal keys of its own. Otherwise a rekey ignores the namespace of the request. */
  sealsNamespaces: boolean;
  /** True if the service rejects several shares with a threshold of one. */
  thresholdOfOneIsForOneShare: boolean;
  /** True if the status of a rekey includes `verification_nonce`. */
  statusTellsVerification: boolean;
  /** True if a cancel must send the nonce of the attempt. The service then rejects one without a body. */
  cancelNamesNonce: boolean;
  /** True if a repeated share is rejected without a change to the attempt. */
  refusesRepeatedShares: boolean;
  /** The status codes of the response that no backup exists. */
  noBackup: readonly number[];
  /** True if `sys/seal-status` includes `recovery_seal`. */
  showsSeal: boolean;
  /** True if a rekey to one share may complete without returning it, because the seal stores the key. */
  mayKeepShare: boolean;
  /** The type of the scheduler engine in the list of mounts. Undefined if the service has no such list. */
  mountType?: string;
  /** True if a 404 with an empty list of errors proves that the object does not exist. */
  provesAbsence: boolean;
  /** True for the body of the service's own response to a write. Any other comes from a gateway. */
  ownsBody(body: Record<string, unknown>): boolean;
}

const sysRekey: RekeyApi = {
  path: "sys/rekey",
  backup: "sys/rekey/backup",
  write: "PUT",
  wrapsData: false,
  standbysRespond: false,
  returnsFirstKeys: false,
  notServed: {
    status: 405,
    who: "which OpenBao 2.5 and later disable",
    hint: 'For OpenBao, set the connection\'s dialect to "openbao", or set BAO_ADDR and BAO_TOKEN where the environment names the service.',
  },
};

const sysRotate: RekeyApi = {
  path: "sys/rotate/root",
  backup: "sys/rotate/root/backup",
  write: "POST",
  wrapsData: true,
  standbysRespond: true,
  returnsFirstKeys: true,
  notServed: {
    status: 404,
    who: "which only OpenBao 2.4 and later have",
    hint: 'For Vault and older OpenBao, set the connection\'s dialect to "hashicorp", or set VAULT_ADDR and VAULT_TOKEN in place of BAO_ADDR and BAO_TOKEN.',
  },
};

/** Each response of the API has a `lease_id`, which may be empty. The responses of sys/rekey have none. */
const ownsBody = (body: Record<string, unknown>): boolean => "lease_id" in body || "nonce" in body;

/** Vault. */
const hashicorp: SecretsDialect = {
  tokenHeader: "x-vault-token",
  namespaceHeader: "x-vault-namespace",
  schedulerMount: "nomad",
  deletesAccess: true,
  bootstraps: true,
  roleName: {
    pattern: /^(?!.*\.\.)\w([\w.-]*\w)?$/,
    reason: 'must be letters, digits, _, - and ., without "..", and begin and end with a letter, a digit or _',
  },
  policiesByType: true,
  tokensHaveLeases: true,
  rekey: { unseal: sysRekey, recovery: { ...sysRekey, path: "sys/rekey-recovery-key", backup: "sys/rekey/recovery-key-backup" } },
  sealsNamespaces: false,
  thresholdOfOneIsForOneShare: true,
  statusTellsVerification: true,
  cancelNamesNonce: true,
  refusesRepeatedShares: true,
  noBackup: [400],
  showsSeal: true,
  mayKeepShare: false,
  mountType: "nomad",
  provesAbsence: true,
  ownsBody,
};

export const dialects: Record<string, SecretsDialect> = {
  standard: {
    tokenHeader: "x-secrets-token",
    namespaceHeader: "x-secrets-namespace",
    schedulerMount: "scheduler",
    deletesAccess: false,
    bootstraps: false,
    roleName: { pattern: /^(?!\.{1,2}$)[^/]+$/, reason: 'must not be empty, hold a slash, or be "." or ".."' },
    policiesByType: false,
    tokensHaveLeases: false,
    rekey: { unseal: sysRekey },
    sealsNamespaces: false,
    thresholdOfOneIsForOneShare: false,
    statusTellsVerification: false,
    cancelNamesNonce: false,
    refusesRepeatedShares: false,
    noBackup: [400, 404],
    showsSeal: false,
    mayKeepShare: true,
    // The document does not show the body of a 404, so the 404 of a gateway may look the same.
    provesAbsence: false,
    // The document shows no body for most writes, and only `data` for some, so an empty object and `data` count.
    ownsBody: (body) => ownsBody(body) || isObject(body.data) || Object.keys(body).length === 0,
  },
  hashicorp,
  openbao: {
    ...hashicorp,
    rekey: { unseal: sysRotate, recovery: { ...sysRotate, path: "sys/rotate/recovery", backup: "sys/rotate/recovery/backup" } },
    sealsNamespaces: true,
    // A cancel takes no nonce, and no attempt is too young for it.
    cancelNamesNonce: false,
  },
};
