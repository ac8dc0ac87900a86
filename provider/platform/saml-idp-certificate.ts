import { X509Certificate } from "node:crypto";
import { pem } from "../contract/comparison";
import { Definition } from "../contract/definition";
import { StewardError } from "../contract/errors";
import { Adopt, ConnectionArgs, isCertificate, nonEmptyStr, rule } from "../contract/inputs";
import { Operation } from "../contract/operation";
import { adminPath, asString, ResourceObject } from "./client";
import { listOf, Published, siteObject } from "./site-object";

/** Inputs of {@link SamlIdpCertificate}. */
export interface SamlIdpCertificateInputs extends ConnectionArgs {
  /**
   * The name of the certificate in the site administration.
   * @example "Okta, 2027"
   */
  displayName: string;
  /**
   * The certificate of the identity provider, in PEM format. Terraform Enterprise rejects one that has expired or that it already trusts.
   * @change updates, and Terraform Enterprise stops trusting the previous certificate at once
   * @example fs.readFileSync("okta-2027.pem", "utf8")
   */
  certificate: string;
  /**
   * The handling of a certificate that is already in the list under a different name. `true` renames it, and the provider prints the change,
   * old -> new. With `"unchanged"` or `false`, creating the resource fails with `ERR_ALREADY_EXISTS`.
   * @default false
   */
  adopt?: Adopt;
}

/** Outputs of {@link SamlIdpCertificate}. */
export interface SamlIdpCertificateState {
  /**
   * The id of the certificate: `idpc-…`.
   * @example "idpc-3Hf8sPq1Yd6vRc5m"
   */
  certificateId: string;
  /** The name of the certificate in the site administration. */
  displayName: string;
  /** The certificate, in PEM format. */
  certificate: string;
  /** The SHA-256 fingerprint of the certificate, in uppercase hexadecimal with colons. */
  fingerprint: string;
  /** The issuer of the certificate. */
  issuer: string;
  /** The time at which the certificate expires, in RFC 3339 format. */
  expiresAt: string;
}

const list = ["saml-settings", "idp-certificates"];

/** The certificates that `idpCert` of the SAML settings manages, by their role in the list. */
const legacy: Record<string, string> = { legacy_primary: "idpCert", legacy_old: "oldIdpCert" };
const legacyOf = ({ attributes }: ResourceObject): string | undefined => legacy[asString(attributes["cert-role"])];

/** The object of a certificate, by fingerprint, since a program does not know the id, and Terraform Enterprise accepts each certificate only once. */
export const certificatePath = (certificate = ""): string =>
  `${adminPath(...list)}/${isCertificate(certificate) ? new X509Certificate(certificate).fingerprint256 : "invalid"}`;

/** True if Terraform Enterprise trusts a certificate of the list. Older releases have no list. */
export const hasListedCertificate = (operation: Operation): Promise<boolean> =>
  listOf(operation, list).then(
    (all) => !all.every(legacyOf),
    () => false,
  );

function find(listed: readonly ResourceObject[], { certificate }: SamlIdpCertificateInputs): ResourceObject | undefined {
  const found = listed.find(({ attributes }) => certificatePath(asString(attributes.cert)) === certificatePath(certificate));
  const attribute = found && legacyOf(found);
  if (!attribute) return found;
  throw new StewardError({
    code: "ERR_ALREADY_EXISTS",
    rule: "saml-settings",
    reason: `the SAML settings already have this certificate, as ${attribute}`,
    hint: `Declare it once: here after ${attribute === "idpCert" ? "SamlSettings no longer has it" : "a SamlCertificateRevocation"}, or only there.`,
  });
}

/**
 * One of several identity provider certificates that Terraform Enterprise trusts.
 *
 * Terraform Enterprise tries each certificate of this list until the signature of a SAML response matches one. So a rotation has three steps:
 * declare the next certificate beside the current one, let the identity provider sign with it, and then remove the former one from the program.
 * Changing `certificate` in place locks out users until the identity provider signs with the new one.
 *
 * Terraform Enterprise also trusts `idpCert` and `oldIdpCert` of {@link SamlSettings}, which HashiCorp calls deprecated. It accepts no certificate
 * twice, so a program that declares one in both places fails. If the list has a certificate, {@link SamlSettings} needs no `idpCert`.
 *
 * An operation fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator, and with `ERR_NOT_FOUND` if Terraform
 * Enterprise is older than release 2.1.0. While SAML is enabled, deleting the last trusted certificate fails with `ERR_REJECTED`.
 *
 * @example A certificate
 * ```ts
 * new platform.SamlIdpCertificate("okta", { displayName: "Okta", certificate: fs.readFileSync("okta.pem", "utf8") });
 * ```
 * @example A rotation, while the identity provider may sign with either certificate
 * ```ts
 * for (const year of ["2026", "2027"])
 *   new platform.SamlIdpCertificate(`okta-${year}`, {
 *     displayName: `Okta, ${year}`,
 *     certificate: fs.readFileSync(`okta-${year}.pem`, "utf8"),
 *   });
 * ```
 * @see [Terraform Enterprise: IdP certificates](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/saml-idp-certificates)
 * @requests A create sends no `POST` if the list has the certificate, and a `PATCH` instead if its name differs.
 * @unreadable Nothing, because Terraform Enterprise returns the certificate.
 */
export const samlIdpCertificate: Definition<
  SamlIdpCertificateInputs,
  SamlIdpCertificateState,
  Published<SamlIdpCertificateState>
> = siteObject({
  type: "SamlIdpCertificate",
  displayName: "SAML IdP certificate",
  name: "<displayName>",
  documentType: "saml-idp-certificates",
  list,
  id: "certificateId",
  attributes: {
    displayName: { input: nonEmptyStr, required: true, output: true },
    certificate: {
      input: nonEmptyStr.refine(isCertificate, rule("certificate", "must be a valid certificate in PEM format, not a path")),
      required: true,
      output: true,
      compare: pem,
    },
    certificateId: { output: true, essential: true },
    fingerprint: { output: true },
    issuer: { output: true },
    expiresAt: { output: true },
  },
  wireNames: { certificate: "cert" },
  object: { fields: ["certificate"], path: ({ certificate }) => certificatePath(certificate) },
  find,
  refusal: { reason: "the list already has this certificate under another name", remedy: "set adopt: true to rename it." },
  whenKept: "Add another certificate first, or disable SAML.",
  discover: { name: "displayName", isOther: (each) => legacyOf(each) !== undefined },
});
