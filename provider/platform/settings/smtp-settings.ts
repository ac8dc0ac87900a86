import { z } from "zod";
import { bool, nonEmptyStr } from "../../inputs";
import { SettingsInputs, SettingsState } from "./kind";
import { SettingsDefinition, settings } from "./resource";

/** The method with which the platform authenticates to the mail server. */
export type SmtpAuth = "none" | "plain" | "login";
// `pulumi import` writes `platform.SmtpAuth.Login` into a program, not the string.
export const SmtpAuth = { None: "none", Plain: "plain", Login: "login" } as const;

/** Attributes of the SMTP settings. */
export interface SmtpSettingsAttributes {
  /** Lets the platform send mail. Requires `host`, `port` and `sender`. Changing this updates. */
  enabled: boolean;
  /** The host of the mail server. Changing this updates. */
  host: string | undefined;
  /** The port of the mail server. Changing this updates. */
  port: number | undefined;
  /** The address of the sender. Changing this updates. */
  sender: string | undefined;
  /** The authentication to the mail server. "plain" and "login" require `username` and `password`. Changing this updates. */
  auth: SmtpAuth;
  /** The user name at the mail server. Changing this updates. */
  username: string | undefined;
}

/** Inputs of {@link SmtpSettings}. An omitted attribute keeps its value. */
export interface SmtpSettingsInputs extends SettingsInputs, Partial<SmtpSettingsAttributes> {
  /** The password of `username`, a secret. The platform never returns it, so it shows no drift. Changing this updates. */
  password?: string;
  /**
   * The recipient of one test mail with each change of these settings. The platform does not store it. Without it the platform sends no test
   * mail, and some installations reject enabled settings. A restore sends no test mail, so on such an installation you must enable mail again
   * manually. Changing this sends a test mail.
   */
  testEmailAddress?: string;
}
/** Outputs of {@link SmtpSettings}. */
export interface SmtpSettingsState extends SettingsState, SmtpSettingsAttributes {}

/**
 * The mail server of the platform: `GET` and `PATCH /api/v2/admin/smtp-settings`. Its id is `smtp`.
 *
 * The provider manages only the attributes that the program declares. See {@link SettingsInputs} for `onDelete` and `extra`. A write is
 * retried only after a 429, since each may send a mail.
 *
 * Fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator. Enabling mail without one of its attributes fails with
 * `ERR_INVALID_INPUT`, before the provider sends anything. If the mail server rejects the test mail, the error is `ERR_REJECTED`, or
 * `ERR_INCOMPLETE` if the platform has stored the settings.
 *
 * ```ts
 * new platform.SmtpSettings("mail", { enabled: true, host: "smtp.example.com", port: 25, sender: "platform@example.com", testEmailAddress: "me@example.com" });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create: 1 `GET`, and 1 `PATCH` if a value differs. Update: 1 `PATCH`, after 1 `GET` if an attribute was added. Refresh: 1 `GET`.
 * Delete: 1 `PATCH` if a value has to be restored.
 * @unreadable `password`; the platform does not store `testEmailAddress`.
 * @internal
 */
export const smtpSettings: SettingsDefinition<SmtpSettingsInputs, SmtpSettingsState> = settings({
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
    auth: { input: z.enum(["none", "plain", "login"], 'must be "none", "plain" or "login"'), output: true },
    username: { input: nonEmptyStr, output: true },
    password: { input: nonEmptyStr, stored: true, secret: true, writeOnly: true },
    testEmailAddress: { input: nonEmptyStr, stored: true, requestOnly: true },
  },
  requiredWhenEnabled: (held) => {
    const signsIn = held.auth === "plain" || held.auth === "login";
    const needed = ["host", "port", "sender", ...(signsIn ? ["username", "password"] : [])];
    return held.enabled ? needed.filter((field) => !held[field]) : [];
  },
  // Each attempt sends a mail.
  retry: "only429",
  mailErrors: {
    401: "the mail server rejected the user name or the password",
    500: "the mail server returned an error",
    504: "the mail server did not respond in time",
  },
});
