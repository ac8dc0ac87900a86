import { z } from "zod";
import { bool, nonEmptyStr } from "../../contract/inputs";
import { WithSecrets } from "../../contract/secret";
import { SettingsInputs, SettingsState } from "./page";
import { SettingsDefinition, settings } from "./resource";

/** The method with which Terraform Enterprise authenticates to the mail server. */
export type SmtpAuth = "none" | "plain" | "login";
// `pulumi import` writes `platform.SmtpAuth.Login` into a program, not the string.
export const SmtpAuth = { None: "none", Plain: "plain", Login: "login" } as const;

/** Attributes of the SMTP settings. */
export interface SmtpSettingsAttributes {
  /** True if Terraform Enterprise sends email, which requires `host`, `port` and `sender`. */
  enabled: boolean;
  /**
   * The host of the mail server.
   * @example "smtp.example.com"
   */
  host: string | undefined;
  /**
   * The port of the mail server.
   * @example 587
   */
  port: number | undefined;
  /**
   * The address of the sender.
   * @example "platform@example.com"
   */
  sender: string | undefined;
  /** The authentication method, of which "plain" and "login" require `username` and `password`. */
  auth: SmtpAuth;
  /** The user name for the mail server. */
  username: string | undefined;
}

/** Inputs of {@link SmtpSettings}. An attribute that was never declared keeps its value. */
export interface SmtpSettingsInputs extends SettingsInputs, Partial<SmtpSettingsAttributes> {
  /**
   * The password of `username`, which is a secret. Terraform Enterprise never returns it, so a refresh cannot detect that it changed.
   * @example { env: "SMTP_PASSWORD" }
   */
  password?: string;
  /**
   * The recipient of a test email for each change of these settings. Terraform Enterprise does not store it. Declare it if your installation
   * rejects enabled settings without it.
   * @change updates, and sends a test email
   * @example "operators@example.com"
   */
  testEmailAddress?: string;
}
/** Outputs of {@link SmtpSettings}. */
export interface SmtpSettingsState extends SettingsState, SmtpSettingsAttributes {}

/**
 * The SMTP server that Terraform Enterprise sends mail through.
 *
 * The provider manages only the attributes that the program declares, so an attribute that was never declared keeps its current value. See
 * {@link SettingsInputs} for `onDelete`. A write is retried only after a 429, because each write may send a test email.
 *
 * `password` cannot be restored, so removing it from the program or destroying the resource may disable email, as `onDelete` explains.
 *
 * An operation fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator. Enabling email fails with
 * `ERR_INVALID_INPUT` before anything is written if a required attribute is known to be missing. If the mail server rejects the test email,
 * the error is `ERR_REJECTED`, or `ERR_INCOMPLETE` if Terraform Enterprise has stored the settings.
 *
 * @example A different sender
 * ```ts
 * new platform.SmtpSettings("mail", { sender: "platform@example.com" });
 * ```
 * @example Enable email with authentication, and send a test email
 * ```ts
 * new platform.SmtpSettings("mail", {
 *   enabled: true,
 *   host: "smtp.example.com",
 *   port: 587,
 *   sender: "platform@example.com",
 *   auth: "login",
 *   username: "platform",
 *   password: { env: "SMTP_PASSWORD" },
 *   testEmailAddress: "operators@example.com",
 * });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create, update and delete send the `PATCH` only if a value differs, and an update that declares a new attribute first sends the
 * `GET`.
 * @unreadable `password`, and `testEmailAddress`, which Terraform Enterprise does not store.
 */
export const smtpSettings: SettingsDefinition<WithSecrets<SmtpSettingsInputs, "password">, SmtpSettingsState> = settings({
  type: "SmtpSettings",
  displayName: "SMTP settings",
  id: "smtp",
  attributes: {
    enabled: { input: bool, output: true },
    host: { input: nonEmptyStr, output: true },
    port: {
      input: z.int("must be a port").min(1, "must be a port from 1 to 65535").max(65535, "must be a port from 1 to 65535"),
      output: true,
    },
    sender: { input: nonEmptyStr, output: true },
    auth: { input: z.enum(SmtpAuth, 'must be "none", "plain" or "login"'), output: true },
    username: { input: nonEmptyStr, output: true },
    password: { input: nonEmptyStr, stored: true, secret: true, writeOnly: true },
    testEmailAddress: { input: nonEmptyStr, stored: true, requestOnly: true },
  },
  requiredWhenEnabled: ({ auth }) => ["host", "port", "sender", ...(auth === "plain" || auth === "login" ? ["username", "password"] : [])],
  // Each attempt may send a test email.
  retry: "only429",
  mailErrors: {
    401: "the mail server rejected the user name or the password",
    500: "the mail server returned an error",
    504: "the mail server did not respond in time",
  },
});
