import { z } from "zod";
import { bool } from "../../inputs";
import { SettingsInputs, SettingsState } from "./kind";
import { SettingsDefinition, settings } from "./resource";

/** Attributes of the general settings. */
export interface GeneralSettingsAttributes {
  /** Limits the creation of organizations to site administrators. Changing this updates. */
  limitUserOrganizationCreation: boolean;
  /** Enables the limit of API requests, `apiRateLimit`. Changing this updates. */
  apiRateLimitingEnabled: boolean;
  /** The API requests per second and client, at least 30. The limit applies to this provider too. Changing this updates. */
  apiRateLimit: number;
  /** Sends a passing status for pull requests that do not change the tracked files of a workspace. Changing this updates. */
  sendPassingStatusesForUntriggeredSpeculativePlans: boolean;
  /** Runs speculative plans on pull requests from forks. Changing this updates. */
  allowSpeculativePlansOnPullRequestsFromForks: boolean;
  /** Shares the state of new workspaces with the whole organization. Changing this updates. */
  defaultRemoteStateAccess: boolean;
}

/** Inputs of {@link GeneralSettings}. An omitted attribute keeps its value. */
export interface GeneralSettingsInputs extends SettingsInputs, Partial<GeneralSettingsAttributes> {}
/** Outputs of {@link GeneralSettings}. */
export interface GeneralSettingsState extends SettingsState, GeneralSettingsAttributes {}

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
 * @internal
 */
export const generalSettings: SettingsDefinition<GeneralSettingsInputs, GeneralSettingsState> = settings({
  type: "GeneralSettings",
  displayName: "general settings",
  id: "general",
  attributes: {
    limitUserOrganizationCreation: { input: bool, output: true },
    apiRateLimitingEnabled: { input: bool, output: true },
    apiRateLimit: { input: z.int("must be a whole number").min(30, "must be at least 30 requests per second"), output: true },
    sendPassingStatusesForUntriggeredSpeculativePlans: { input: bool, output: true },
    allowSpeculativePlansOnPullRequestsFromForks: { input: bool, output: true },
    defaultRemoteStateAccess: { input: bool, output: true },
  },
});
