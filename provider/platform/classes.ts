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
 * An existing workspace in any organization: `GET` and `DELETE /api/v2/admin/workspaces/:id`. Its id is the id of the workspace.
 *
 * Creating the resource adopts the workspace and changes nothing. A refresh updates the outputs, but Pulumi shows no diff for them. With
 * `AdminWorkspace.get` it shows one. With `destroyOnDelete`, destroying the resource permanently destroys the workspace, unless it was locked or
 * renamed since the last refresh. After a 429 the provider waits, then reads the workspace again.
 *
 * Fails with `ERR_NOT_FOUND` if the workspace does not exist, and with `ERR_FORBIDDEN` if the token does not belong to a site administrator.
 * Destroying a locked or renamed workspace fails with `ERR_REJECTED`.
 *
 * ```ts
 * new platform.AdminWorkspace("abandoned", { workspaceId: "ws-6jrRyVDv1J8zQMB5", destroyOnDelete: true });
 * ```
 *
 * @see [Terraform Enterprise: workspaces](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/workspaces)
 * @requests Create: 1 `GET`. Update: none. Refresh: 1 `GET`. Delete: none, or 1 `GET` and 1 `DELETE` with `destroyOnDelete`.
 * @unreadable Nothing: the platform returns all outputs.
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
 * Creating the resource deprecates the version, and destroying it reinstates the version. If the version is already deprecated with another
 * reason or link, creating it fails with `ERR_ALREADY_EXISTS` unless `adopt` is set. After the version is removed from the registry, a refresh
 * removes the resource from the state. The provider reads all versions of a module with one request.
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
 * @requests Create: 1 `GET` for all versions of a module, and 1 `PATCH` for each that is not yet deprecated with this reason and link.
 * Update: 1 `PATCH`. Refresh: 1 `GET` for all versions of a module. Delete: 1 `PATCH`.
 * @unreadable Nothing: the platform returns the reason and the link, with its additions in `publishedReason`.
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
 * A rotation of the key that signs the workload identity tokens of runs: `POST /api/v2/admin/oidc-settings/actions/rotate-key`. Clouds accept
 * tokens of the old keys until an {@link OidcKeyTrim}. The platform also rotates the key automatically every 90 days. A rotation restarts
 * these 90 days, and does not change when the platform trims old keys automatically.
 *
 * Pulumi rotates the key on create and on each change of `triggers`, never in a preview. The request is retried only after a 429. Destroying
 * the resource sends nothing.
 *
 * ```ts
 * new platform.OidcKeyRotation("leak", { triggers: ["incident 42"] });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create and each change of `triggers`: 1 `POST`. Refresh and delete: none.
 * @unreadable Everything: the platform does not report the action, so it never shows drift.
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
 * A removal of all signing keys except the newest: `POST /api/v2/admin/oidc-settings/actions/trim-key`. Clouds then reject tokens that an old
 * key signed, which breaks runs in progress. Rotate the key, wait until the tokens of these runs have expired, then trim. The platform also
 * trims the keys automatically 30 days after a rotation. A trim restarts these 30 days, and does not change when the platform rotates the key
 * automatically.
 *
 * Pulumi trims the keys on create and on each change of `triggers`, never in a preview. The request is retried only after a 429. Destroying
 * the resource sends nothing.
 *
 * ```ts
 * const rotation = new platform.OidcKeyRotation("leak", { triggers: ["incident 42"] });
 * // A token is valid for two hours at most. A preview does not wait.
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
 * @unreadable Everything: the platform does not report the action, so it never shows drift.
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
 * A revocation of the identity provider's old certificate: `POST /api/v2/admin/saml-settings/actions/revoke-old-certificate`. The platform
 * then accepts only the new certificate. Users are locked out if the identity provider still signs with the old one.
 *
 * Pulumi revokes the certificate on create and on each change of `triggers`, never in a preview. The request is retried only after a 429.
 * Destroying the resource sends nothing.
 *
 * ```ts
 * const saml = new platform.SamlSettings("saml", { idpCert: certificate });
 * // Declare it once the identity provider signs with the new certificate.
 * new platform.SamlCertificateRevocation("switched", { triggers: ["2026-01"] }, { dependsOn: saml });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create and each change of `triggers`: 1 `POST`. Refresh and delete: none.
 * @unreadable Everything: the platform does not report the action, so it never shows drift.
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
 * The credentials for cost estimation: `GET` and `PATCH /api/v2/admin/cost-estimation-settings`. Its id is `cost-estimation`.
 *
 * The provider manages only the attributes that the program declares. See {@link SettingsInputs} for `onDelete` and `extra`. The platform
 * returns the secrets, so a refresh detects their drift. The provider prints a line about it, since Pulumi prints only `[secret]`. A masked
 * value counts as unchanged.
 *
 * Fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator. Enabling cost estimation without all credentials of a
 * cloud fails with `ERR_INVALID_INPUT`, before the provider sends anything.
 *
 * ```ts
 * new platform.CostEstimationSettings("prices", { enabled: true, cloudAAccessKeyId: "AKIA…", cloudASecretKey: config.requireSecret("priceKey") });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create: 1 `GET`, and 1 `PATCH` if a value differs. Update: 1 `PATCH`, after 1 `GET` if an attribute was added. Refresh: 1 `GET`.
 * Delete: 1 `PATCH` if a value has to be restored.
 * @unreadable Nothing: the platform returns even the secrets, but Pulumi prints a changed one as `[secret]`.
 */
