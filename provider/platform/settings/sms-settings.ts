import { bool, nonEmptyStr } from "../../inputs";
import { dialectOf } from "../client";
import { SettingsInputs, SettingsState } from "./kind";
import { SettingsDefinition, settings } from "./resource";

/** Attributes of the SMS settings. */
export interface SmsSettingsAttributes {
  /** Lets the platform send text messages. Requires values for all other attributes. Changing this updates. */
  enabled: boolean;
  /** The account id at the SMS provider. Changing this updates. */
  accountSid: string | undefined;
  /** The phone number of the sender. Changing this updates. */
  fromNumber: string | undefined;
}

/** Inputs of {@link SmsSettings}. An omitted attribute keeps its value. */
export interface SmsSettingsInputs extends SettingsInputs, Partial<SmsSettingsAttributes> {
  /** The token of the account, a secret. The platform never returns it, so it shows no drift. Changing this updates. */
  authToken?: string;
}
/** Outputs of {@link SmsSettings}. */
export interface SmsSettingsState extends SettingsState, SmsSettingsAttributes {}

/**
 * The SMS provider for two-factor authentication: `GET` and `PATCH /api/v2/admin/sms-settings` (`twilio-settings` in the hashicorp dialect).
 * Its id is `sms`.
 *
 * The provider manages only the attributes that the program declares. See {@link SettingsInputs} for `onDelete` and `extra`.
 * {@link SmsVerification} sends a test message.
 *
 * Fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator. Enabling messages without one of the attributes fails
 * with `ERR_INVALID_INPUT`, before the provider sends anything.
 *
 * ```ts
 * new platform.SmsSettings("sms", { enabled: true, accountSid: "AC…", authToken: config.requireSecret("smsToken"), fromNumber: "+15550100" });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create: 1 `GET`, and 1 `PATCH` if a value differs. Update: 1 `PATCH`, after 1 `GET` if an attribute was added. Refresh: 1 `GET`.
 * Delete: 1 `PATCH` if a value has to be restored.
 * @unreadable `authToken`.
 * @internal
 */
export const smsSettings: SettingsDefinition<SmsSettingsInputs, SmsSettingsState> = settings({
  type: "SmsSettings",
  displayName: "SMS settings",
  id: "sms",
  document: (connection) => dialectOf(connection).smsSettings,
  attributes: {
    enabled: { input: bool, output: true },
    accountSid: { input: nonEmptyStr, output: true },
    authToken: { input: nonEmptyStr, stored: true, secret: true, writeOnly: true },
    fromNumber: { input: nonEmptyStr, output: true },
  },
  requiredWhenEnabled: (held) => (held.enabled ? ["accountSid", "authToken", "fromNumber"].filter((field) => !held[field]) : []),
});
