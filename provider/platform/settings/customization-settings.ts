import { nonEmptyStr, str } from "../../inputs";
import { SettingsInputs, SettingsState } from "./kind";
import { SettingsDefinition, settings } from "./resource";

/** Attributes of the customization settings. All except the address may contain HTML. */
export interface CustomizationSettingsAttributes {
  /** The support address in the platform's mails. Changing this updates. */
  supportEmailAddress: string;
  /** The help on the login page. Changing this updates. */
  loginHelp: string;
  /** The footer of every page. Changing this updates. */
  footer: string;
  /** The instructions on the page for unexpected errors. Changing this updates. */
  error: string;
  /** The instructions for users without an organization. Changing this updates. */
  newUser: string;
}

/** Inputs of {@link CustomizationSettings}. An omitted attribute keeps its value. */
export interface CustomizationSettingsInputs extends SettingsInputs, Partial<CustomizationSettingsAttributes> {}
/** Outputs of {@link CustomizationSettings}. */
export interface CustomizationSettingsState extends SettingsState, CustomizationSettingsAttributes {}

/**
 * The support address and the messages of the user interface: `GET` and `PATCH /api/v2/admin/customization-settings`. Its id is
 * `customization`.
 *
 * The provider manages only the attributes that the program declares. See {@link SettingsInputs} for `onDelete` and `extra`.
 *
 * Fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator, and with `ERR_NOT_FOUND` if the platform is older than
 * release 202003-1.
 *
 * ```ts
 * new platform.CustomizationSettings("texts", { footer: "Operated by the platform team." });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create: 1 `GET`, and 1 `PATCH` if a value differs. Update: 1 `PATCH`, after 1 `GET` if an attribute was added. Refresh: 1 `GET`.
 * Delete: 1 `PATCH` if a value has to be restored.
 * @unreadable Nothing: the platform returns all attributes.
 * @internal
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