export class CostEstimationSettings extends CustomResource {
  /** Reads what exists without managing it; the id is `cost-estimation`. */
  static readonly get: Getter<CostEstimationSettings> = getter(() => CostEstimationSettings);

  constructor(name: string, args: CostEstimationSettingsArgs = {}, opts?: CustomResourceOptions) {
    super(...registration(costEstimationSettings, name, args, opts));
  }
}

/** Reads the current cost estimation settings, with secrets as secret outputs: `GET /api/v2/admin/cost-estimation-settings`. */
export function getCostEstimationSettings(
  options?: ConnectionArgs,
): Promise<SettingsResult<CostEstimationSettingsState, "cloudASecretKey" | "cloudBCredentials" | "cloudCClientSecret">> {
  return readSettings(costEstimationSettings, options);
}

/** Arguments of {@link CustomizationSettings}. */
export interface CustomizationSettingsArgs extends Args<CustomizationSettingsInputs> {}
export interface CustomizationSettings extends Outputs<CustomizationSettingsState> {}

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
 */
export class CustomizationSettings extends CustomResource {
  /** Reads what exists without managing it; the id is `customization`. */
  static readonly get: Getter<CustomizationSettings> = getter(() => CustomizationSettings);

  constructor(name: string, args: CustomizationSettingsArgs = {}, opts?: CustomResourceOptions) {
    super(...registration(customizationSettings, name, args, opts));
  }
}

/** Reads the current customization settings: `GET /api/v2/admin/customization-settings`. */
export function getCustomizationSettings(options?: ConnectionArgs): Promise<SettingsResult<CustomizationSettingsState>> {
  return readSettings(customizationSettings, options);
}

/** Arguments of {@link GeneralSettings}. */
export interface GeneralSettingsArgs extends Args<GeneralSettingsInputs> {}
export interface GeneralSettings extends Outputs<GeneralSettingsState> {}

/**
 * The general settings of the installation: `GET` and `PATCH /api/v2/admin/general-settings`. Its id is `general`.
 *
 * The provider manages only the attributes that the program declares. See {@link SettingsInputs} for `onDelete` and `extra`.
 *
 * Fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator.
 *
 * ```ts
 * new platform.GeneralSettings("general", { apiRateLimit: 100, limitUserOrganizationCreation: true });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create: 1 `GET`, and 1 `PATCH` if a value differs. Update: 1 `PATCH`, after 1 `GET` if an attribute was added. Refresh: 1 `GET`.
 * Delete: 1 `PATCH` if a value has to be restored.
 * @unreadable Nothing: the platform returns all attributes.
 */
export class GeneralSettings extends CustomResource {
  /** Reads what exists without managing it; the id is `general`. */
  static readonly get: Getter<GeneralSettings> = getter(() => GeneralSettings);

  constructor(name: string, args: GeneralSettingsArgs = {}, opts?: CustomResourceOptions) {
    super(...registration(generalSettings, name, args, opts));
  }
}

/** Reads the current general settings: `GET /api/v2/admin/general-settings`. */
export function getGeneralSettings(options?: ConnectionArgs): Promise<SettingsResult<GeneralSettingsState>> {
  return readSettings(generalSettings, options);
}

/** Arguments of {@link SamlSettings}. */
export interface SamlSettingsArgs extends Args<SamlSettingsInputs> {}
export interface SamlSettings extends Outputs<SamlSettingsState> {}

