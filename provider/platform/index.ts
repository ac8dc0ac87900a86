export { ActionArgs, ActionInputs, ActionState } from "./action";
export { AdminWorkspace, AdminWorkspaceArgs, AdminWorkspaceInputs, AdminWorkspaceState } from "./admin-workspace";
export {
  CostEstimationSettings,
  CostEstimationSettingsArgs,
  CostEstimationSettingsAttributes,
  CostEstimationSettingsInputs,
  CostEstimationSettingsState,
  getCostEstimationSettings,
} from "./cost-estimation-settings";
export {
  CustomizationSettings,
  CustomizationSettingsArgs,
  CustomizationSettingsAttributes,
  CustomizationSettingsInputs,
  CustomizationSettingsState,
  getCustomizationSettings,
} from "./customization-settings";
export {
  GeneralSettings,
  GeneralSettingsArgs,
  GeneralSettingsAttributes,
  GeneralSettingsInputs,
  GeneralSettingsState,
  getGeneralSettings,
} from "./general-settings";
export {
  ModuleVersionDeprecation,
  ModuleVersionDeprecationArgs,
  ModuleVersionDeprecationInputs,
  ModuleVersionDeprecationState,
} from "./module-version-deprecation";
export {
  GetModuleVersionOptions,
  getModuleVersion,
  ListModuleVersionsOptions,
  listModuleVersions,
  Module,
  ModuleVersion,
} from "./module-versions";
export { OidcKeyRotation, OidcKeyRotationArgs } from "./oidc-key-rotation";
export { OidcKeyTrim, OidcKeyTrimArgs } from "./oidc-key-trim";
export { SamlCertificateRevocation, SamlCertificateRevocationArgs } from "./saml-certificate-revocation";
export {
  getSamlSettings,
  SamlSettings,
  SamlSettingsArgs,
  SamlSettingsAttributes,
  SamlSettingsInputs,
  SamlSettingsState,
} from "./saml-settings";
export { OnDelete, SettingsArgs, SettingsInputs, SettingsState, Shown } from "./settings";
export { getSmsSettings, SmsSettings, SmsSettingsArgs, SmsSettingsAttributes, SmsSettingsInputs, SmsSettingsState } from "./sms-settings";
export { SmsVerification, SmsVerificationArgs, SmsVerificationInputs } from "./sms-verification";
export {
  getSmtpSettings,
  SmtpAuth,
  SmtpSettings,
  SmtpSettingsArgs,
  SmtpSettingsAttributes,
  SmtpSettingsInputs,
  SmtpSettingsState,
} from "./smtp-settings";
export {
  GetWorkspaceOptions,
  getWorkspace,
  ListWorkspacesOptions,
  listWorkspaces,
  Workspace,
  WorkspaceInclude,
  WorkspaceList,
  WorkspaceQuery,
} from "./workspaces";
