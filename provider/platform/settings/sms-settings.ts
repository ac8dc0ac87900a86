import { trimmed } from "../../contract/comparison";
import { bool, nonEmptyStr, tokenInput } from "../../contract/inputs";
import { WithSecrets } from "../../contract/secret";
import { dialectOf } from "../client";
import { SettingsInputs, SettingsState } from "./page";
import { SettingsDefinition, settings } from "./resource";

/** Attributes of the SMS settings. */
export interface SmsSettingsAttributes {
  /** True if Terraform Enterprise sends text messages, which requires `accountSid`, `authToken` and `fromNumber`. */
  enabled: boolean;
  /**
   * The Twilio account id.
   * @example "AC6f0e9c"
   */
  accountSid: string | undefined;
  /**
   * The Twilio phone number of the sender.
   * @example "+15550100"
   */
  fromNumber: string | undefined;
}

/** Inputs of {@link SmsSettings}. An attribute that was never declared keeps its value. */
export interface SmsSettingsInputs extends SettingsInputs, Partial<SmsSettingsAttributes> {
  /**
   * The token of the account, which is a secret. Terraform Enterprise never returns it, so a refresh cannot detect that it changed.
   * @example { env: "SMS_TOKEN" }
   */
  authToken?: string;
}
/** Outputs of {@link SmsSettings}. */
export interface SmsSettingsState extends SettingsState, SmsSettingsAttributes {}

/**
 * The Twilio account that sends text messages for two-factor authentication.
 *
 * The provider manages only the attributes that the program declares, so an attribute that was never declared keeps its current value. See
 * {@link SettingsInputs} for `onDelete`. {@link SmsVerification} sends a test message.
 *
 * `authToken` cannot be restored, so removing it from the program or destroying the resource may disable text messages, as `onDelete`
 * explains.
 *
 * An operation fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator. Enabling text messages fails with
 * `ERR_INVALID_INPUT` before anything is written if a required attribute is known to be missing.
 *
 * @example Disable text messages
 * ```ts
 * new platform.SmsSettings("sms", { enabled: false });
 * ```
 * @example Enable text messages, and verify them with a test message
 * ```ts
 * const sms = new platform.SmsSettings("sms", {
 *   enabled: true,
 *   accountSid: "AC6f0e9c",
 *   authToken: { env: "SMS_TOKEN" },
 *   fromNumber: "+15550100",
 * });
 * new platform.SmsVerification("sms", { testNumber: "+15550101", triggers: ["AC6f0e9c"] }, { dependsOn: sms });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create, update and delete send the `PATCH` only if a value differs, and an update that declares a new attribute first sends the
 * `GET`.
 * @unreadable `authToken`.
 */
export const smsSettings: SettingsDefinition<WithSecrets<SmsSettingsInputs, "authToken">, SmsSettingsState> = settings({
  type: "SmsSettings",
  displayName: "SMS settings",
  id: "sms",
  document: (operation) => dialectOf(operation).smsSettings,
  attributes: {
    enabled: { input: bool, output: true },
    accountSid: { input: nonEmptyStr, output: true },
    authToken: { input: tokenInput(), compare: trimmed, stored: true, secret: true, writeOnly: true },
    fromNumber: { input: nonEmptyStr, output: true },
  },
  requiredWhenEnabled: () => ["accountSid", "authToken", "fromNumber"],
});
