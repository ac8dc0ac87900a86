import type { Access, Lease, Role } from "./records";

/** The specification shows the address and nothing else. */
export function bareAccess(access: Access): Record<string, unknown> {
  return { address: access.address };
}

/** The token and the client key never come back. */
export function fullAccess(access: Access): Record<string, unknown> {
  return {
    address: access.address,
    ca_cert: access.caCert,
    client_cert: access.clientCert,
    max_token_name_length: access.maxTokenNameLength,
  };
}

export function lease(lease: Lease): Record<string, unknown> {
  return { max_ttl: lease.maxTtl, ttl: lease.ttl };
}

/** `global` is not in the specification's answer. A role has no lease of its own, so its duration is none. */
export function bareRole(role: Role): Record<string, unknown> {
  return { lease: "0s", policies: role.policies, token_type: role.type };
}

export function fullRole(role: Role): Record<string, unknown> {
  return { global: role.global, policies: role.policies, type: role.type };
}
