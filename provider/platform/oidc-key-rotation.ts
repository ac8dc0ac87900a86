import { Definition } from "../definition";
import { ActionInputs, ActionState, action } from "./action";

/**
 * Rotates the OIDC key that signs workload identity tokens: `POST /api/v2/admin/oidc-settings/actions/rotate-key`. The old keys go on
 * being accepted until an {@link OidcKeyTrim}. The platform does it every 90 days by itself; this begins a new 90 days, and does
 * not change when the platform trims the old keys by itself.
 *
 * Done when it is created and each time `triggers` change, never in a preview; retried only after a 429, and not undone when it is destroyed.
 *
 * ```ts
 * new platform.OidcKeyRotation("leak", { triggers: ["incident 42"] });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create and each change of `triggers`: 1 `POST`. Refresh and delete: none.
 * @unreadable Everything: the platform keeps no trace of it, so that it never shows drift.
 * @internal
 */
export const oidcKeyRotation: Definition<ActionInputs, ActionState> = action({
  type: "OidcKeyRotation",
  displayName: "OIDC key rotation",
  id: "oidc-key-rotation",
  path: () => ["oidc-settings", "actions", "rotate-key"],
});
