// Written by `npm run generate` from the definitions and their comments: change those.

import { CustomResource, CustomResourceOptions } from "@pulumi/pulumi/resource";
import { ConnectionArgs } from "../inputs";
import { Args, Getter, getter, Outputs, registration } from "../resource";
import { ActionInputs, ActionState } from "./action";
import { AdminWorkspaceInputs, AdminWorkspaceState, adminWorkspace } from "./admin-workspace";
import { ModuleVersionDeprecationInputs, ModuleVersionDeprecationState, moduleVersionDeprecation } from "./module-version-deprecation";
import { oidcKeyRotation } from "./oidc-key-rotation";
import { oidcKeyTrim } from "./oidc-key-trim";
import { samlCertificateRevocation } from "./saml-certificate-revocation";
import { CostEstimationSettingsInputs, CostEstimationSettingsState, costEstimationSettings } from "./settings/cost-estimation-settings";
import { CustomizationSettingsInputs, CustomizationSettingsState, customizationSettings } from "./settings/customization-settings";
import { GeneralSettingsInputs, GeneralSettingsState, generalSettings } from "./settings/general-settings";
import { readSettings, SettingsResult } from "./settings/read";
import { SamlSettingsInputs, SamlSettingsState, samlSettings } from "./settings/saml-settings";
import { SmsSettingsInputs, SmsSettingsState, smsSettings } from "./settings/sms-settings";
import { SmtpSettingsInputs, SmtpSettingsState, smtpSettings } from "./settings/smtp-settings";
import { SmsVerificationInputs, smsVerification } from "./sms-verification";

export { AdminWorkspaceInputs, AdminWorkspaceState } from "./admin-workspace";
export { ModuleVersionDeprecationInputs, ModuleVersionDeprecationState } from "./module-version-deprecation";
export {
  CostEstimationSettingsAttributes,
  CostEstimationSettingsInputs,
  CostEstimationSettingsState,
} from "./settings/cost-estimation-settings";
export {
  CustomizationSettingsAttributes,
  CustomizationSettingsInputs,
  CustomizationSettingsState,
} from "./settings/customization-settings";
export { GeneralSettingsAttributes, GeneralSettingsInputs, GeneralSettingsState } from "./settings/general-settings";
export { SamlSettingsAttributes, SamlSettingsInputs, SamlSettingsState } from "./settings/saml-settings";
export { SmsSettingsAttributes, SmsSettingsInputs, SmsSettingsState } from "./settings/sms-settings";
export { SmtpAuth, SmtpSettingsAttributes, SmtpSettingsInputs, SmtpSettingsState } from "./settings/smtp-settings";
export { SmsVerificationInputs } from "./sms-verification";

/** Arguments of {@link AdminWorkspace}. */
export interface AdminWorkspaceArgs extends Args<AdminWorkspaceInputs> {}
export interface AdminWorkspace extends Outputs<AdminWorkspaceState> {}

/**
 * An existing workspace of any organization: `GET` and `DELETE /api/v2/admin/workspaces/:id`. Its id is the workspace's.
 *
 * Creating it adopts the workspace and changes nothing. The outputs follow the platform at each refresh, which Pulumi does not show;
 * `AdminWorkspace.get` has them compared. With `destroyOnDelete` destroying it destroys the workspace for good, unless somebody has
 * locked or renamed it since the last refresh. After a 429 it waits, and reads the workspace again before it goes on. Fails with `ERR_NOT_FOUND` where there is no such workspace, with `ERR_FORBIDDEN` where the token is
 * not a site administrator's, and with `ERR_REJECTED` where it must not be destroyed.
 *
 * ```ts
 * new platform.AdminWorkspace("abandoned", { workspaceId: "ws-6jrRyVDv1J8zQMB5", destroyOnDelete: true });
 * ```
 *
 * @see [Terraform Enterprise: workspaces](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/workspaces)
 * @requests Create: 1 `GET`. Update: none. Refresh: 1 `GET`. Delete: none; with `destroyOnDelete` 1 `GET` and 1 `DELETE`.
 * @unreadable Nothing: all outputs are shown.
 */
