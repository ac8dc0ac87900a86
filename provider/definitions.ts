// Written by `npm run generate` from the definitions and their comments: change those.

import { AnyDefinition } from "./definition";
import { adminWorkspace } from "./platform/admin-workspace";
import { moduleVersionDeprecation } from "./platform/module-version-deprecation";
import { oidcKeyRotation } from "./platform/oidc-key-rotation";
import { oidcKeyTrim } from "./platform/oidc-key-trim";
import { samlCertificateRevocation } from "./platform/saml-certificate-revocation";
import { costEstimationSettings } from "./platform/settings/cost-estimation-settings";
import { customizationSettings } from "./platform/settings/customization-settings";
import { generalSettings } from "./platform/settings/general-settings";
import { samlSettings } from "./platform/settings/saml-settings";
import { smsSettings } from "./platform/settings/sms-settings";
import { smtpSettings } from "./platform/settings/smtp-settings";
import { smsVerification } from "./platform/sms-verification";
import { rekeyAttempt } from "./secrets/rekey/attempt";
import { rekeyCommit } from "./secrets/rekey/commit";
import { rekeyShares } from "./secrets/rekey/shares";
import { schedulerAccess } from "./secrets/scheduler-access";
import { schedulerLease } from "./secrets/scheduler-lease";
import { schedulerRole } from "./secrets/scheduler-role";
import { schedulerRoles } from "./secrets/scheduler-roles";
import { schedulerToken } from "./secrets/scheduler-token";

/** Every resource of the package. @internal */
export const definitions: readonly AnyDefinition[] = [
  rekeyAttempt,
  rekeyCommit,
  rekeyShares,
  schedulerAccess,
  schedulerLease,
  schedulerRole,
  schedulerRoles,
  schedulerToken,
  adminWorkspace,
  moduleVersionDeprecation,
  oidcKeyRotation,
  oidcKeyTrim,
  samlCertificateRevocation,
  costEstimationSettings,
  customizationSettings,
  generalSettings,
  samlSettings,
  smsSettings,
  smtpSettings,
  smsVerification,
];
