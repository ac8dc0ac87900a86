// Written by `npm run generate` from the definitions and their comments: change those.

import { moduleVersion, moduleVersions } from "./platform/module-versions";
import { costEstimationSettings } from "./platform/settings/cost-estimation-settings";
import { customizationSettings } from "./platform/settings/customization-settings";
import { generalSettings } from "./platform/settings/general-settings";
import { settingsFunction } from "./platform/settings/read";
import { samlSettings } from "./platform/settings/saml-settings";
import { smsSettings } from "./platform/settings/sms-settings";
import { smtpSettings } from "./platform/settings/smtp-settings";
import { oneWorkspace, workspaces } from "./platform/workspaces";
import { AnyReadFunction } from "./read-function";
import { agentMembers } from "./scheduler/agent-members";
import { deployments } from "./scheduler/deployments";
import { jobs } from "./scheduler/jobs";
import { nodes } from "./scheduler/nodes";
import { rekeyBackup, rekeyStatus } from "./secrets/rekey/status";
import { schedulerRoleNames } from "./secrets/scheduler-role-list";
import { specification } from "./secrets/specification";

/** Every function of the package that reads. @internal */
export const functions: readonly AnyReadFunction[] = [
  rekeyStatus,
  rekeyBackup,
  schedulerRoleNames,
  specification,
  moduleVersion,
  moduleVersions,
  workspaces,
  oneWorkspace,
  agentMembers,
  deployments,
  jobs,
  nodes,
  settingsFunction(costEstimationSettings),
  settingsFunction(customizationSettings),
  settingsFunction(generalSettings),
  settingsFunction(samlSettings),
  settingsFunction(smsSettings),
  settingsFunction(smtpSettings),
];