export class AdminWorkspace extends CustomResource {
  /** Reads what exists without managing it; the id is `<workspaceId>`. */
  static readonly get: Getter<AdminWorkspace> = getter(() => AdminWorkspace);

  constructor(name: string, args: AdminWorkspaceArgs, opts?: CustomResourceOptions) {
    super(...registration(adminWorkspace, name, args, opts));
  }
}

/** Arguments of {@link ModuleVersionDeprecation}. */
export interface ModuleVersionDeprecationArgs extends Args<ModuleVersionDeprecationInputs> {}
export interface ModuleVersionDeprecation extends Outputs<ModuleVersionDeprecationState> {}

/**
 * The deprecation of a private module version: `PATCH /api/v2/organizations/:organization/registry-modules/private/:organization/:name/:provider/:version`,
 * and `GET /api/registry/v1/modules/:organization/:name/:provider/versions`. Its id is
 * `<organizationName>/<moduleName>/<moduleProvider>/<moduleVersion>`.
 *
 * Creating it deprecates the version, destroying it reinstates the version. One that is deprecated already, with other words, is never
 * taken over silently: creating it fails with `ERR_ALREADY_EXISTS` unless `adopt` is set. When the version is removed from the registry, a refresh
 * removes the resource from the state. All versions of one module are read with one request.
 *
 * ```ts
 * new platform.ModuleVersionDeprecation("old-network", {
 *   organizationName: "acme",
 *   moduleName: "network",
 *   moduleProvider: "aws",
 *   moduleVersion: "1.0.0",
 *   reason: "Use 2.0.0, which encrypts the flow logs.",
 *   link: "https://wiki.example.com/network-2",
 * });
 * ```
 *
 * @see
 * [Terraform Enterprise: module versions](https://developer.hashicorp.com/terraform/enterprise/api-docs/private-registry/manage-module-versions)
 * @requests Create: 1 `GET` for all versions of a module, and 1 `PATCH` for each that is not deprecated in these words yet. Update: 1
 * `PATCH`. Refresh: 1 `GET` for all versions of a module. Delete: 1 `PATCH`.
 * @unreadable Nothing: reason and link are shown, with the platform's own words in `publishedReason`.
 */
export class ModuleVersionDeprecation extends CustomResource {
  /** Reads what exists without managing it; the id is `<organizationName>/<moduleName>/<moduleProvider>/<moduleVersion>`. */
  static readonly get: Getter<ModuleVersionDeprecation> = getter(() => ModuleVersionDeprecation);

  constructor(name: string, args: ModuleVersionDeprecationArgs, opts?: CustomResourceOptions) {
    super(...registration(moduleVersionDeprecation, name, args, opts));
  }
}

/** Arguments of {@link OidcKeyRotation}. */
export interface OidcKeyRotationArgs extends Args<ActionInputs> {}
export interface OidcKeyRotation extends Outputs<ActionState> {}

/**
 * Rotates the OIDC key that signs workload identity tokens: `POST /api/v2/admin/oidc-settings/actions/rotate-key`. The old keys go on
 * being accepted until an {@link OidcKeyTrim}. The platform does it every 90 days by itself; this begins a new 90 days, and does
 * not change when the platform trims the old keys by itself.
 *
 * Done when it is created and each time `triggers` change, never in a preview; retried only after a 429, and not undone when it is destroyed.
 *
 * ```ts
 * new platform.OidcKeyRotation("leak", { triggers: ["incident 42"] });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create and each change of `triggers`: 1 `POST`. Refresh and delete: none.
 * @unreadable Everything: the platform keeps no trace of it, so that it never shows drift.
 */
export class OidcKeyRotation extends CustomResource {
  constructor(name: string, args: OidcKeyRotationArgs = {}, opts?: CustomResourceOptions) {
    super(...registration(oidcKeyRotation, name, args, opts));
  }
}

/** Arguments of {@link OidcKeyTrim}. */
export interface OidcKeyTrimArgs extends Args<ActionInputs> {}
export interface OidcKeyTrim extends Outputs<ActionState> {}

