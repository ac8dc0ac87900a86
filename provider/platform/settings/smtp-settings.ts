import { z } from "zod";
import { bool, nonEmptyStr } from "../../inputs";
import { SettingsInputs, SettingsState } from "./kind";
import { SettingsDefinition, settings } from "./resource";

/** How the platform signs in to the mail server. */
export type SmtpAuth = "none" | "plain" | "login";
// `pulumi import` writes `platform.SmtpAuth.Login` into a program, not the string.
export const SmtpAuth = { None: "none", Plain: "plain", Login: "login" } as const;

/** How the platform sends mail. */
export interface SmtpSettingsAttributes {
  /** Whether the platform sends mail; needs `host`, `port` and `sender`. Changing this updates. */
  enabled: boolean;
  /** The mail server. Changing this updates. */
  host: string | undefined;
  /** Its port. Changing this updates. */
  port: number | undefined;
  /** The address that mails come from. Changing this updates. */
  sender: string | undefined;
  /** How the platform signs in to the mail server; "plain" and "login" need `username` and `password`. Changing this updates. */
  auth: SmtpAuth;
  /** Who the platform is to the mail server. Changing this updates. */
  username: string | undefined;
}

/** What a program declares of the SMTP settings; what it does not declare stays as it is. */
export interface SmtpSettingsInputs extends SettingsInputs, Partial<SmtpSettingsAttributes> {
  /** The password to `username`. Secret; the platform never shows it, so its drift cannot be seen. Changing this updates. */
  password?: string;
  /**
   * Where one test mail goes with each change of these settings; none is sent where nothing changes. Not kept by the platform. Changing this
   * sends a test mail. Without it, none is ever sent. An installation may refuse to enable mail without it. When what was there before is put
   * back, none is sent: such an installation then refuses to enable mail again, and it has to be enabled by hand.
   */
  testEmailAddress?: string;
}
/** What the platform shows. */
export interface SmtpSettingsState extends SettingsState, SmtpSettingsAttributes {}

/**
 * The mail server: `GET` and `PATCH /api/v2/admin/smtp-settings`. Its id is `smtp`.
 *
 * Only the attributes that the program declares are managed; see {@link SettingsInputs} for what becomes of them in the end. A write is
 * retried only after a 429, for each may send a mail. Fails with `ERR_FORBIDDEN` where the token is not a site administrator's; with
 * `ERR_INVALID_INPUT`, before anything is sent, where mail would be enabled without one of its attributes; with `ERR_REJECTED` where the mail
 * server turns the test mail down and nothing was stored, and with `ERR_INCOMPLETE` where the settings were stored all the same.
 *
 * ```ts
 * new platform.SmtpSettings("mail", { enabled: true, host: "smtp.example.com", port: 25, sender: "platform@example.com", testEmailAddress: "me@example.com" });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create: 1 `GET`, and 1 `PATCH` of what differs, if anything does. Update: 1 `PATCH`, after 1 `GET` where an attribute joins.
 * Refresh: 1 `GET`. Delete: 1 `PATCH` of what is put back, if anything is.
 * @unreadable `password`; `testEmailAddress` is not kept at all.
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
    401: "the mail server refused the user name or the password",
    500: "the mail server answered with an error",
    504: "the mail server did not answer in time",
  },
});
