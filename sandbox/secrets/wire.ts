import { randomUUID } from "node:crypto";
import { Access, Attempt, Backup, Lease, LeaseConfig, Records, Role, RootAttempt, Token } from "./records";
import { Completed } from "./rekey";

/** The version of Vault, also in its OpenAPI document. */
export const version = "1.21.1";

/** The members of Vault's responses around their data. OpenBao's have no type of the mount. */
export function envelope(data: unknown, mountType?: string): Record<string, unknown> {
  return {
    request_id: randomUUID(),
    lease_id: "",
    renewable: false,
    lease_duration: 0,
    data,
    wrap_info: null,
    warnings: null,
    auth: null,
    mount_type: mountType,
  };
}

/** The data with its envelope, and again at the top level, as on some of Vault's system routes. */
export function twice(data: Record<string, unknown>): Record<string, unknown> {
  return { ...data, ...envelope(data, "system") };
}

const iso = (time: number | undefined): string | null => (time === undefined ? null : new Date(time).toISOString());
/** The whole seconds from now, rounded as in Vault. */
const left = (expires: number, now: number): number => Math.trunc((expires - Math.round(now / 1000) * 1000) / 1000);

export function leaseTimes({ issued, renewed, expires }: Lease, now: number): Record<string, unknown> {
  return {
    issue_time: iso(issued),
    expire_time: iso(expires),
    last_renewal: iso(renewed),
    renewable: expires > now,
    ttl: left(expires, now),
  };
}

/** The properties of a token, without its parent. Those of the root token lack `issue_time` and `renewable`. */
export function token(token: Token, now: number): Record<string, unknown> {
  const { expires, created } = token;
  const first = token.displayName === "root";
  return {
    accessor: token.accessor,
    creation_time: Math.floor(created / 1000),
    creation_ttl: token.ttl,
    display_name: token.displayName,
    entity_id: "",
    expire_time: iso(expires),
    explicit_max_ttl: token.explicitMaxTtl,
    id: token.id,
    meta: null,
    num_uses: 0,
    orphan: token.parent === undefined,
    path: first ? "auth/token/root" : ["auth/token/create", ...(token.role ? [token.role] : [])].join("/"),
    policies: token.policies,
    ttl: expires === undefined ? 0 : left(expires, now),
    type: "service",
    ...(!first && { issue_time: iso(created), renewable: token.renewable }),
    ...(token.role && { role: token.role }),
  };
}

/** The access configuration in the specification, which shows only the address. */
export function bareAccess(access: Access): Record<string, unknown> {
  return { address: access.address };
}

/** The access configuration in Vault, which never returns the token and the client key. */
export function fullAccess(access: Access): Record<string, unknown> {
  return {
    address: access.address,
    ca_cert: access.caCert,
    client_cert: access.clientCert,
    max_token_name_length: access.maxTokenNameLength,
  };
}

export function lease(lease: LeaseConfig): Record<string, unknown> {
  return { max_ttl: lease.maxTtl, ttl: lease.ttl };
}

/** A role in the specification, which does not show `global`. A role has no lease of its own, so `lease` is zero. */
export function bareRole(role: Role): Record<string, unknown> {
  return { lease: "0s", policies: role.policies, token_type: role.type };
}

export function fullRole(role: Role): Record<string, unknown> {
  return { global: role.global, policies: role.policies, type: role.type };
}

const fingerprints = ({ holders }: Attempt): string[] => holders.map(({ fingerprint }) => fingerprint);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

/** The status in the specification: fingerprints only if there are any, and no nonce of the verification. */
export function bareRekey(attempt: Attempt | undefined, required: number): Record<string, unknown> {
  const { pgp_fingerprints, verification_nonce: _, ...status } = fullRekey(attempt, required);
  return pgp_fingerprints ? { ...status, pgp_fingerprints } : status;
}

export function fullRekey(attempt: Attempt | undefined, required: number): Record<string, unknown> {
  return {
    nonce: attempt?.nonce ?? "",
    started: attempt !== undefined,
    t: attempt?.threshold ?? 0,
    n: attempt?.shares ?? 0,
    progress: attempt?.submitted.length ?? 0,
    required,
    pgp_fingerprints: attempt && attempt.holders.length > 0 ? fingerprints(attempt) : null,
    backup: attempt?.backup ?? false,
    verification_required: attempt?.verification ?? false,
    ...(attempt?.verificationNonce && { verification_nonce: attempt.verificationNonce }),
  };
}

/** The status in OpenBao, which shows only properties that are set. */
export function rotation(attempt: Attempt | undefined, required: number): Record<string, unknown> {
  if (!attempt) return { n: 0, required, started: false, t: 0 };
  return {
    n: attempt.shares,
    nonce: attempt.nonce,
    progress: attempt.submitted.length,
    required,
    started: true,
    t: attempt.threshold,
    verification_nonce: attempt.verificationNonce,
    verification_required: attempt.verification,
    ...(attempt.holders.length > 0 && { backup: attempt.backup, pgp_fingerprints: fingerprints(attempt) }),
  };
}

