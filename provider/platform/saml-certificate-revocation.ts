import { Definition } from "../definition";
import { ActionInputs, ActionState, action } from "./action";

/**
 * Revokes the identity provider's old certificate.
 *
 * Terraform Enterprise then accepts only the new certificate. Users are locked out if the identity provider still signs with the old one.
 *
 * Pulumi revokes the certificate on create and on each change of `triggers`, never in a preview. The request is retried only after a 429.
 * Destroying the resource sends nothing.
 *
 * @example Revoke once
 * ```ts
 * new platform.SamlCertificateRevocation("switched");
 * ```
 * @example Revoke after a change of the certificate
 * ```ts
 * const saml = new platform.SamlSettings("saml", { idpCert: certificate });
 * // Change the trigger once the identity provider signs with the new certificate.
 * new platform.SamlCertificateRevocation("switched", { triggers: ["2026-01"] }, { dependsOn: saml });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @unreadable Everything: Terraform Enterprise does not report the action, so it never shows drift.
 */
export const samlCertificateRevocation: Definition<ActionInputs, ActionState> = action({
  type: "SamlCertificateRevocation",
  displayName: "SAML certificate revocation",
  id: "saml-certificate-revocation",
  path: () => ["saml-settings", "actions", "revoke-old-certificate"],
});
