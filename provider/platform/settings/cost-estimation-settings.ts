import { json } from "../../comparison";
import { bool, rule, str } from "../../inputs";
import { objectIn } from "../../json";
import { SettingsInputs, SettingsState, Values } from "./kind";
import { SettingsDefinition, settings } from "./resource";

/** Attributes of the cost estimation settings. In Terraform Enterprise, cloud A is AWS, cloud B is Google Cloud and cloud C is Azure. */
export interface CostEstimationSettingsAttributes {
  /** Lets organizations enable cost estimation. Requires all credentials of at least one cloud. Changing this updates. */
  enabled: boolean;
  /** The access key id for cloud A. Changing this updates. */
  cloudAAccessKeyId: string | undefined;
  /** The secret key for cloud A. The platform returns it, but it is a secret. Changing this updates. */
  cloudASecretKey: string | undefined;
  /** The service account key for cloud B, as a JSON string. The platform returns it, but it is a secret. Compared as JSON. Changing this updates. */
  cloudBCredentials: string | undefined;
  /** The client id for cloud C. Changing this updates. */
  cloudCClientId: string | undefined;
  /** The client secret for cloud C. The platform returns it, but it is a secret. Changing this updates. */
  cloudCClientSecret: string | undefined;
  /** The subscription id for cloud C. Changing this updates. */
  cloudCSubscriptionId: string | undefined;
  /** The tenant id for cloud C. Changing this updates. */
  cloudCTenantId: string | undefined;
}

/** Inputs of {@link CostEstimationSettings}. An omitted attribute keeps its value. */
export interface CostEstimationSettingsInputs extends SettingsInputs, Partial<CostEstimationSettingsAttributes> {}
/** Outputs of {@link CostEstimationSettings}. */
export interface CostEstimationSettingsState extends SettingsState, CostEstimationSettingsAttributes {}

const clouds = [
  ["cloudAAccessKeyId", "cloudASecretKey"],
  ["cloudBCredentials"],
  ["cloudCClientId", "cloudCClientSecret", "cloudCSubscriptionId", "cloudCTenantId"],
];

/** The missing credentials of the cloud that has the largest part of its credentials. */
function requiredWhenEnabled(held: Values): string[] {
  // Terraform Enterprise can take the credentials from the instance profile of its machine.
  if (!held.enabled || held["extra.aws-instance-profile-enabled"]) return [];
  const missing = clouds.map((fields) => fields.filter((field) => !held[field]));
  const part = (index: number): number => (missing[index] ?? []).length / (clouds[index] ?? []).length;
  const [nearest = 0] = [...clouds.keys()].sort((a, b) => part(a) - part(b));
  return missing[nearest] ?? [];
}

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
 * @internal
 */
export const costEstimationSettings: SettingsDefinition<CostEstimationSettingsInputs, CostEstimationSettingsState> = settings({
  type: "CostEstimationSettings",
  displayName: "cost estimation settings",
  id: "cost-estimation",
  attributes: {
    enabled: { input: bool, output: true },
    cloudAAccessKeyId: { input: str, output: true },
    cloudASecretKey: { input: str, output: true, secret: true },
    cloudBCredentials: {
      input: str.refine((value) => objectIn(value) !== undefined, rule("json", "must be the JSON string of a service account key")),
      output: true,
      compare: json,
      secret: true,
    },
    cloudCClientId: { input: str, output: true },
    cloudCClientSecret: { input: str, output: true, secret: true },
    cloudCSubscriptionId: { input: str, output: true },
    cloudCTenantId: { input: str, output: true },
  },
  requiredWhenEnabled,
});