export function rotated(completed: Completed): Record<string, unknown> {
  return { ...fullRekeyed(completed), verification_nonce: completed.attempt.verificationNonce };
}

/** The response in OpenBao to a start that needs no current shares. The nonce is only in the status. */
export function created(completed: Completed): Record<string, unknown> {
  const { nonce: _, ...result } = rotated(completed);
  return { ...result, n: completed.attempt.shares, t: completed.attempt.threshold };
}

export function bareRekeyed(completed: Completed): Record<string, unknown> {
  const { pgp_fingerprints, ...result } = fullRekeyed(completed);
  return pgp_fingerprints ? { ...result, pgp_fingerprints } : result;
}

/** The result in Vault. With PGP keys, `keys` and `keys_base64` hold the encrypted messages. */
export function fullRekeyed({ attempt, shares }: Completed): Record<string, unknown> {
  return {
    nonce: attempt.nonce,
    complete: true,
    keys: shares.map(hex),
    keys_base64: shares.map(base64),
    pgp_fingerprints: attempt.holders.length > 0 ? fingerprints(attempt) : null,
    backup: attempt.backup,
    verification_required: attempt.verification,
    ...(attempt.verification && { verification_nonce: attempt.verificationNonce }),
  };
}

/** The verification in the specification. It has no `started`, so an empty nonce means that the verification has not started. */
export function bareVerification(attempt: Attempt): Record<string, unknown> {
  const { started, ...status } = fullVerification(attempt);
  return { ...status, nonce: started ? status.nonce : "" };
}

export function fullVerification(attempt: Attempt): Record<string, unknown> {
  return {
    nonce: attempt.verificationNonce,
    started: attempt.candidate !== undefined,
    t: attempt.threshold,
    n: attempt.shares,
    progress: attempt.proven.length,
  };
}

/** The backup in the specification, a map from fingerprint to message. It keeps only the last of several messages to one holder. */
export function bareBackup({ nonce, messages }: Backup): Record<string, unknown> {
  return { nonce, keys: Object.fromEntries(messages.map(({ fingerprint, message }) => [fingerprint, hex(message)])) };
}

export function fullBackup({ nonce, messages }: Backup): Record<string, unknown> {
  const lists = (spelling: (bytes: Uint8Array) => string): Record<string, string[]> => {
    const byFingerprint: Record<string, string[]> = {};
    for (const { fingerprint, message } of messages)
      byFingerprint[fingerprint] = [...(byFingerprint[fingerprint] ?? []), spelling(message)];
    return byFingerprint;
  };
  return { nonce, keys: lists(hex), keys_base64: lists(base64) };
}

/** The status of the generation of a root token. OpenBao shows `nonce` and `pgp_fingerprint` only of an attempt, and no token. */
export function rootStatus(attempt: RootAttempt | undefined, required: number, otp: object, inOpenBao: boolean): Record<string, unknown> {
  const { nonce = "", submitted = [], holder } = attempt ?? {};
  const own = { nonce, pgp_fingerprint: holder?.fingerprint ?? "" };
  const status = { started: attempt !== undefined, progress: submitted.length, required, complete: false, ...otp };
  return inOpenBao ? { ...status, ...(attempt && own) } : { ...status, ...own, encoded_token: "", encoded_root_token: "" };
}

/** The response to a share. `encoded` is the token after the last one. */
export function rootProgress(attempt: RootAttempt, required: number, encoded: string, inOpenBao: boolean): Record<string, unknown> {
  const complete = encoded !== "";
  const { otp, otp_length, ...shown }: Record<string, unknown> = rootStatus(attempt, required, { otp: "", otp_length: 0 }, inOpenBao);
  const more = inOpenBao ? {} : { otp, otp_length, encoded_root_token: encoded };
  return { ...shown, ...more, ...(complete && { progress: required }), complete, encoded_token: encoded };
}

export function sealStatus(records: Records, version: string): Record<string, unknown> {
  const { key, sealed, unsealing, cluster } = records;
  const stored = records.seal === "stored";
  return {
    type: stored ? "transit" : "shamir",
    initialized: true,
    sealed,
    t: key.threshold,
    n: key.shares.length,
    progress: unsealing?.parts.length ?? 0,
    nonce: unsealing?.nonce ?? "",
    version,
    build_date: "2025-10-22T00:00:00Z",
    migration: false,
    ...(!sealed && { cluster_name: cluster.name, cluster_id: cluster.id }),
    recovery_seal: stored,
    storage_type: "inmem",
    ...(stored && { recovery_seal_type: "shamir" }),
  };
}

export function health({ sealed, cluster }: Records, now: Date, version: string): Record<string, unknown> {
  const replication = sealed ? "unknown" : "disabled";
  return {
    initialized: true,
    sealed,
    // A sealed node is not active.
    standby: sealed,
    replication_performance_mode: replication,
    replication_dr_mode: replication,
    server_time_utc: Math.floor(now.getTime() / 1000),
    version,
    ...(!sealed && { cluster_name: cluster.name, cluster_id: cluster.id }),
  };
}
