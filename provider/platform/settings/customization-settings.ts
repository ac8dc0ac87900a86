import { nonEmptyStr, str } from "../../contract/inputs";
import { SettingsInputs, SettingsState } from "./page";
import { SettingsDefinition, settings } from "./resource";

/** Attributes of the customization settings. All except the address may contain HTML. */
export interface CustomizationSettingsAttributes {
  /** The support address in Terraform Enterprise's emails. HashiCorp's reference calls this attribute deprecated since release 2.0. */
  supportEmailAddress: string;
  /**
   * The help on the login page.
   * @example 'Sign in with SSO, or <a href="https://help.example.com">ask for an account</a>.'
   */
  loginHelp: string;
  /** The footer of every page. */
  footer: string;
  /** The instructions on the page for unexpected errors. */
  error: string;
  /** The instructions for users without an organization. */
  newUser: string;
}

/** Inputs of {@link CustomizationSettings}. An attribute that was never declared keeps its value. */
export interface CustomizationSettingsInputs extends SettingsInputs, Partial<CustomizationSettingsAttributes> {}
/** Outputs of {@link CustomizationSettings}. */
export interface CustomizationSettingsState extends SettingsState, CustomizationSettingsAttributes {}

/**
 * The support address and the messages of the user interface.
 *
 * The provider manages only the attributes that the program declares, so an attribute that was never declared keeps its current value. See
 * {@link SettingsInputs} for `onDelete`.
 *
 * An operation fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator, and with `ERR_NOT_FOUND` if Terraform
 * Enterprise is older than release 202003-1.
 *
 * @example A footer
 * ```ts
 * new platform.CustomizationSettings("messages", { footer: "Operated by the platform team." });
 * ```
 * @example The support address and help on each page
 * ```ts
 * new platform.CustomizationSettings("messages", {
 *   supportEmailAddress: "platform@example.com",
 *   loginHelp: 'Sign in with SSO, or <a href="https://help.example.com">ask for an account</a>.',
 *   footer: "Operated by the platform team.",
 *   error: "Report the error to platform@example.com.",
 *   newUser: "Ask the owner of an organization to invite you.",
 * });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create, update and delete send the `PATCH` only if a value differs, and an update that declares a new attribute first sends the
 * `GET`.
 * @unreadable Nothing, because Terraform Enterprise returns all attributes.
 */
export const customizationSettings: SettingsDefinition<CustomizationSettingsInputs, CustomizationSettingsState> = settings({
  type: "CustomizationSettings",
  displayName: "customization settings",
  id: "customization",
  attributes: {
    supportEmailAddress: { input: nonEmptyStr, output: true },
    loginHelp: { input: str, output: true },
    footer: { input: str, output: true },
    error: { input: str, output: true },
    newUser: { input: str, output: true },
  },
});
