import { isObject } from "../text/json";

// The differences between the API document, Vault and OpenBao. No other module names a dialect.

/** The API of a rekey of one kind of keys: here of the unseal keys, in Vault. */
const sysRekey = {
  /** The path below `/v1` of `init`, `update` and `verify`. */
  path: "sys/rekey",
  /** The path below `/v1` of the backup. */
  backup: "sys/rekey/backup",
  /** The method that starts an attempt or submits a share. */
  write: "PUT" as "PUT" | "POST",
  /** True if the fields of a response are below `data`. */
  wrapsData: false,
  /** True if a standby responds from its own memory, which holds no attempt of the active node. */
  standbysRespond: false,
  /** True if the start of a rekey without current keys returns the first ones. */
  returnsFirstKeys: false,
  /** The response of a service without this path. `who` has the path, and `hint` names the dialect to use. */
  notServed: {
    status: 405,
    who: "which OpenBao 2.5 and later disable",
    hint: 'For OpenBao, set the connection\'s dialect to "openbao", or export BAO_ADDR and BAO_TOKEN.',
  },
};

export type RekeyApi = typeof sysRekey;

const recoveryRekey = { ...sysRekey, path: "sys/rekey-recovery-key", backup: "sys/rekey/recovery-key-backup" };

const generateRoot = {
  ...sysRekey,
  path: "sys/generate-root",
  notServed: {
    status: 405,
    who: "which OpenBao 2.5.3 and later disable",
    hint: "For OpenBao 2.6 or later, export BAO_ADDR and BAO_TOKEN. For 2.5, open the path: see docs/rekey/break-glass.md#tokens-and-policies in the package.",
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
    hint: 'For Vault and older OpenBao, set the connection\'s dialect to "hashicorp", or export VAULT_ADDR and VAULT_TOKEN instead of BAO_ADDR and BAO_TOKEN.',
  },
};

/** True for JSON that may not be the service's own response to a write, but a message about a failure or of a gateway. */
export function isMessage(body: unknown): boolean {
  if (Array.isArray(body)) return body.some(isMessage);
  if (!isObject(body)) return typeof body === "string";
  const tells = ([name, value]: [string, unknown]): boolean =>
    /^(ok|success)$/i.test(name) ? value === false : /^(message|errors?|error_?message|fault|detail)$/i.test(name) && !hasNoValue(value);
  return Object.entries(body).some(tells);
}

/** True for null, and for a string, a list or an object without content. */
export const hasNoValue = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);

/** Each response of the API has a `lease_id`, which may be empty. The responses of sys/rekey have none. */
const ownsBody = (body: Record<string, unknown>): boolean => "lease_id" in body || "nonce" in body;

/** The differences between dialects, as Vault has them. */
const hashicorp = {
  /** Its names in messages. `engine` precedes a noun: `Nomad secrets engine`. */
  words: { service: "Vault", scheduler: "Nomad", engine: "Nomad" },
  tokenHeader: "x-vault-token",
  namespaceHeader: "x-vault-namespace",
  /** The default mount of the Nomad secrets engine. */
  schedulerMount: "nomad",
  /** True if `DELETE config/access` exists. Otherwise a blank configuration overwrites the old one. */
  deletesAccess: true,
  /** True if a first `config/access` without a token bootstraps Nomad's ACL system. */
  bootstraps: true,
  roleName: {
    pattern: /^(?!.*\.\.)\w([\w.-]*\w)?$/,
    reason: 'must be letters, digits, _, - and ., without "..", and begin and end with a letter, a digit or _',
  },
  /** True if a client role needs policies and a management role must have none. */
  policiesByType: true,
  /** True if a generated token has a lease, which ends with the token that requested it. */
  tokensHaveLeases: true,
  /** The API document has no recovery keys, and no root tokens. */
  rekey: { unseal: sysRekey, recovery: recoveryRekey as RekeyApi | undefined, root: generateRoot as RekeyApi | undefined },
  /** True if a namespace may have unseal keys of its own. Otherwise a rekey ignores the namespace of the request. */
  sealsNamespaces: false,
  /** True if the server rejects several shares with a threshold of one. */
  thresholdOfOneIsForOneShare: true,
  /** True if the status of a rekey includes `verification_nonce`. */
  statusTellsVerification: true,
  /** True if a cancel must send the nonce of the attempt. The server then rejects one without a body. */
  cancelNamesNonce: true,
  /** True if a repeated share is rejected without a change to the attempt. */
  refusesRepeatedShares: true,
  /** True if the verification of new shares counts a repeated one, with which it cannot combine a threshold. */
  countsRepeatedNewShares: false,
  /** The status codes of the response that no backup exists. */
  noBackup: [400],
  /** True if `sys/seal-status` includes `recovery_seal`. */
  showsSeal: true,
  /** True if a rekey to one share may complete without returning it, because the seal stores the key. Its start has `stored_shares`. */
  mayKeepShare: false,
  /** The type of the Nomad secrets engine in the list of mounts. Undefined if the server has no such list. */
  mountType: "nomad" as string | undefined,
  /** True if the form of each response is known: a 404 with an empty list of errors then proves an absence. Otherwise a read settles the doubt. */
  formsAreKnown: true,
  /** True for the body of the server's own response to a write. Any other comes from a gateway. */
  ownsBody,
};

export type SecretsDialect = typeof hashicorp;

export const dialects: Record<string, SecretsDialect> = {
  standard: {
    words: { service: "the service", scheduler: "the scheduler", engine: "scheduler" },
    tokenHeader: "x-secrets-token",
    namespaceHeader: "x-secrets-namespace",
    schedulerMount: "scheduler",
    deletesAccess: false,
    bootstraps: false,
    roleName: { pattern: /^(?!\.{1,2}$)[^/]+$/, reason: 'must not be empty, contain a slash, or be "." or ".."' },
    policiesByType: false,
    tokensHaveLeases: false,
    rekey: { unseal: sysRekey, recovery: undefined, root: undefined },
    sealsNamespaces: false,
    thresholdOfOneIsForOneShare: false,
    statusTellsVerification: false,
    cancelNamesNonce: false,
    refusesRepeatedShares: false,
    countsRepeatedNewShares: true,
    noBackup: [400, 404],
    showsSeal: false,
    mayKeepShare: true,
    mountType: undefined,
    // The document shows no body for an error and for most writes.
    formsAreKnown: false,
    // An empty object and `data` count without a read back.
    ownsBody: (body) =>
      !isMessage(body) && !isMessage(body.data) && (ownsBody(body) || isObject(body.data) || Object.keys(body).length === 0),
  },
  hashicorp,
  openbao: {
    ...hashicorp,
    words: { ...hashicorp.words, service: "OpenBao" },
    // Its storage accepts "..", which Vault's rejects.
    roleName: {
      pattern: /^\w([\w.-]*\w)?$/,
      reason: "must be letters, digits, _, - and ., and begin and end with a letter, a digit or _",
    },
    rekey: {
      unseal: sysRotate,
      recovery: { ...sysRotate, path: "sys/rotate/recovery", backup: "sys/rotate/recovery/backup" },
      root: {
        ...sysRotate,
        path: "sys/generate-root-token",
        notServed: { ...sysRotate.notServed, who: "which only OpenBao 2.6 and later have" },
      },
    },
    sealsNamespaces: true,
    countsRepeatedNewShares: true,
    // A cancel takes no nonce, and no attempt is too young for it.
    cancelNamesNonce: false,
  },
};
