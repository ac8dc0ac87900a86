import { z } from "zod";
import { bool } from "../../inputs";
import { SettingsInputs, SettingsState } from "./kind";
import { SettingsDefinition, settings } from "./resource";

/** The installation's general settings. */
export interface GeneralSettingsAttributes {
  /** Whether only site administrators may create organizations. Changing this updates. */
  limitUserOrganizationCreation: boolean;
  /** Whether the platform limits how many requests a client may send. Changing this updates. */
  apiRateLimitingEnabled: boolean;
  /** Requests per second and client; at least 30. It limits the requests of this package as well. Changing this updates. */
  apiRateLimit: number;
  /** Whether pull requests that do not affect a workspace's tracked files get a passing status from it. Changing this updates. */
  sendPassingStatusesForUntriggeredSpeculativePlans: boolean;
  /** Whether speculative plans run on pull requests from forks. Changing this updates. */
  allowSpeculativePlansOnPullRequestsFromForks: boolean;
  /** Whether new workspaces share their state with the whole organization. Changing this updates. */
  defaultRemoteStateAccess: boolean;
}

/** What a program declares of the general settings; what it does not declare stays as it is. */
export interface GeneralSettingsInputs extends SettingsInputs, Partial<GeneralSettingsAttributes> {}
/** What the platform shows. */
export interface GeneralSettingsState extends SettingsState, GeneralSettingsAttributes {}

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
