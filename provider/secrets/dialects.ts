// A dialect is a row of this table, and no condition elsewhere.

/** Where a service has its rekey, and how it answers there. */
interface RekeyApi {
  /** Below `/v1`, before `init`, `update`, `verify` and `backup`. */
  path: string;
  /** The method that starts an attempt, and submits a share. */
  write: "PUT" | "POST";
  /** Whether a response has its fields below `data`. */
  wrapsData: boolean;
  /** How a service answers that does not serve this path, why, and the dialect that it needs. */
  notServed: { status: number; reason: string; hint: string };
}

/** What differs between the API documents and the real products. @internal */
export interface SecretsDialect {
  tokenHeader: string;
  namespaceHeader: string;
  /** Where the scheduler engine is mounted when nobody says. */
  schedulerMount: string;
  /** Whether `config/access` can be deleted; without that a blank one is written over it. */
  deletesAccess: boolean;
  /** Whether a first `config/access` without a token makes the service bootstrap the scheduler's ACLs. */
  bootstraps: boolean;
  roleName: { pattern: RegExp; reason: string };
  /** Whether a client role needs policies, and a management role may have none. */
  policiesByType: boolean;
  /** Whether what the engine generates has a lease, which ends with the token that asked for it. */
  tokensHaveLeases: boolean;
  rekey: RekeyApi;
  /** Whether several shares with a threshold of one are refused. */
  thresholdOfOneIsForOneShare: boolean;
  /** Whether the status of a rekey tells that the new shares are being verified. */
  statusTellsVerification: boolean;
  /** Whether a cancel has to name the attempt; it is then refused without a body. */
  cancelNamesNonce: boolean;
  /** Whether a share given twice is refused, and everything else stays. */
  refusesRepeatedShares: boolean;
  /** What answers that no backup is kept. */
  noBackup: readonly number[];
  /** Whether `sys/seal-status` tells what kind of seal keeps the key. */
  showsSeal: boolean;
  /** Whether a rekey to one share of one may complete without a share: its seal keeps the key. */
  mayKeepShare: boolean;
  /** The type of the scheduler engine in the list of mounts. Missing: the service has no such list. */
  mountType?: string;
  /** Whether a 404 with an empty list of errors proves by itself that an object does not exist. */
  provesAbsence: boolean;
}

const sysRekey: RekeyApi = {
  path: "sys/rekey",
  write: "PUT",
  wrapsData: false,
  notServed: {
    status: 405,
    reason: "the service does not serve sys/rekey, which OpenBao disables since 2.5",
    hint: 'For OpenBao, set the connection\'s dialect to "openbao", or set BAO_ADDR and BAO_TOKEN where the environment names the service.',
  },
};

/** Vault, and the products that have its API. */
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
  rekey: sysRekey,
  thresholdOfOneIsForOneShare: true,
  statusTellsVerification: true,
  cancelNamesNonce: true,
  refusesRepeatedShares: true,
  noBackup: [400],
  showsSeal: true,
  mayKeepShare: false,
  mountType: "nomad",
  provesAbsence: true,
};

/** @internal */
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
    rekey: sysRekey,
    thresholdOfOneIsForOneShare: false,
    statusTellsVerification: false,
    cancelNamesNonce: false,
    refusesRepeatedShares: false,
    noBackup: [400, 404],
    showsSeal: false,
    mayKeepShare: true,
    // The document does not show the body of a 404, so a gateway's 404 may look the same.
    provesAbsence: false,
  },
  hashicorp,
  openbao: {
    ...hashicorp,
    rekey: {
      path: "sys/rotate/root",
      write: "POST",
      wrapsData: true,
      notServed: {
        status: 404,
        reason: "the service does not serve sys/rotate/root, which OpenBao has since 2.4, and Vault does not have",
        hint: 'For an older OpenBao, and for Vault, set the connection\'s dialect to "hashicorp", or set VAULT_ADDR and VAULT_TOKEN in place of BAO_ADDR and BAO_TOKEN.',
      },
    },
    // It takes no nonce, and guards no young attempt.
    cancelNamesNonce: false,
  },
};
