import { CustomResource, CustomResourceOptions } from "@pulumi/pulumi/resource";
import { nonEmptyText, text } from "../inputs";
import { Args, Connected, Getter, getter, Outputs, registration } from "../resource";
import { SettingsDefinition, SettingsInputs, SettingsState, Shown, settings, show } from "./settings";

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

/** @internal */
export const customizationSettings: SettingsDefinition<CustomizationSettingsInputs, CustomizationSettingsState> = settings({
  type: "CustomizationSettings",
  noun: "customization settings",
  id: "customization",
  attributes: { supportEmailAddress: nonEmptyText, loginHelp: text, footer: text, error: text, newUser: text },
});

/** Arguments of {@link CustomizationSettings}. */
export interface CustomizationSettingsArgs extends Args<CustomizationSettingsInputs> {}
export interface CustomizationSettings extends Outputs<CustomizationSettingsState> {}

/**
 * The texts that the installation shows its users: `GET` and `PATCH /api/v2/admin/customization-settings`. Its id is `customization`.
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
 */
export class CustomizationSettings extends CustomResource {
  /** Reads the settings without managing them; the id is `customization`. */
  static readonly get: Getter<CustomizationSettings> = getter(() => CustomizationSettings);

  constructor(name: string, args: CustomizationSettingsArgs, opts?: CustomResourceOptions) {
    super(...registration(customizationSettings, name, args, opts));
  }
}

/** The customization settings as they are now: `GET /api/v2/admin/customization-settings`. */
export function getCustomizationSettings(options?: Connected): Promise<Shown<CustomizationSettingsState>> {
  return show(customizationSettings, options);
}
