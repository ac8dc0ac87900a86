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
 * The connection from the Nomad secrets engine to Nomad: `POST`, `GET` and, where the service has it, `DELETE <mount>/config/access`.
 *
 * An engine has one; its id is `<mount>/config/access`. One that has an address already is never overwritten silently: creating it fails
 * with `ERR_ALREADY_EXISTS` unless `adopt` is set. Deleting it leaves no management token on the server: where there is no `DELETE`, a blank
 * configuration is written. Where the service takes address or token from its own environment, leave them out; in the hashicorp dialect `token` is
 * required. `token` and `clientKey` cannot be read back, so their drift cannot be seen; give them as Pulumi secrets.
 *
 * ```ts
 * new secrets.SchedulerAccess("access", { address: "https://scheduler.example.com:4646", token: config.requireSecret("managementToken") });
 * ```
 *
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad)
 * @requests Create: 1 `GET` and 1 `POST`. Update: 1 `POST`. Refresh: 1 `GET`. Delete: 1 `DELETE`, or the
 * `POST` of a blank configuration. In the standard dialect a 404 costs one read more, at most once in a run: the OpenAPI document, which has to show
 * the path to the token.
 * @unreadable `token` and `clientKey`; in the standard dialect everything but `address`.
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
 * The TTL and the maximum TTL of generated Nomad tokens: `POST`, `GET` and `DELETE <mount>/config/lease`.
 *
 * An engine has one; its id is `<mount>/config/lease`. One that exists already is never overwritten silently: creating it fails with
 * `ERR_ALREADY_EXISTS` unless `adopt` is set. Deleting it brings the service's defaults back, not what was there before. A value that the program does not declare stays what the last refresh saw
 * and is not compared. One that leaves the program stays on the server too: the state keeps it encrypted, and the output is empty until the service
 * shows another value.
 *
 * ```ts
 * new secrets.SchedulerLease("lease", { ttl: "30m", maxTtl: "4h" });
 * ```
 *
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad)
 * @requests Create: 1 `GET` and 1 `POST`. Update: 1 `POST`, after 1 `GET` where one of
 * them leaves the program. Refresh: 1 `GET`. Delete: 1 `DELETE`. In the standard dialect a 404 costs one read more, at most once in a run: the
 * OpenAPI document, which has to show the path to the token.
 * @unreadable Nothing: both are shown.
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
 * A role of the Nomad secrets engine, from which Vault generates Nomad tokens: `POST`, `GET` and `DELETE <mount>/role/<name>`.
 * Its id is `<mount>/role/<name>`.
 *
 * A role that exists already is never taken over silently: creating it fails with `ERR_ALREADY_EXISTS` unless `adopt` is set, which prints what
 * it changes.
 *
 * ```ts
 * new secrets.SchedulerRole("web", { name: "web", policies: ["deploy", "read-logs"] });
 * ```
 *
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad)
 * @requests Create: 1 `GET` and 1 `POST`. Update: 1 `POST`. Refresh: 1 `GET`. Delete: 1 `DELETE`. In the standard dialect the list, which must not
 * hold the role, takes the place of the `GET` of a creation without `adopt`. There a refresh that gets a 404 reads the list as well.
 * Where the list is a 404 too, the OpenAPI document is read, once in a run.
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
 * Many roles of one Nomad secrets engine, faster than one resource for each: `POST`, `GET` and `DELETE <mount>/role/<name>`,
 * and `GET <mount>/role?list=true`. Its id is `<mount>/role`.
 *
 * Writes that fail leave the others done: the error names them, and the next `pulumi up` goes on. With `exclusive` the set is all
 * there may be at the mount; only roles that a `pulumi refresh` has shown are ever removed, and `pulumi destroy` removes declared ones alone.
 *
 * ```ts
 * new secrets.SchedulerRoles("teams", {
 *   roles: { web: { policies: ["deploy"] }, operators: { type: "management", global: true } },
 *   exclusive: true,
 * });
 * ```
 *
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad)
 * @requests Create: 1 list, and 1 `POST` for each role; with `adopt` 1 `GET` more for each role that exists. Update: 1 `POST` or `DELETE` for each
 * role that differs; where roles join, after 1 list, and with `adopt` 1 `GET` for each of them that exists. Refresh: 1 list, and 1 `GET` for each role. Delete: 1 `DELETE` for each declared role. In the standard dialect a list
 * answered 404 costs one read more, at most once in a run: the OpenAPI document, which has to show the path to the token.
 * @unreadable `global` of each role, in the standard dialect; after `get` it is undefined there. The `lease` of a role is no output of the set:
 * `SchedulerRole.get` reads it.
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
 * A Nomad token, generated from a role: `GET <mount>/creds/<role>`, `PUT sys/leases/lookup` and `PUT sys/leases/revoke`.
 *
 * **Where tokens have leases, as in Vault, this one ends with the token that asked for it**: what a pipeline's login generates ends with that login.
 * Let a long-lived token run the program whose tokens are to last; a warning says when its own life is shorter than the lease. Nothing renews the lease.
 *
 * It is generated once, when the resource is created: never in a preview or a refresh, and the request is retried only after a 429. Another one is generated when
 * `role`, `mount` or `keepers` change, and only then is the old one revoked. `pulumi refresh` notices that the lease has ended, and the next `pulumi up`
 * generates another token. Where the service shows no lease (the API documents do not), it can neither notice that nor revoke the token. The token
 * itself is in the state, encrypted.
 *
 * ```ts
 * const role = new secrets.SchedulerRole("deploy", { name: "deploy", policies: ["deploy"] }, { dependsOn: access });
 * const token = new secrets.SchedulerToken("deploy", { role: role.name, keepers: { month: "2026-01" } });
 * ```
 *
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad) and
 * [leases](https://developer.hashicorp.com/vault/api-docs/system/leases)
 * @requests Create: 1 `GET`, after 1 look at the own token where tokens have leases. Refresh: 1 `PUT` that looks the lease up. Delete: 1
 * `PUT` that revokes it. Where the service shows no lease, refresh and delete: none.
 * @unreadable The token; where the service shows no lease, also whether it still works.
 */
export class SchedulerToken extends CustomResource {
  constructor(name: string, args: SchedulerTokenArgs, opts?: CustomResourceOptions) {
    super(...registration(schedulerToken, name, args, opts));
  }
}
