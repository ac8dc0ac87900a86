import { bool, nonEmptyStr } from "../../inputs";
import { dialectOf } from "../client";
import { SettingsInputs, SettingsState } from "./kind";
import { SettingsDefinition, settings } from "./resource";

/** How the platform sends text messages, for the second factor of a login. */
export interface SmsSettingsAttributes {
  /** Whether the platform sends text messages; then all other attributes must have a value. Changing this updates. */
  enabled: boolean;
  /** The account at the SMS provider. Changing this updates. */
  accountSid: string | undefined;
  /** The phone number that messages come from. Changing this updates. */
  fromNumber: string | undefined;
}

/** What a program declares of the SMS settings; what it does not declare stays as it is. */
export interface SmsSettingsInputs extends SettingsInputs, Partial<SmsSettingsAttributes> {
  /** The token to the account. Secret; the platform never shows it, so its drift cannot be seen. Changing this updates. */
  authToken?: string;
}
/** What the platform shows. */
export interface SmsSettingsState extends SettingsState, SmsSettingsAttributes {}

/**
 * The SMS provider: `GET` and `PATCH /api/v2/admin/sms-settings` (`twilio-settings` in the hashicorp dialect). Its id
 * is `sms`.
 *
 * Only the attributes that the program declares are managed; see {@link SettingsInputs} for what becomes of them in the end. Fails with
 * `ERR_FORBIDDEN` where the token is not a site administrator's, and with `ERR_INVALID_INPUT`, before anything is sent, where messages
 * would be enabled without one of their attributes. {@link SmsVerification} sends a message through them.
 *
 * ```ts
 * new platform.SmsSettings("sms", { enabled: true, accountSid: "AC…", authToken: config.requireSecret("smsToken"), fromNumber: "+15550100" });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create: 1 `GET`, and 1 `PATCH` of what differs, if anything does. Update: 1 `PATCH`, after 1 `GET` where an attribute joins.
 * Refresh: 1 `GET`. Delete: 1 `PATCH` of what is put back, if anything is.
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