/**
 * Removes all OIDC signing keys but the newest: `POST /api/v2/admin/oidc-settings/actions/trim-key`. Tokens that an old key signed are refused from
 * then on, so that runs under way break: rotate, wait until their tokens have expired, then trim. The platform does it 30 days after a
 * rotation by itself; this begins a new 30 days, and does not change when the
 * platform rotates the key by itself.
 *
 * Done when it is created and each time `triggers` change, never in a preview; retried only after a 429, and not undone when it is destroyed.
 *
 * ```ts
 * const rotation = new platform.OidcKeyRotation("leak", { triggers: ["incident 42"] });
 * // Two hours is how long a token is valid at most. A preview does not wait.
 * const untilTokensHaveExpired = async (performedAt: string) => {
 *   const left = Date.parse(performedAt) + 2 * 60 * 60 * 1000 - Date.now();
 *   if (left > 0 && !pulumi.runtime.isDryRun()) await new Promise((done) => setTimeout(done, left));
 *   return performedAt;
 * };
 * // Trims after each rotation, once the tokens of the old key have expired.
 * new platform.OidcKeyTrim("leak", { triggers: [rotation.performedAt.apply(untilTokensHaveExpired)] });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create and each change of `triggers`: 1 `POST`. Refresh and delete: none.
 * @unreadable Everything: the platform keeps no trace of it, so that it never shows drift.
 */
export class OidcKeyTrim extends CustomResource {
  constructor(name: string, args: OidcKeyTrimArgs = {}, opts?: CustomResourceOptions) {
    super(...registration(oidcKeyTrim, name, args, opts));
  }
}

/** Arguments of {@link SamlCertificateRevocation}. */
export interface SamlCertificateRevocationArgs extends Args<ActionInputs> {}
export interface SamlCertificateRevocation extends Outputs<ActionState> {}

/**
 * Revokes the previous certificate of the identity provider: `POST /api/v2/admin/saml-settings/actions/revoke-old-certificate`. From then on
 * the platform accepts the new one alone: users are locked out if the identity provider still signs with the old one.
 *
 * Done when it is created and each time `triggers` change, never in a preview; retried only after a 429, and not undone when it is destroyed.
 *
 * ```ts
 * const saml = new platform.SamlSettings("saml", { idpCert: certificate });
 * // Declare it once the identity provider signs with the new certificate.
 * new platform.SamlCertificateRevocation("switched", { triggers: ["2026-01"] }, { dependsOn: saml });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create and each change of `triggers`: 1 `POST`. Refresh and delete: none.
 * @unreadable Everything: the platform keeps no trace of it, so that it never shows drift.
 */
export class SamlCertificateRevocation extends CustomResource {
  constructor(name: string, args: SamlCertificateRevocationArgs = {}, opts?: CustomResourceOptions) {
    super(...registration(samlCertificateRevocation, name, args, opts));
  }
}

/** Arguments of {@link CostEstimationSettings}. */
export interface CostEstimationSettingsArgs extends Args<CostEstimationSettingsInputs> {}
export interface CostEstimationSettings extends Outputs<CostEstimationSettingsState> {}

/**
 * The cloud credentials for cost estimation: `GET` and `PATCH /api/v2/admin/cost-estimation-settings`. Its id is `cost-estimation`.
 *
 * Only the attributes that the program declares are managed; see {@link SettingsInputs} for what becomes of them in the end. The platform
 * shows the secrets, so their drift is seen, under a line of its own, since Pulumi prints `[secret]` only; a masked value counts as
 * unchanged. Fails with `ERR_FORBIDDEN` where the token is not a site administrator's, and with `ERR_INVALID_INPUT`, before anything is
 * sent, where cost estimation would be enabled without all credentials of a cloud.
 *
 * ```ts
 * new platform.CostEstimationSettings("prices", { enabled: true, cloudAAccessKeyId: "AKIA…", cloudASecretKey: config.requireSecret("priceKey") });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create: 1 `GET`, and 1 `PATCH` of what differs, if anything does. Update: 1 `PATCH`, after 1 `GET` where an attribute joins.
 * Refresh: 1 `GET`. Delete: 1 `PATCH` of what is put back, if anything is.
 * @unreadable Nothing: even the secrets are shown, though Pulumi prints a changed one as `[secret]`.
 */
