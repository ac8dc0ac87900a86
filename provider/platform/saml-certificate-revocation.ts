import { Definition } from "../definition";
import { ActionInputs, ActionState, action } from "./action";

/**
 * A revocation of the identity provider's old certificate: `POST /api/v2/admin/saml-settings/actions/revoke-old-certificate`. The platform
 * then accepts only the new certificate. Users are locked out if the identity provider still signs with the old one.
 *
 * Pulumi revokes the certificate on create and on each change of `triggers`, never in a preview. The request is retried only after a 429.
 * Destroying the resource sends nothing.
 *
 * ```ts
 * const saml = new platform.SamlSettings("saml", { idpCert: certificate });
 * // Declare it once the identity provider signs with the new certificate.
 * new platform.SamlCertificateRevocation("switched", { triggers: ["2026-01"] }, { dependsOn: saml });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create and each change of `triggers`: 1 `POST`. Refresh and delete: none.
 * @unreadable Everything: the platform does not report the action, so it never shows drift.
 * @internal
 */
export const samlCertificateRevocation: Definition<ActionInputs, ActionState> = action({
  type: "SamlCertificateRevocation",
  displayName: "SAML certificate revocation",
  id: "saml-certificate-revocation",
  path: () => ["saml-settings", "actions", "revoke-old-certificate"],
});
