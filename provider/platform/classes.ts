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
 * An existing workspace in any organization.
 *
 * Creating the resource adopts the workspace and changes nothing. A refresh updates the outputs, but Pulumi shows no diff for them. With
 * `AdminWorkspace.get` it shows one. With `destroyOnDelete`, destroying the resource permanently destroys the workspace, unless it was locked or
 * renamed since the last refresh. After a 429 the provider waits, then reads the workspace again.
 *
 * Fails with `ERR_NOT_FOUND` if the workspace does not exist, and with `ERR_FORBIDDEN` if the token does not belong to a site administrator.
 * Destroying a locked or renamed workspace fails with `ERR_REJECTED`.
 *
 * @example Record a workspace
 * ```ts
 * new platform.AdminWorkspace("network", { workspaceId: "ws-6jrRyVDv1J8zQMB5" });
 * ```
 * @example Destroy a workspace with its state, once this resource is destroyed
 * ```ts
 * new platform.AdminWorkspace("abandoned", { workspaceId: "ws-6jrRyVDv1J8zQMB5", destroyOnDelete: true });
 * ```
 * @see [Terraform Enterprise: workspaces](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/workspaces)
 * @requests A delete sends requests only with `destroyOnDelete`.
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
 * The deprecation of a private module version.
 *
 * Creating the resource deprecates the version, and destroying it reinstates the version. If the version is already deprecated with another
 * reason or link, creating it fails with `ERR_ALREADY_EXISTS` unless `adopt` is set. After the version is removed from the registry, a refresh
 * removes the resource from the state. The provider reads all versions of a module with one request.
 *
 * @example Deprecate one version
 * ```ts
 * new platform.ModuleVersionDeprecation("old-network", {
 *   organizationName: "acme",
 *   moduleName: "network",
 *   moduleProvider: "aws",
 *   moduleVersion: "1.0.0",
 *   reason: "Use 2.0.0, which encrypts the flow logs.",
 * });
 * ```
 * @example Deprecate several versions, some of which are already deprecated
 * ```ts
 * for (const moduleVersion of ["1.0.0", "1.1.0", "1.2.0"])
 *   new platform.ModuleVersionDeprecation(`network-${moduleVersion}`, {
 *     organizationName: "acme",
 *     moduleName: "network",
 *     moduleProvider: "aws",
 *     moduleVersion,
 *     reason: "Use 2.0.0, which encrypts the flow logs.",
 *     link: "https://wiki.example.com/network-2",
 *     adopt: true,
 *   });
 * ```
 * @see
 * [Terraform Enterprise: module versions](https://developer.hashicorp.com/terraform/enterprise/api-docs/private-registry/manage-module-versions)
 * @requests The resources of one module share the `GET`. A create sends no `PATCH` for a version that is already deprecated with this reason and
 * link.
 * @permissions The token of a user who may manage the modules of the organization.
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
 * A rotation of the key that signs the workload identity tokens of runs.
 *
 * Clouds accept tokens of the old keys until an {@link OidcKeyTrim}. The platform also rotates the key automatically every 90 days. A
 * rotation restarts these 90 days, and does not change when the platform trims old keys automatically.
 *
 * Pulumi rotates the key on create and on each change of `triggers`, never in a preview. The request is retried only after a 429. Destroying
 * the resource sends nothing.
 *
 * @example Rotate once
 * ```ts
 * new platform.OidcKeyRotation("leak");
 * ```
 * @example Rotate each month
 * ```ts
 * new platform.OidcKeyRotation("monthly", { triggers: [new Date().toISOString().slice(0, 7)] });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
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
 * A removal of all signing keys except the newest.
 *
 * Clouds then reject tokens that an old key signed, which breaks runs in progress. Rotate the key, wait until the tokens of these runs have
 * expired, then trim. The platform also trims the keys automatically 30 days after a rotation. A trim restarts these 30 days, and does not
 * change when the platform rotates the key automatically.
 *
 * Pulumi trims the keys on create and on each change of `triggers`, never in a preview. The request is retried only after a 429. Destroying
 * the resource sends nothing.
 *
 * @example Trim once
 * ```ts
 * new platform.OidcKeyTrim("leak");
 * ```
 * @example Trim after each rotation, once the tokens of the old key have expired
 * ```ts
 * const rotation = new platform.OidcKeyRotation("leak", { triggers: ["incident 42"] });
 * // A token is valid for two hours at most. A preview does not wait.
 * const untilTokensHaveExpired = async (performedAt: string) => {
 *   const left = Date.parse(performedAt) + 2 * 60 * 60 * 1000 - Date.now();
 *   if (left > 0 && !pulumi.runtime.isDryRun()) await new Promise((done) => setTimeout(done, left));
 *   return performedAt;
 * };
 * new platform.OidcKeyTrim("leak", { triggers: [rotation.performedAt.apply(untilTokensHaveExpired)] });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
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
 * A revocation of the identity provider's old certificate.
 *
 * The platform then accepts only the new certificate. Users are locked out if the identity provider still signs with the old one.
 *
 * Pulumi revokes the certificate on create and on each change of `triggers`, never in a preview. The request is retried only after a 429.
 * Destroying the resource sends nothing.
 *
 * @example Revoke once
 * ```ts
 * new platform.SamlCertificateRevocation("switched");
 * ```
 * @example Revoke after a change of the certificate
 * ```ts
 * const saml = new platform.SamlSettings("saml", { idpCert: certificate });
 * // Change the trigger once the identity provider signs with the new certificate.
 * new platform.SamlCertificateRevocation("switched", { triggers: ["2026-01"] }, { dependsOn: saml });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
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
 * The credentials for cost estimation.
 *
 * The provider manages only the attributes that the program declares. See {@link SettingsInputs} for `onDelete` and `extra`. The platform
 * returns the secrets, so a refresh detects their drift. The provider prints a line about it, since Pulumi prints only `[secret]`. A masked
 * value counts as unchanged.
 *
 * Fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator. Enabling cost estimation without all credentials of a
 * cloud fails with `ERR_INVALID_INPUT`, before the provider sends anything.
 *
 * @example Credentials of AWS
 * ```ts
 * new platform.CostEstimationSettings("prices", {
 *   enabled: true,
 *   cloudAAccessKeyId: "AKIA2EXAMPLE",
 *   cloudASecretKey: config.requireSecret("awsSecretKey"),
 * });
 * ```
 * @example Credentials of Google Cloud and Azure
 * ```ts
 * new platform.CostEstimationSettings("prices", {
 *   enabled: true,
 *   cloudBCredentials: config.requireSecret("googleServiceAccountKey"),
 *   cloudCClientId: "3fa1a3a2-6f4d-4d5e-9a53-0d3f8f2f5b11",
 *   cloudCClientSecret: config.requireSecret("azureClientSecret"),
 *   cloudCSubscriptionId: "b1b6f9c0-1d7e-4b6b-8b43-1b0a2f0e9c77",
 *   cloudCTenantId: "c0a7c9e4-5a46-4bb2-9c1a-7d9e8e1f2a33",
 * });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests A create or delete sends the `PATCH` only if a value differs. If the program declares one more attribute, the update first sends the
 * `GET`.
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
 * The support address and the messages of the user interface.
 *
 * The provider manages only the attributes that the program declares. See {@link SettingsInputs} for `onDelete` and `extra`.
 *
 * Fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator, and with `ERR_NOT_FOUND` if the platform is older than
 * release 202003-1.
 *
 * @example A footer
 * ```ts
 * new platform.CustomizationSettings("messages", { footer: "Operated by the platform team." });
 * ```
 * @example The support address and help on each page
 * ```ts
 * new platform.CustomizationSettings("messages", {
 *   supportEmailAddress: "platform@example.com",
 *   loginHelp: 'Sign in with SSO, or <a href="https://help.example.com">ask for an account</a>.',
 *   footer: "Operated by the platform team.",
 *   error: "Report the error to platform@example.com.",
 *   newUser: "Ask the owner of an organization to invite you.",
 * });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests A create or delete sends the `PATCH` only if a value differs. If the program declares one more attribute, the update first sends the
 * `GET`.
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
 * The general settings of the installation.
 *
 * The provider manages only the attributes that the program declares. See {@link SettingsInputs} for `onDelete` and `extra`.
 *
 * Fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator.
 *
 * @example Leave the creation of organizations to administrators
 * ```ts
 * new platform.GeneralSettings("general", { limitUserOrganizationCreation: true });
 * ```
 * @example Limit the API rate, and leave it limited after a destroy
 * ```ts
 * new platform.GeneralSettings("general", {
 *   apiRateLimitingEnabled: true,
 *   apiRateLimit: 100,
 *   sendPassingStatusesForUntriggeredSpeculativePlans: true,
 *   onDelete: "retain",
 * });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests A create or delete sends the `PATCH` only if a value differs. If the program declares one more attribute, the update first sends the
 * `GET`.
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
 * SAML single sign-on.
 *
 * The provider manages only the attributes that the program declares. See {@link SettingsInputs} for `onDelete` and `extra`. Destroying the
 * resource does not restore `oldIdpCert`. In the hashicorp dialect, `extra["private-key"]` is a write-only secret, so it shows no drift.
 *
 * Fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator. Enabling SAML without one of its attributes fails with
 * `ERR_INVALID_INPUT`, before the provider sends anything.
 *
 * @example Replace the certificate of the identity provider
 * ```ts
 * new platform.SamlSettings("saml", { idpCert: fs.readFileSync("idp.pem", "utf8") });
 * ```
 * @example Enable single sign-on
 * ```ts
 * new platform.SamlSettings("saml", {
 *   enabled: true,
 *   idpCert: fs.readFileSync("idp.pem", "utf8"),
 *   ssoEndpointUrl: "https://idp.example.com/sso",
 *   sloEndpointUrl: "https://idp.example.com/slo",
 *   attrUsername: "Username",
 *   attrGroups: "MemberOf",
 *   attrSiteAdmin: "SiteAdmin",
 *   siteAdminRole: "site-admins",
 *   ssoApiTokenSessionTimeout: 1209600,
 * });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests A create or delete sends the `PATCH` only if a value differs. If the program declares one more attribute, the update first sends the
 * `GET`.
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
 * The SMS provider for two-factor authentication.
 *
 * The provider manages only the attributes that the program declares. See {@link SettingsInputs} for `onDelete` and `extra`.
 * {@link SmsVerification} sends a test message.
 *
 * Fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator. Enabling messages without one of the attributes fails
 * with `ERR_INVALID_INPUT`, before the provider sends anything.
 *
 * @example Disable text messages
 * ```ts
 * new platform.SmsSettings("sms", { enabled: false });
 * ```
 * @example Enable text messages, and verify them with a test message
 * ```ts
 * const authToken = config.requireSecret("smsToken");
 * const sms = new platform.SmsSettings("sms", {
 *   enabled: true,
 *   accountSid: "AC6f0e9c",
 *   authToken,
 *   fromNumber: "+15550100",
 * });
 * new platform.SmsVerification("sms", { testNumber: "+15550101", triggers: [authToken] }, { dependsOn: sms });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests A create or delete sends the `PATCH` only if a value differs. If the program declares one more attribute, the update first sends the
 * `GET`.
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
 * The mail server of the platform.
 *
 * The provider manages only the attributes that the program declares. See {@link SettingsInputs} for `onDelete` and `extra`. A write is
 * retried only after a 429, since each may send a mail.
 *
 * Fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator. Enabling mail without one of its attributes fails with
 * `ERR_INVALID_INPUT`, before the provider sends anything. If the mail server rejects the test mail, the error is `ERR_REJECTED`, or
 * `ERR_INCOMPLETE` if the platform has stored the settings.
 *
 * @example Another sender
 * ```ts
 * new platform.SmtpSettings("mail", { sender: "platform@example.com" });
 * ```
 * @example Enable mail with authentication, and send a test mail
 * ```ts
 * new platform.SmtpSettings("mail", {
 *   enabled: true,
 *   host: "smtp.example.com",
 *   port: 587,
 *   sender: "platform@example.com",
 *   auth: "login",
 *   username: "platform",
 *   password: config.requireSecret("smtpPassword"),
 *   testEmailAddress: "operators@example.com",
 * });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests A create or delete sends the `PATCH` only if a value differs. If the program declares one more attribute, the update first sends the
 * `GET`.
 * @unreadable `password`. The platform does not store `testEmailAddress`.
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
 * A test message that verifies the {@link SmsSettings}.
 *
 * Fails with `ERR_REJECTED` if messages are disabled or the SMS provider rejects the message.
 *
 * Pulumi sends the message on create and on each change of `triggers` or `testNumber`, never in a preview. The request is retried only after
 * a 429, since each message costs money. Destroying the resource sends nothing.
 *
 * @example Send one message
 * ```ts
 * new platform.SmsVerification("sms", { testNumber: "+15550101" });
 * ```
 * @example Send a message after each change of the token
 * ```ts
 * const authToken = config.requireSecret("smsToken");
 * const sms = new platform.SmsSettings("sms", { enabled: true, accountSid: "AC6f0e9c", authToken, fromNumber: "+15550100" });
 * new platform.SmsVerification("sms", { testNumber: "+15550101", triggers: [authToken] }, { dependsOn: sms });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @unreadable Everything: the platform does not report the action, so it never shows drift.
 */
export class SmsVerification extends CustomResource {
  constructor(name: string, args: SmsVerificationArgs, opts?: CustomResourceOptions) {
    super(...registration(smsVerification, name, args, opts));
  }
}
