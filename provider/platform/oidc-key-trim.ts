import { Definition } from "../definition";
import { ActionInputs, ActionState, action } from "./action";

export const trimKey = { path: (): string[] => ["oidc-settings", "actions", "trim-key"] };

/**
 * Removes all signing keys except the newest.
 *
 * Clouds then reject tokens that an old key signed, so runs in progress lose their access. After a leak, trim at once, because the leaked key
 * can sign tokens until then. For a routine rotation, set `trimLater` of {@link OidcKeyRotation} instead. It waits for the longest
 * timeout of a plan or an apply, after which these tokens have expired.
 *
 * Terraform Enterprise also trims the keys automatically 30 days after a rotation. A trim restarts these 30 days, and does not change when
 * Terraform Enterprise rotates the key automatically.
 *
 * Pulumi trims the keys on create and on each change of `triggers`, never in a preview. The request is retried only after a 429. Destroying
 * the resource sends nothing.
 *
 * @example Trim once
 * ```ts
 * new platform.OidcKeyTrim("leak");
 * ```
 * @example Rotate and trim after a leak
 * ```ts
 * const rotation = new platform.OidcKeyRotation("leak", { triggers: ["incident 42"] });
 * new platform.OidcKeyTrim("leak", { triggers: [rotation.performedAt] });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @unreadable Everything: Terraform Enterprise does not report the action, so it never shows drift.
 */
export const oidcKeyTrim: Definition<ActionInputs, ActionState> = action({
  type: "OidcKeyTrim",
  displayName: "OIDC key trim",
  id: "oidc-key-trim",
  ...trimKey,
});