/**
 * SAML single sign-on: `GET` and `PATCH /api/v2/admin/saml-settings`. Its id is `saml`.
 *
 * The provider manages only the attributes that the program declares. See {@link SettingsInputs} for `onDelete` and `extra`. Destroying the
 * resource does not restore `oldIdpCert`. In the hashicorp dialect, `extra["private-key"]` is a write-only secret, so it shows no drift.
 *
 * Fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator. Enabling SAML without one of its attributes fails with
 * `ERR_INVALID_INPUT`, before the provider sends anything.
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
 * @requests Create: 1 `GET`, and 1 `PATCH` if a value differs. Update: 1 `PATCH`, after 1 `GET` if an attribute was added. Refresh: 1 `GET`.
 * Delete: 1 `PATCH` if a value has to be restored.
 * @unreadable `extra["private-key"]`.
 */
export class SamlSettings extends CustomResource {
  /** Reads what exists without managing it; the id is `saml`. */
  static readonly get: Getter<SamlSettings> = getter(() => SamlSettings);

  constructor(name: string, args: SamlSettingsArgs = {}, opts?: CustomResourceOptions) {
    super(...registration(samlSettings, name, args, opts));
  }
}

/** Reads the current SAML settings: `GET /api/v2/admin/saml-settings`. */
export function getSamlSettings(options?: ConnectionArgs): Promise<SettingsResult<SamlSettingsState>> {
  return readSettings(samlSettings, options);
}

/** Arguments of {@link SmsSettings}. */
export interface SmsSettingsArgs extends Args<SmsSettingsInputs> {}
export interface SmsSettings extends Outputs<SmsSettingsState> {}

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
 */
export class SmsSettings extends CustomResource {
  /** Reads what exists without managing it; the id is `sms`. */
  static readonly get: Getter<SmsSettings> = getter(() => SmsSettings);

  constructor(name: string, args: SmsSettingsArgs = {}, opts?: CustomResourceOptions) {
    super(...registration(smsSettings, name, args, opts));
  }
}

/** Reads the current SMS settings: `GET /api/v2/admin/sms-settings`. */
export function getSmsSettings(options?: ConnectionArgs): Promise<SettingsResult<SmsSettingsState>> {
  return readSettings(smsSettings, options);
}

/** Arguments of {@link SmtpSettings}. */
export interface SmtpSettingsArgs extends Args<SmtpSettingsInputs> {}
export interface SmtpSettings extends Outputs<SmtpSettingsState> {}

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
 */
export class SmtpSettings extends CustomResource {
  /** Reads what exists without managing it; the id is `smtp`. */
  static readonly get: Getter<SmtpSettings> = getter(() => SmtpSettings);

  constructor(name: string, args: SmtpSettingsArgs = {}, opts?: CustomResourceOptions) {
    super(...registration(smtpSettings, name, args, opts));
  }
}

/** Reads the current SMTP settings: `GET /api/v2/admin/smtp-settings`. */
export function getSmtpSettings(options?: ConnectionArgs): Promise<SettingsResult<SmtpSettingsState>> {
  return readSettings(smtpSettings, options);
}

/** Arguments of {@link SmsVerification}. */
export interface SmsVerificationArgs extends Args<SmsVerificationInputs> {}
export interface SmsVerification extends Outputs<ActionState> {}

/**
 * A test message that verifies the {@link SmsSettings}: `POST /api/v2/admin/sms-settings/verify` (`twilio-settings` in the hashicorp
 * dialect). Fails with `ERR_REJECTED` if messages are disabled or the SMS provider rejects the message.
 *
 * Pulumi sends the message on create and on each change of `triggers` or `testNumber`, never in a preview. The request is retried only after
 * a 429, since each message costs money. Destroying the resource sends nothing.
 *
 * ```ts
 * const authToken = config.requireSecret("smsToken");
 * const sms = new platform.SmsSettings("sms", { enabled: true, accountSid: "AC…", authToken, fromNumber: "+15550100" });
 * // Sends a message after each change of the token.
 * new platform.SmsVerification("sms", { testNumber: "+15550101", triggers: [authToken] }, { dependsOn: sms });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create and each change of `triggers` or `testNumber`: 1 `POST`. Refresh and delete: none.
 * @unreadable Everything: the platform does not report the action, so it never shows drift.
 */
export class SmsVerification extends CustomResource {
  constructor(name: string, args: SmsVerificationArgs, opts?: CustomResourceOptions) {
    super(...registration(smsVerification, name, args, opts));
  }
}
