// Written by `npm run generate`: a new file of this folder needs no other line.

import type { RouteFile } from "../route-file";
import * as adminWorkspaces from "./admin-workspaces";
import * as costEstimationSettings from "./cost-estimation-settings";
import * as customizationSettings from "./customization-settings";
import * as generalSettings from "./general-settings";
import * as jwks from "./jwks";
import * as moduleVersions from "./module-versions";
import * as oidcSettings from "./oidc-settings";
import * as organizations from "./organizations";
import * as ping from "./ping";
import * as registry from "./registry";
import * as registryModules from "./registry-modules";
import * as samlSettings from "./saml-settings";
import * as smsSettings from "./sms-settings";
import * as smtpSettings from "./smtp-settings";
import * as workspaces from "./workspaces";

export const routeFiles: readonly RouteFile[] = [
  adminWorkspaces,
  costEstimationSettings,
  customizationSettings,
  generalSettings,
  jwks,
  moduleVersions,
  oidcSettings,
  organizations,
  ping,
  registry,
  registryModules,
  samlSettings,
  smsSettings,
  smtpSettings,
  workspaces,
];