export class CostEstimationSettings extends CustomResource {
  /** Reads what exists without managing it; the id is `cost-estimation`. */
  static readonly get: Getter<CostEstimationSettings> = getter(() => CostEstimationSettings);

  constructor(name: string, args: CostEstimationSettingsArgs = {}, opts?: CustomResourceOptions) {
    super(...registration(costEstimationSettings, name, args, opts));
  }
}

/** Reads the cost estimation settings as they are now, secrets as secret outputs: `GET /api/v2/admin/cost-estimation-settings`. */
export function getCostEstimationSettings(
  options?: ConnectionArgs,
): Promise<SettingsResult<CostEstimationSettingsState, "cloudASecretKey" | "cloudBCredentials" | "cloudCClientSecret">> {
  return readSettings(costEstimationSettings, options);
}

/** Arguments of {@link CustomizationSettings}. */
export interface CustomizationSettingsArgs extends Args<CustomizationSettingsInputs> {}
export interface CustomizationSettings extends Outputs<CustomizationSettingsState> {}

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
 */
export class CustomizationSettings extends CustomResource {
  /** Reads what exists without managing it; the id is `customization`. */
  static readonly get: Getter<CustomizationSettings> = getter(() => CustomizationSettings);

  constructor(name: string, args: CustomizationSettingsArgs = {}, opts?: CustomResourceOptions) {
    super(...registration(customizationSettings, name, args, opts));
  }
}

/** Reads the customization settings as they are now: `GET /api/v2/admin/customization-settings`. */
export function getCustomizationSettings(options?: ConnectionArgs): Promise<SettingsResult<CustomizationSettingsState>> {
  return readSettings(customizationSettings, options);
}

/** Arguments of {@link GeneralSettings}. */
export interface GeneralSettingsArgs extends Args<GeneralSettingsInputs> {}
export interface GeneralSettings extends Outputs<GeneralSettingsState> {}

/**
 * The general settings of the installation: `GET` and `PATCH /api/v2/admin/general-settings`. Its id is `general`.
 *
 * Only the attributes that the program declares are managed; see {@link SettingsInputs} for what becomes of them in the end. Fails with
 * `ERR_FORBIDDEN` where the token is not a site administrator's.
 *
 * ```ts
 * new platform.GeneralSettings("general", { apiRateLimit: 100, limitUserOrganizationCreation: true });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create: 1 `GET`, and 1 `PATCH` of what differs, if anything does. Update: 1 `PATCH`, after 1 `GET` where an attribute joins.
 * Refresh: 1 `GET`. Delete: 1 `PATCH` of what is put back, if anything is.
 * @unreadable Nothing: all attributes are shown.
 */
export class GeneralSettings extends CustomResource {
  /** Reads what exists without managing it; the id is `general`. */
  static readonly get: Getter<GeneralSettings> = getter(() => GeneralSettings);

  constructor(name: string, args: GeneralSettingsArgs = {}, opts?: CustomResourceOptions) {
    super(...registration(generalSettings, name, args, opts));
  }
}

/** Reads the general settings as they are now: `GET /api/v2/admin/general-settings`. */
export function getGeneralSettings(options?: ConnectionArgs): Promise<SettingsResult<GeneralSettingsState>> {
  return readSettings(generalSettings, options);
}

/** Arguments of {@link SamlSettings}. */
export interface SamlSettingsArgs extends Args<SamlSettingsInputs> {}
export interface SamlSettings extends Outputs<SamlSettingsState> {}

/**
 * SAML single sign-on: `GET` and `PATCH /api/v2/admin/saml-settings`. Its id is `saml`.
 *
 * Only the attributes that the program declares are managed; see {@link SettingsInputs} for what becomes of them in the end. The one thing
 * that destroying does not put back is `oldIdpCert`. Fails with `ERR_FORBIDDEN` where the token is not a site administrator's, and with
 * `ERR_INVALID_INPUT`, before anything is sent, where SAML would be enabled without one of its attributes. In the hashicorp dialect
 * `extra["private-key"]` is a secret that the platform never shows: its drift cannot be seen.
 *
 * ```ts
 * new platform.SamlSettings("saml", {
 *   enabled: true,
 *   idpCert: fs.readFileSync("idp.pem", "utf8"),
 *   ssoEndpointUrl: "https://idp.example.com/sso",
 *   sloEndpointUrl: "https://idp.example.com/slo",
 * });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create: 1 `GET`, and 1 `PATCH` of what differs, if anything does. Update: 1 `PATCH`, after 1 `GET` where an attribute joins.
 * Refresh: 1 `GET`. Delete: 1 `PATCH` of what is put back, if anything is.
 * @unreadable `extra["private-key"]`.
 */
