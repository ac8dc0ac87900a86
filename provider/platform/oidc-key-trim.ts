import { Definition } from "../contract/definition";
import { ActionInputs, ActionState, action } from "./action";

export const trimKey = { path: (): string[] => ["oidc-settings", "actions", "trim-key"] };

/**
 * Removes all signing keys except the newest.
 *
 * A cloud that fetches the keys from Terraform Enterprise rejects tokens of an old key as soon as it fetches them again, so runs in progress may
 * lose their access. A cloud to which you upload the keys accepts the old ones until you upload the new ones.
 *
 * After a leak, trim at once, because the leaked key can sign tokens until then. For a routine rotation, set `trimLater` of
 * {@link OidcKeyRotation} instead. It waits for the longest timeout of a plan or an apply, after which these tokens have expired.
 *
 * Terraform Enterprise also trims the keys automatically 30 days after its last rotation. A trim restarts these 30 days, and does not change when
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
 * @unreadable Everything: the admin API does not report the action, so the resource never shows drift. The public keys are at `/.well-known/jwks`.
 */
export const oidcKeyTrim: Definition<ActionInputs, ActionState> = action({
  type: "OidcKeyTrim",
  displayName: "OIDC key trim",
  id: "oidc-key-trim",
  ...trimKey,
});
