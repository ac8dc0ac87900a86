import { json } from "../../contract/comparison";
import { bool, rule, str } from "../../contract/inputs";
import { WithSecrets } from "../../contract/secret";
import { objectIn } from "../../text/json";
import { SettingsInputs, SettingsState, Values } from "./page";
import { SettingsDefinition, settings } from "./resource";

/** Attributes of the cost estimation settings. Cloud A is AWS, cloud B is Google Cloud, and cloud C is Azure. */
export interface CostEstimationSettingsAttributes {
  /**
   * True if organizations can enable cost estimation, which requires all credentials of at least one cloud, or an
   * instance profile.
   */
  enabled: boolean;
  /** The access key id for AWS. */
  cloudAAccessKeyId: string | undefined;
  /**
   * The secret key for AWS, which is a secret, although Terraform Enterprise returns it.
   * @example { env: "AWS_SECRET_KEY" }
   */
  cloudASecretKey: string | undefined;
  /**
   * The service account key for Google Cloud, as a JSON string that is compared as JSON. It is a secret, although Terraform Enterprise
   * returns it.
   * @example { file: "/run/secrets/google.json" }
   */
  cloudBCredentials: string | undefined;
  /** The client id for Azure. */
  cloudCClientId: string | undefined;
  /** The client secret for Azure, which is a secret, although Terraform Enterprise returns it. */
  cloudCClientSecret: string | undefined;
  /** The subscription id for Azure. */
  cloudCSubscriptionId: string | undefined;
  /** The tenant id for Azure. */
  cloudCTenantId: string | undefined;
}

/** Inputs of {@link CostEstimationSettings}. An attribute that was never declared keeps its value. */
export interface CostEstimationSettingsInputs extends SettingsInputs, Partial<CostEstimationSettingsAttributes> {}
/** Outputs of {@link CostEstimationSettings}. */
export interface CostEstimationSettingsState extends SettingsState, CostEstimationSettingsAttributes {
  /** True if Terraform Enterprise takes the credentials for AWS from the instance profile of its machine. */
  cloudAInstanceProfileEnabled: boolean | undefined;
}

type Secrets = "cloudASecretKey" | "cloudBCredentials" | "cloudCClientSecret";

const clouds = [
  ["cloudAAccessKeyId", "cloudASecretKey"],
  ["cloudBCredentials"],
  ["cloudCClientId", "cloudCClientSecret", "cloudCSubscriptionId", "cloudCTenantId"],
];

/** The missing credentials of the cloud that has the largest part of its credentials. */
function requiredWhenEnabled(values: Values): string[] {
  if (values.cloudAInstanceProfileEnabled) return [];
  const missing = clouds.map((fields) => fields.filter((field) => !values[field]));
  const part = (index: number): number => (missing[index] ?? []).length / (clouds[index] ?? []).length;
  const [nearest = 0] = [...clouds.keys()].sort((a, b) => part(a) - part(b));
  return missing[nearest] ?? [];
}

/**
 * The credentials for cost estimation.
 *
 * The provider manages only the attributes that the program declares, so an attribute that was never declared keeps its current value. See
 * {@link SettingsInputs} for `onDelete`.
 *
 * According to HashiCorp's reference, Terraform Enterprise returns the secrets, so a refresh detects their drift. The provider prints a line
 * about it because Pulumi prints only `[secret]`. A masked value counts as unchanged. A secret that was masked before its first write cannot be restored, so removing it
 * from the program or destroying the resource may disable cost estimation, as `onDelete` explains.
 *
 * An operation fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator. Enabling cost estimation without all
 * credentials of a cloud fails with `ERR_INVALID_INPUT` before anything is written.
 *
 * @example Credentials of AWS
 * ```ts
 * new platform.CostEstimationSettings("prices", {
 *   enabled: true,
 *   cloudAAccessKeyId: "AKIA2EXAMPLE",
 *   cloudASecretKey: { env: "AWS_SECRET_KEY" },
 * });
 * ```
 * @example Credentials of Google Cloud and Azure
 * ```ts
 * new platform.CostEstimationSettings("prices", {
 *   enabled: true,
 *   cloudBCredentials: { file: "/run/secrets/google.json" },
 *   cloudCClientId: "3fa1a3a2-6f4d-4d5e-9a53-0d3f8f2f5b11",
 *   cloudCClientSecret: { env: "AZURE_CLIENT_SECRET" },
 *   cloudCSubscriptionId: "b1b6f9c0-1d7e-4b6b-8b43-1b0a2f0e9c77",
 *   cloudCTenantId: "c0a7c9e4-5a46-4bb2-9c1a-7d9e8e1f2a33",
 * });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create, update and delete send the `PATCH` only if a value differs, and an update that declares a new attribute first sends the
 * `GET`.
 * @unreadable Nothing, because Terraform Enterprise returns even the secrets, according to HashiCorp's reference. Pulumi prints a changed one as
 * `[secret]`.
 */
export const costEstimationSettings: SettingsDefinition<
  WithSecrets<CostEstimationSettingsInputs, Secrets>,
  WithSecrets<CostEstimationSettingsState, Secrets>
> = settings({
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
    cloudAInstanceProfileEnabled: { output: true },
  },
  requiredWhenEnabled,
});
