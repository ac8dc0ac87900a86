import { Definition } from "../definition";
import { ActionInputs, ActionState, action } from "./action";

/**
 * Revokes the previous certificate of the identity provider: `POST /api/v2/admin/saml-settings/actions/revoke-old-certificate`. From then on
 * the platform accepts the new one alone: users are locked out if the identity provider still signs with the old one.
 *
 * Done when it is created and each time `triggers` change, never in a preview; retried only after a 429, and not undone when it is destroyed.
 *
 * ```ts
 * const saml = new platform.SamlSettings("saml", { idpCert: certificate });
 * // Declare it once the identity provider signs with the new certificate.
 * new platform.SamlCertificateRevocation("switched", { triggers: ["2026-01"] }, { dependsOn: saml });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create and each change of `triggers`: 1 `POST`. Refresh and delete: none.
 * @unreadable Everything: the platform keeps no trace of it, so that it never shows drift.
 * @internal
 */
export const samlCertificateRevocation: Definition<ActionInputs, ActionState> = action({
  type: "SamlCertificateRevocation",
  displayName: "SAML certificate revocation",
  id: "saml-certificate-revocation",
  path: () => ["saml-settings", "actions", "revoke-old-certificate"],
});