export class SamlSettings extends CustomResource {
  /** Reads what exists without managing it; the id is `saml`. */
  static readonly get: Getter<SamlSettings> = getter(() => SamlSettings);

  constructor(name: string, args: SamlSettingsArgs = {}, opts?: CustomResourceOptions) {
    super(...registration(samlSettings, name, args, opts));
  }
}

/** Reads the SAML settings as they are now: `GET /api/v2/admin/saml-settings`. */
export function getSamlSettings(options?: ConnectionArgs): Promise<SettingsResult<SamlSettingsState>> {
  return readSettings(samlSettings, options);
}

/** Arguments of {@link SmsSettings}. */
export interface SmsSettingsArgs extends Args<SmsSettingsInputs> {}
export interface SmsSettings extends Outputs<SmsSettingsState> {}

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
 */
export class SmsSettings extends CustomResource {
  /** Reads what exists without managing it; the id is `sms`. */
  static readonly get: Getter<SmsSettings> = getter(() => SmsSettings);

  constructor(name: string, args: SmsSettingsArgs = {}, opts?: CustomResourceOptions) {
    super(...registration(smsSettings, name, args, opts));
  }
}

/** Reads the SMS settings as they are now: `GET /api/v2/admin/sms-settings`. */
export function getSmsSettings(options?: ConnectionArgs): Promise<SettingsResult<SmsSettingsState>> {
  return readSettings(smsSettings, options);
}

/** Arguments of {@link SmtpSettings}. */
export interface SmtpSettingsArgs extends Args<SmtpSettingsInputs> {}
export interface SmtpSettings extends Outputs<SmtpSettingsState> {}

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
 */
export class SmtpSettings extends CustomResource {
  /** Reads what exists without managing it; the id is `smtp`. */
  static readonly get: Getter<SmtpSettings> = getter(() => SmtpSettings);

  constructor(name: string, args: SmtpSettingsArgs = {}, opts?: CustomResourceOptions) {
    super(...registration(smtpSettings, name, args, opts));
  }
}

/** Reads the SMTP settings as they are now: `GET /api/v2/admin/smtp-settings`. */
export function getSmtpSettings(options?: ConnectionArgs): Promise<SettingsResult<SmtpSettingsState>> {
  return readSettings(smtpSettings, options);
}

/** Arguments of {@link SmsVerification}. */
export interface SmsVerificationArgs extends Args<SmsVerificationInputs> {}
export interface SmsVerification extends Outputs<ActionState> {}

/**
 * Sends one text message to test the {@link SmsSettings}: `POST /api/v2/admin/sms-settings/verify` (`twilio-settings` in the
 * hashicorp dialect). Fails with `ERR_REJECTED` where messages are disabled, or the provider turns the message down.
 *
 * Done when it is created and each time `triggers` or `testNumber` change, never in a preview; retried only after a 429, for each message costs money.
 *
 * ```ts
 * const authToken = config.requireSecret("smsToken");
 * const sms = new platform.SmsSettings("sms", { enabled: true, accountSid: "AC…", authToken, fromNumber: "+15550100" });
 * // Again with each new token.
 * new platform.SmsVerification("sms", { testNumber: "+15550101", triggers: [authToken] }, { dependsOn: sms });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create and each change of `triggers` or `testNumber`: 1 `POST`. Refresh and delete: none.
 * @unreadable Everything: the platform keeps no trace of it, so that it never shows drift.
 */
export class SmsVerification extends CustomResource {
  constructor(name: string, args: SmsVerificationArgs, opts?: CustomResourceOptions) {
    super(...registration(smsVerification, name, args, opts));
  }
}
