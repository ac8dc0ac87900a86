// Written by `npm run generate` from the definitions and their comments: change those.

import { CustomResource, CustomResourceOptions } from "@pulumi/pulumi/resource";
import { Args, Getter, getter, Outputs, registration } from "../resource";
import { SchedulerAccessInputs, SchedulerAccessState, schedulerAccess } from "./scheduler-access";
import { SchedulerLeaseInputs, SchedulerLeaseState, schedulerLease } from "./scheduler-lease";
import { SchedulerRoleInputs, SchedulerRoleState, schedulerRole } from "./scheduler-role";
import { SchedulerRolesInputs, SchedulerRolesState, schedulerRoles } from "./scheduler-roles";
import { SchedulerTokenInputs, SchedulerTokenState, schedulerToken } from "./scheduler-token";

export { SchedulerAccessInputs, SchedulerAccessState } from "./scheduler-access";
export { SchedulerLeaseInputs, SchedulerLeaseState } from "./scheduler-lease";
export { RoleAttributes, RoleState, RoleType, SchedulerRoleInputs, SchedulerRoleState } from "./scheduler-role";
export { SchedulerRolesInputs, SchedulerRolesState } from "./scheduler-roles";
export { SchedulerTokenInputs, SchedulerTokenState } from "./scheduler-token";

/** Arguments of {@link SchedulerAccess}. */
export interface SchedulerAccessArgs extends Args<SchedulerAccessInputs> {}
export interface SchedulerAccess extends Outputs<SchedulerAccessState> {}

/**
 * The connection from the Nomad secrets engine to Nomad.
 *
 * Each engine has one configuration. The provider never overwrites an existing one silently: creating it fails with `ERR_ALREADY_EXISTS` unless
 * `adopt` is set. In the standard dialect, a configuration without an address counts as none. Deleting the resource leaves no management token on
 * the server: without a `DELETE`, the provider writes a blank configuration. Pass `token` and `clientKey` as Pulumi secrets.
 *
 * @example An address and a management token
 * ```ts
 * new secrets.SchedulerAccess("access", {
 *   address: "https://nomad.example.com:4646",
 *   token: config.requireSecret("managementToken"),
 * });
 * ```
 * @example Mutual TLS
 * ```ts
 * new secrets.SchedulerAccess("access", {
 *   address: "https://nomad.example.com:4646",
 *   token: config.requireSecret("managementToken"),
 *   caCert: fs.readFileSync("nomad-ca.pem", "utf8"),
 *   clientCert: fs.readFileSync("vault.pem", "utf8"),
 *   clientKey: config.requireSecret("vaultClientKey"),
 *   maxTokenNameLength: 128,
 *   adopt: true,
 * });
 * ```
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad)
 * @requests In the standard dialect, the first 404 of a run also reads the OpenAPI document, which must list the path for the token.
 * @unreadable `token` and `clientKey`; in the standard dialect everything except `address`.
 */
export class SchedulerAccess extends CustomResource {
  /** Reads what exists without managing it; the id is `<mount>/config/access`. */
  static readonly get: Getter<SchedulerAccess> = getter(() => SchedulerAccess);

  constructor(name: string, args: SchedulerAccessArgs, opts?: CustomResourceOptions) {
    super(...registration(schedulerAccess, name, args, opts));
  }
}

/** Arguments of {@link SchedulerLease}. */
export interface SchedulerLeaseArgs extends Args<SchedulerLeaseInputs> {}
export interface SchedulerLease extends Outputs<SchedulerLeaseState> {}

/**
 * The TTL and the maximum TTL of generated Nomad tokens.
 *
 * Each engine has one lease configuration. The provider never overwrites an existing one silently: creating it fails with `ERR_ALREADY_EXISTS`
 * unless `adopt` is set. Deleting it restores the defaults of the service, not the previous values. An undeclared value keeps its value from the last
 * refresh and is not compared. A value that is removed from the program stays on the server. The state then keeps it encrypted, and the output is
 * empty until the service returns another value.
 *
 * @example A TTL
 * ```ts
 * new secrets.SchedulerLease("lease", { ttl: "30m" });
 * ```
 * @example Both values, with a change of what exists
 * ```ts
 * new secrets.SchedulerLease("lease", { ttl: "30m", maxTtl: "8h", adopt: true }, { dependsOn: access });
 * ```
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad)
 * @requests If a value was removed from the program, the update first sends the `GET`.
 * In the standard dialect, the first 404 of a run also reads the OpenAPI document, which must list the path for the token.
 * @unreadable Nothing: the service returns both values.
 */
export class SchedulerLease extends CustomResource {
  /** Reads what exists without managing it; the id is `<mount>/config/lease`. */
  static readonly get: Getter<SchedulerLease> = getter(() => SchedulerLease);

  constructor(name: string, args: SchedulerLeaseArgs, opts?: CustomResourceOptions) {
    super(...registration(schedulerLease, name, args, opts));
  }
}

/** Arguments of {@link SchedulerRole}. */
export interface SchedulerRoleArgs extends Args<SchedulerRoleInputs> {}
export interface SchedulerRole extends Outputs<SchedulerRoleState> {}

