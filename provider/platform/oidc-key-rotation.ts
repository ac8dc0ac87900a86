import { Definition } from "../definition";
import { ActionInputs, ActionState, action } from "./action";

/**
 * Rotates the key that signs the workload identity tokens of runs.
 *
 * Clouds accept tokens of the old keys until an {@link OidcKeyTrim}. The platform also rotates the key automatically every 90 days. A
 * rotation restarts these 90 days, and does not change when the platform trims old keys automatically.
 *
 * Pulumi rotates the key on create and on each change of `triggers`, never in a preview. The request is retried only after a 429. Destroying
 * the resource sends nothing.
 *
 * @example Rotate once
 * ```ts
 * new platform.OidcKeyRotation("leak");
 * ```
 * @example Rotate each month
 * ```ts
 * new platform.OidcKeyRotation("monthly", { triggers: [new Date().toISOString().slice(0, 7)] });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @unreadable Everything: the platform does not report the action, so it never shows drift.
 * @internal
 */
export const oidcKeyRotation: Definition<ActionInputs, ActionState> = action({
  type: "OidcKeyRotation",
  displayName: "OIDC key rotation",
  id: "oidc-key-rotation",
  path: () => ["oidc-settings", "actions", "rotate-key"],
});
