import { Definition } from "../definition";
import { ActionInputs, ActionState, action } from "./action";

/**
 * Removes all OIDC signing keys but the newest: `POST /api/v2/admin/oidc-settings/actions/trim-key`. Tokens that an old key signed are refused from
 * then on, so that runs under way break: rotate, wait until their tokens have expired, then trim. The platform does it 30 days after a
 * rotation by itself; this begins a new 30 days, and does not change when the
 * platform rotates the key by itself.
 *
 * Done when it is created and each time `triggers` change, never in a preview; retried only after a 429, and not undone when it is destroyed.
 *
 * ```ts
 * const rotation = new platform.OidcKeyRotation("leak", { triggers: ["incident 42"] });
 * // Two hours is how long a token is valid at most. A preview does not wait.
 * const untilTokensHaveExpired = async (performedAt: string) => {
 *   const left = Date.parse(performedAt) + 2 * 60 * 60 * 1000 - Date.now();
 *   if (left > 0 && !pulumi.runtime.isDryRun()) await new Promise((done) => setTimeout(done, left));
 *   return performedAt;
 * };
 * // Trims after each rotation, once the tokens of the old key have expired.
 * new platform.OidcKeyTrim("leak", { triggers: [rotation.performedAt.apply(untilTokensHaveExpired)] });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create and each change of `triggers`: 1 `POST`. Refresh and delete: none.
 * @unreadable Everything: the platform keeps no trace of it, so that it never shows drift.
 * @internal
 */
export const oidcKeyTrim: Definition<ActionInputs, ActionState> = action({
  type: "OidcKeyTrim",
  displayName: "OIDC key trim",
  id: "oidc-key-trim",
  path: () => ["oidc-settings", "actions", "trim-key"],
});