/**
 * A role of the Nomad secrets engine, from which Vault generates Nomad tokens.
 *
 * The provider never adopts an existing role silently: creating it fails with `ERR_ALREADY_EXISTS` unless `adopt` is set.
 *
 * @example A role with two policies
 * ```ts
 * new secrets.SchedulerRole("web", { name: "web", policies: ["deploy", "read-logs"] });
 * ```
 * @example Roles of an engine that the same program configures, at a mount of their own
 * ```ts
 * const mount = "team/nomad";
 * const access = new secrets.SchedulerAccess("access", {
 *   mount,
 *   address: "https://nomad.example.com:4646",
 *   token: config.requireSecret("managementToken"),
 * });
 * const opts = { dependsOn: access };
 * new secrets.SchedulerRole("deploy", { mount, name: "deploy", policies: ["deploy"], adopt: true }, opts);
 * new secrets.SchedulerRole("operator", { mount, name: "operator", type: "management", global: true }, opts);
 * ```
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad)
 * @requests A create with `adopt` reads the role in both dialects. In the standard dialect, a refresh that gets a 404 also reads the list.
 * If the list is a 404 too, the provider reads the OpenAPI document, once in a run.
 * @unreadable `global`, in the standard dialect; after `get` it is undefined there.
 */
export class SchedulerRole extends CustomResource {
  /** Reads what exists without managing it; the id is `<mount>/role/<name>`. */
  static readonly get: Getter<SchedulerRole> = getter(() => SchedulerRole);

  constructor(name: string, args: SchedulerRoleArgs, opts?: CustomResourceOptions) {
    super(...registration(schedulerRole, name, args, opts));
  }
}

/** Arguments of {@link SchedulerRoles}. */
export interface SchedulerRolesArgs extends Args<SchedulerRolesInputs> {}
export interface SchedulerRoles extends Outputs<SchedulerRolesState> {}

/**
 * Many roles of one Nomad secrets engine, faster than one resource for each.
 *
 * If some writes fail, the others succeed. The error names the failed roles, and the next `pulumi up` continues from there. With `exclusive`, no
 * other role may exist at the mount. Pulumi deletes only roles that a `pulumi refresh` has shown, and `pulumi destroy` deletes only declared ones.
 *
 * @example Two roles
 * ```ts
 * new secrets.SchedulerRoles("teams", { roles: { web: { policies: ["deploy"] }, search: { policies: ["deploy"] } } });
 * ```
 * @example All roles of a mount, from a file
 * ```ts
 * const teams: Record<string, string[]> = JSON.parse(fs.readFileSync("teams.json", "utf8"));
 * const roles = Object.fromEntries(Object.entries(teams).map(([team, policies]) => [team, { policies }]));
 * new secrets.SchedulerRoles(
 *   "teams",
 *   { roles: { ...roles, operator: { type: "management", global: true } }, exclusive: true },
 *   { dependsOn: access },
 * );
 * ```
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad)
 * @requests One `GET`, `POST` or `DELETE` for each role. An update writes only the roles that differ, and reads the list only if roles were added.
 * With `adopt`, a create or update also reads each new role that already exists.
 * In the standard dialect, the first 404 of a run also reads the OpenAPI document, which must list the path for the token.
 * @unreadable `global` of each role, in the standard dialect; after `get` it is undefined there. The set has no output `lease`, which
 * `SchedulerRole.get` reads.
 */
export class SchedulerRoles extends CustomResource {
  /** Reads what exists without managing it; the id is `<mount>/role`. */
  static readonly get: Getter<SchedulerRoles> = getter(() => SchedulerRoles);

  constructor(name: string, args: SchedulerRolesArgs, opts?: CustomResourceOptions) {
    super(...registration(schedulerRoles, name, args, opts));
  }
}

/** Arguments of {@link SchedulerToken}. */
export interface SchedulerTokenArgs extends Args<SchedulerTokenInputs> {}
export interface SchedulerToken extends Outputs<SchedulerTokenState> {}

/**
 * A Nomad token, generated from a role.
 *
 * **On Vault, a lease ends with the token that requested it.** A token that a pipeline generates with a short login expires with that login. Run the
 * program with a token that lives longer than the lease. The provider warns if it does not. Nothing renews the lease.
 *
 * Pulumi generates the token once, on create, and never in a preview or a refresh. The request is retried only after a 429. A change of `role`,
 * `mount` or `keepers` generates another token, then revokes the old one. `pulumi refresh` detects that the lease has ended, and the next `pulumi up`
 * generates another token. If the service returns no lease, as in the standard dialect, Pulumi can neither detect this nor revoke the token. The state
 * contains the token, encrypted.
 *
 * @example A token of an existing role
 * ```ts
 * new secrets.SchedulerToken("deploy", { role: "deploy" });
 * ```
 * @example A token that is replaced each month
 * ```ts
 * const role = new secrets.SchedulerRole("deploy", { name: "deploy", policies: ["deploy"] }, { dependsOn: access });
 * const month = new Date().toISOString().slice(0, 7);
 * const token = new secrets.SchedulerToken("deploy", { role: role.name, keepers: { month } });
 * export const nomadToken = token.secretId;
 * ```
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad) and
 * [leases](https://developer.hashicorp.com/vault/api-docs/system/leases)
 * @requests Without a lease, a refresh and a delete send nothing.
 * @unreadable The token; without a lease, also its validity.
 */
export class SchedulerToken extends CustomResource {
  constructor(name: string, args: SchedulerTokenArgs, opts?: CustomResourceOptions) {
    super(...registration(schedulerToken, name, args, opts));
  }
}
