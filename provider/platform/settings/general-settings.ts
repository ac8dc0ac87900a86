import { z } from "zod";
import { duration, seconds } from "../../contract/comparison";
import { bool, rule, str } from "../../contract/inputs";
import { SettingsInputs, SettingsState } from "./page";
import { SettingsDefinition, settings } from "./resource";

const timeout = str.refine(
  (value) => /\D/.test(value) && seconds(value) !== undefined,
  rule("duration", 'must be a duration with units, such as "24h" or "1h30m"'),
);
const dialects = ["hashicorp"];

/** Attributes of the general settings. */
export interface GeneralSettingsAttributes {
  /** True if only site administrators can create organizations. */
  limitUserOrganizationCreation: boolean;
  /** True if `apiRateLimit` limits API requests. */
  apiRateLimitingEnabled: boolean;
  /** The API requests per second and client, at least 30. This provider is limited too. */
  apiRateLimit: number;
  /** True if pull requests that do not change the tracked files of a workspace receive a passing status. */
  sendPassingStatusesForUntriggeredSpeculativePlans: boolean;
  /** True if speculative plans run on pull requests from forks. */
  allowSpeculativePlansOnPullRequestsFromForks: boolean;
  /** True if new workspaces share their state with the whole organization. */
  defaultRemoteStateAccess: boolean;
  /**
   * The maximum duration of an apply, of which HashiCorp supports at most 24 hours. Requires the dialect `hashicorp`. Releases before about August
   * 2024 have only `terraform-build-worker-apply-timeout`, which the provider does not write. There, declaring it fails before anything is written.
   * @example "24h"
   */
  applyTimeout: string | undefined;
  /**
   * The maximum duration of a plan, of which HashiCorp supports at most 24 hours. Requires the dialect `hashicorp`. Releases before about August
   * 2024 have only `terraform-build-worker-plan-timeout`, which the provider does not write. There, declaring it fails before anything is written.
   * @example "2h"
   */
  planTimeout: string | undefined;
}

/** Inputs of {@link GeneralSettings}. An attribute that was never declared keeps its value. */
export interface GeneralSettingsInputs extends SettingsInputs, Partial<GeneralSettingsAttributes> {}
/** Outputs of {@link GeneralSettings}. */
export interface GeneralSettingsState extends SettingsState, GeneralSettingsAttributes {}

/**
 * The general settings of Terraform Enterprise.
 *
 * These are the attributes that HashiCorp's API reference lists. Terraform Enterprise has more, which this package leaves alone, such as two-factor
 * authentication of administrators, fair run queuing, and the limits of organizations and workspaces.
 *
 * The provider manages only the attributes that the program declares, so an attribute that was never declared keeps its current value. See
 * {@link SettingsInputs} for `onDelete`.
 *
 * An operation fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator.
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
 * @requests Create, update and delete send the `PATCH` only if a value differs, and an update that declares a new attribute first sends the
 * `GET`.
 * @unreadable Nothing, because Terraform Enterprise returns all attributes.
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
    applyTimeout: { input: timeout, output: true, compare: { equal: duration.equal }, dialects },
    planTimeout: { input: timeout, output: true, compare: { equal: duration.equal }, dialects },
  },
});
