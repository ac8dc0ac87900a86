import { bool, nonEmptyStr } from "../../contract/inputs";
import { SettingsInputs, SettingsState } from "./page";
import { SettingsDefinition, settings } from "./resource";

/** Attributes of the SCIM settings. */
export interface ScimSettingsAttributes {
  /**
   * True if the identity provider can provision users and groups, which requires SAML with the `providerType` of a supported product. No destroy
   * and no removal from the program restores it. To disable SCIM, declare false, which deletes all SCIM groups, their links to teams, and all
   * SCIM tokens, and cannot be undone.
   */
  enabled: boolean;
  /** True if Terraform Enterprise rejects the changes of the identity provider, without deleting anything. */
  paused: boolean;
  /**
   * The SCIM id of the group whose members are site administrators.
   * @example "ef498761-2cc7-4569-9bd9-970a270dbb88"
   */
  siteAdminGroupScimId: string | undefined;
  /**
   * The SCIM id of the group whose members are site auditors. HashiCorp's Go client has it, but its reference of release 2.0 does not.
   * @example "0b2f6f0e-5d0c-4f43-a1c1-6c39a5f7f0aa"
   */
  siteAuditorGroupScimId: string | undefined;
}

/** Inputs of {@link ScimSettings}. An attribute that was never declared keeps its value. */
export interface ScimSettingsInputs extends SettingsInputs, Partial<ScimSettingsAttributes> {}
/** Outputs of {@link ScimSettings}. */
export interface ScimSettingsState extends SettingsState, ScimSettingsAttributes {
  /** The name of the group of site administrators. */
  siteAdminGroupDisplayName: string | undefined;
  /** The name of the group of site auditors. */
  siteAuditorGroupDisplayName: string | undefined;
}

/**
 * SCIM provisioning of users and groups.
 *
 * The provider manages only the attributes that the program declares, so an attribute that was never declared keeps its current value. See
 * {@link SettingsInputs} for `onDelete`. A {@link ScimToken} authenticates the identity provider.
 *
 * Terraform Enterprise can only disable SCIM together with all that it has provisioned. So destroying the resource leaves SCIM enabled, and a
 * preview warns if the program declares `enabled: false`. Disabling SCIM does not demote the site administrators that it appointed. While it is
 * enabled, Terraform Enterprise ignores `siteAdminRole` of {@link SamlSettings}, so keep a local administrator.
 *
 * An operation fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator, and with `ERR_NOT_FOUND` if Terraform
 * Enterprise is older than release 2.0.0. Enabling SCIM fails with `ERR_REJECTED` if SAML does not permit it.
 *
 * @example Pause provisioning
 * ```ts
 * new platform.ScimSettings("scim", { paused: true });
 * ```
 * @example Enable SCIM after SAML with a `providerType`, and create the token of the identity provider
 * ```ts
 * const scim = new platform.ScimSettings("scim", { enabled: true });
 * new platform.ScimToken("okta", { description: "Okta" }, { dependsOn: scim });
 * ```
 * @example Appoint site administrators, once the identity provider has pushed their group
 * ```ts
 * const siteAdminGroupScimId = "ef498761-2cc7-4569-9bd9-970a270dbb88";
 * new platform.ScimSettings("scim", { enabled: true, siteAdminGroupScimId });
 * ```
 * @see [Terraform Enterprise: SCIM settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/scim-settings)
 * @requests Create, update and delete send the `PATCH` only if a value differs, and an update that declares a new attribute first sends the
 * `GET`. A change of `enabled` to false sends a `DELETE` instead.
 * @unreadable Nothing, because Terraform Enterprise returns all attributes.
 */
export const scimSettings: SettingsDefinition<ScimSettingsInputs, ScimSettingsState> = settings({
  type: "ScimSettings",
  displayName: "SCIM settings",
  id: "scim",
  dialects: ["hashicorp"],
  attributes: {
    enabled: { input: bool, output: true },
    paused: { input: bool, output: true },
    siteAdminGroupScimId: { input: nonEmptyStr, output: true },
    siteAuditorGroupScimId: { input: nonEmptyStr, output: true },
    siteAdminGroupDisplayName: { output: true },
    siteAuditorGroupDisplayName: { output: true },
  },
  isClearedByNull: true,
  lostWhenDisabled: "disabling SCIM deletes all SCIM groups, their links to teams, and all SCIM tokens, which cannot be undone",
});
