import { json } from "../../comparison";
import { bool, rule, str } from "../../inputs";
import { objectIn } from "../../json";
import { SettingsInputs, SettingsState, Values } from "./kind";
import { SettingsDefinition, settings } from "./resource";

/** Where the installation looks up prices. The real product calls the clouds aws, gcp and azure; the names here stay the same. */
export interface CostEstimationSettingsAttributes {
  /** Whether organizations may turn cost estimation on; needs all credentials of at least one cloud. Changing this updates. */
  enabled: boolean;
  /** The id of an access key to cloud A's prices. Changing this updates. */
  cloudAAccessKeyId: string | undefined;
  /** That key's secret. Secret, although the platform shows it. Changing this updates. */
  cloudASecretKey: string | undefined;
  /** JSON text: the key of a service account of cloud B. Secret, although the platform shows it; compared as JSON. Changing this updates. */
  cloudBCredentials: string | undefined;
  /** The client id for cloud C's prices. Changing this updates. */
  cloudCClientId: string | undefined;
  /** That client's secret. Secret, although the platform shows it. Changing this updates. */
  cloudCClientSecret: string | undefined;
  /** The subscription in cloud C. Changing this updates. */
  cloudCSubscriptionId: string | undefined;
  /** The tenant in cloud C. Changing this updates. */
  cloudCTenantId: string | undefined;
}

/** What a program declares of the cost estimation settings; what it does not declare stays as it is. */
export interface CostEstimationSettingsInputs extends SettingsInputs, Partial<CostEstimationSettingsAttributes> {}
/** What the platform shows. */
export interface CostEstimationSettingsState extends SettingsState, CostEstimationSettingsAttributes {}

const clouds = [
  ["cloudAAccessKeyId", "cloudASecretKey"],
  ["cloudBCredentials"],
  ["cloudCClientId", "cloudCClientSecret", "cloudCSubscriptionId", "cloudCTenantId"],
];

/** Whoever gives most of one cloud's credentials means that one: what is missing of it is named, and nothing where it has all. */
function requiredWhenEnabled(held: Values): string[] {
  // The real product can get its credentials from the machine that it runs on.
  if (!held.enabled || held["extra.aws-instance-profile-enabled"]) return [];
  const missing = clouds.map((fields) => fields.filter((field) => !held[field]));
  const part = (index: number): number => (missing[index] ?? []).length / (clouds[index] ?? []).length;
  const [nearest = 0] = [...clouds.keys()].sort((a, b) => part(a) - part(b));
  return missing[nearest] ?? [];
}

/**
 * The cloud credentials for cost estimation: `GET` and `PATCH /api/v2/admin/cost-estimation-settings`. Its id is `cost-estimation`.
 *
 * Only the attributes that the program declares are managed; see {@link SettingsInputs} for what becomes of them in the end. The platform
 * shows the secrets, so their drift is seen, under a line of its own, since Pulumi prints `[secret]` only; a masked value counts as
 * unchanged. Fails with `ERR_FORBIDDEN` where the token is not a site administrator's, and with `ERR_INVALID_INPUT`, before anything is
 * sent, where cost estimation would be enabled without all credentials of a cloud.
 *
 * ```ts
 * new platform.CostEstimationSettings("prices", { enabled: true, cloudAAccessKeyId: "AKIA…", cloudASecretKey: config.requireSecret("priceKey") });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create: 1 `GET`, and 1 `PATCH` of what differs, if anything does. Update: 1 `PATCH`, after 1 `GET` where an attribute joins.
 * Refresh: 1 `GET`. Delete: 1 `PATCH` of what is put back, if anything is.
 * @unreadable Nothing: even the secrets are shown, though Pulumi prints a changed one as `[secret]`.
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
      input: str.refine((value) => objectIn(value) !== undefined, rule("json", "must be the JSON text of a service account's key")),
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
