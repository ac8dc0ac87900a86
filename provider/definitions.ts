import { Definition } from "./definition";
import { adminWorkspace } from "./platform/admin-workspace";
import { costEstimationSettings } from "./platform/cost-estimation-settings";
import { customizationSettings } from "./platform/customization-settings";
import { generalSettings } from "./platform/general-settings";
import { moduleVersionDeprecation } from "./platform/module-version-deprecation";
import { oidcKeyRotation } from "./platform/oidc-key-rotation";
import { oidcKeyTrim } from "./platform/oidc-key-trim";
import { samlCertificateRevocation } from "./platform/saml-certificate-revocation";
import { samlSettings } from "./platform/saml-settings";
import { smsSettings } from "./platform/sms-settings";
import { smsVerification } from "./platform/sms-verification";
import { smtpSettings } from "./platform/smtp-settings";
import { rekeyAttempt } from "./secrets/rekey/attempt";
import { rekeyCommit } from "./secrets/rekey/commit";
import { rekeyShares } from "./secrets/rekey/shares";
import { schedulerAccess } from "./secrets/scheduler-access";
import { schedulerLease } from "./secrets/scheduler-lease";
import { schedulerRole } from "./secrets/scheduler-role";
import { schedulerRoles } from "./secrets/scheduler-roles";
import { schedulerToken } from "./secrets/scheduler-token";

/** Every resource of the package. @internal */
// biome-ignore lint/suspicious/noExplicitAny: what a definition takes and gives is known to its own file alone.
export const definitions: readonly Definition<any, any, any>[] = [
  schedulerAccess,
  schedulerLease,
  schedulerRole,
  schedulerRoles,
  schedulerToken,
  rekeyAttempt,
  rekeyShares,
  rekeyCommit,
  generalSettings,
  costEstimationSettings,
  samlSettings,
  samlCertificateRevocation,
  smtpSettings,
  smsSettings,
  smsVerification,
  customizationSettings,
  oidcKeyRotation,
  oidcKeyTrim,
  adminWorkspace,
  moduleVersionDeprecation,
];
