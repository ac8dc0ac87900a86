import { Definition } from "../contract/definition";
import { ActionInputs, ActionState, action } from "./action";

/**
 * Revokes the identity provider's old certificate.
 *
 * Terraform Enterprise then no longer accepts `oldIdpCert` of {@link SamlSettings}. Users are locked out if the identity provider still signs with
 * it. Each {@link SamlIdpCertificate} stays accepted.
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
 * // Creating the resource revokes at once, so set this key only after the identity provider signs with the new certificate.
 * const switched = new pulumi.Config().get("certificateSwitched");
 * if (switched) new platform.SamlCertificateRevocation("switched", { triggers: [switched] }, { dependsOn: saml });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @unreadable Everything: the resource never shows drift. `oldIdpCert` of {@link SamlSettings} is empty after a revocation.
 */
export const samlCertificateRevocation: Definition<ActionInputs, ActionState> = action({
  type: "SamlCertificateRevocation",
  displayName: "SAML certificate revocation",
  id: "saml-certificate-revocation",
  path: () => ["saml-settings", "actions", "revoke-old-certificate"],
});
