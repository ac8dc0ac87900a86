import { Definition } from "../definition";
import { ActionInputs, ActionState, action } from "./action";

/**
 * Removes all signing keys except the newest.
 *
 * Clouds then reject tokens that an old key signed, which breaks runs in progress. Rotate the key, wait until the tokens of these runs have
 * expired, then trim. The platform also trims the keys automatically 30 days after a rotation. A trim restarts these 30 days, and does not
 * change when the platform rotates the key automatically.
 *
 * Pulumi trims the keys on create and on each change of `triggers`, never in a preview. The request is retried only after a 429. Destroying
 * the resource sends nothing.
 *
 * @example Trim once
 * ```ts
 * new platform.OidcKeyTrim("leak");
 * ```
 * @example Trim after each rotation, once the tokens of the old key have expired
 * ```ts
 * const rotation = new platform.OidcKeyRotation("leak", { triggers: ["incident 42"] });
 * // A token is valid for two hours at most. A preview does not wait.
 * const untilTokensHaveExpired = async (performedAt: string) => {
 *   const left = Date.parse(performedAt) + 2 * 60 * 60 * 1000 - Date.now();
 *   if (left > 0 && !pulumi.runtime.isDryRun()) await new Promise((done) => setTimeout(done, left));
 *   return performedAt;
 * };
 * new platform.OidcKeyTrim("leak", { triggers: [rotation.performedAt.apply(untilTokensHaveExpired)] });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @unreadable Everything: the platform does not report the action, so it never shows drift.
 * @internal
 */
export const oidcKeyTrim: Definition<ActionInputs, ActionState> = action({
  type: "OidcKeyTrim",
  displayName: "OIDC key trim",
  id: "oidc-key-trim",
  path: () => ["oidc-settings", "actions", "trim-key"],
});
