import { nonEmptyStr, str } from "../../inputs";
import { SettingsInputs, SettingsState } from "./kind";
import { SettingsDefinition, settings } from "./resource";

/** The texts that the installation shows its users. All but the address may hold HTML. */
export interface CustomizationSettingsAttributes {
  /** The support address in the platform's mails. Changing this updates. */
  supportEmailAddress: string;
  /** Help on the login page. Changing this updates. */
  loginHelp: string;
  /** The footer of every page. Changing this updates. */
  footer: string;
  /** What to do about an unexpected error. Changing this updates. */
  error: string;
  /** What a user sees who belongs to no organization yet. Changing this updates. */
  newUser: string;
}

/** What a program declares of the customization settings; what it does not declare stays as it is. */
export interface CustomizationSettingsInputs extends SettingsInputs, Partial<CustomizationSettingsAttributes> {}
/** What the platform shows. */
export interface CustomizationSettingsState extends SettingsState, CustomizationSettingsAttributes {}

/**
 * The support address and the messages of the web interface: `GET` and `PATCH /api/v2/admin/customization-settings`. Its id is `customization`.
 *
 * Only the attributes that the program declares are managed; see {@link SettingsInputs} for what becomes of them in the end. Fails with
 * `ERR_FORBIDDEN` where the token is not a site administrator's, and with `ERR_NOT_FOUND` where the platform is older than release 202003-1.
 *
 * ```ts
 * new platform.CustomizationSettings("texts", { footer: "Operated by the platform team." });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create: 1 `GET`, and 1 `PATCH` of what differs, if anything does. Update: 1 `PATCH`, after 1 `GET` where an attribute joins.
 * Refresh: 1 `GET`. Delete: 1 `PATCH` of what is put back, if anything is.
 * @unreadable Nothing: all attributes are shown.
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
