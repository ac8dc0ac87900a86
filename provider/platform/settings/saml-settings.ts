import { z } from "zod";
import { pem } from "../../contract/comparison";
import { bool, isCertificate, nonEmptyStr, rule, str, urlInput } from "../../contract/inputs";
import { WithSecrets } from "../../contract/secret";
import { dialectOf } from "../client";
import { certificatePath, hasListedCertificate } from "../saml-idp-certificate";
import { SettingsInputs, SettingsState } from "./page";
import { SettingsDefinition, settings } from "./resource";

// `pulumi import` writes the members of these objects into a program, not the strings.
/** The algorithm of a signature or a digest. */
export type SamlSignatureMethod = "SHA1" | "SHA256";
export const SamlSignatureMethod = { SHA1: "SHA1", SHA256: "SHA256" } as const;
/** The identity provider. "saml" is any other product. */
export type SamlProviderType = "okta" | "entra" | "saml" | "unknown";
export const SamlProviderType = { Okta: "okta", Entra: "entra", Saml: "saml", Unknown: "unknown" } as const;

const signatureMethod = z.enum(SamlSignatureMethod, 'must be "SHA1" or "SHA256"');
const providerType = z.enum(SamlProviderType, 'must be "okta", "entra", "saml" or "unknown"');
const dialects = ["hashicorp"];

/** Attributes of the SAML settings. */
export interface SamlSettingsAttributes {
  /**
   * True if users can sign in through SAML, which requires `idpCert` or a {@link SamlIdpCertificate}, and `sloEndpointUrl` and `ssoEndpointUrl`.
   */
  enabled: boolean;
  /**
   * True if a sign-in shows the SAML response and the values that Terraform Enterprise took from it. Turn it off after troubleshooting.
   */
  debug: boolean;
  /**
   * The certificate of the identity provider, in PEM format. Terraform Enterprise keeps one previous certificate, `oldIdpCert`, and accepts it too.
   * Revoke it with a {@link SamlCertificateRevocation} before you change `idpCert` again: otherwise Terraform Enterprise would drop the current
   * certificate at once, so the operation fails with `ERR_INVALID_INPUT`. Since release 2.1, a {@link SamlIdpCertificate} can stand in for it or beside
   * it, with another certificate.
   * @example fs.readFileSync("idp.pem", "utf8")
   */
  idpCert: string | undefined;
  /**
   * The https URL for single logout at the identity provider. Terraform Enterprise requires it, although it does not support single logout yet.
   * @example "https://idp.example.com/slo"
   */
  sloEndpointUrl: string | undefined;
  /**
   * The https URL for single sign-on at the identity provider.
   * @example "https://idp.example.com/sso"
   */
  ssoEndpointUrl: string | undefined;
  /**
   * The SAML attribute that contains the user name. Terraform Enterprise ignores it for users that SCIM manages.
   * @example "Username"
   */
  attrUsername: string;
  /**
   * The SAML attribute that contains the user's teams. Terraform Enterprise ignores it while SCIM is enabled.
   * @example "MemberOf"
   */
  attrGroups: string;
  /**
   * The SAML attribute that grants site administrator rights. It takes precedence over `siteAdminRole`. Terraform Enterprise ignores both while
   * SCIM is enabled.
   * @example "SiteAdmin"
   */
  attrSiteAdmin: string;
  /**
   * The role in `attrGroups` that grants site administrator rights. An empty string disables this.
   * @example "site-admins"
   */
  siteAdminRole: string;
  /**
   * The time for which Terraform Enterprise accepts a user's API tokens after a sign-in through SAML, in seconds. After it, the user must sign in
   * again. Tokens of teams, organizations and service accounts are not affected.
   * @example 1209600
   */
  ssoApiTokenSessionTimeout: number;
  /** True if Terraform Enterprise signs its requests to the identity provider. Requires the dialect `hashicorp`. */
  authnRequestsSigned: boolean | undefined;
  /** True if the assertions of the identity provider must be signed. Requires the dialect `hashicorp`. */
  wantAssertionsSigned: boolean | undefined;
  /** The certificate, in PEM format, with which Terraform Enterprise signs its requests. Requires the dialect `hashicorp`. */
  certificate: string | undefined;
  /**
   * The algorithm of the signatures, "SHA1" or "SHA256". Requires the dialect `hashicorp`.
   * @example "SHA256"
   */
  signatureSigningMethod: SamlSignatureMethod | undefined;
  /**
   * The algorithm of the digests, "SHA1" or "SHA256". Requires the dialect `hashicorp`.
   * @example "SHA256"
   */
  signatureDigestMethod: SamlSignatureMethod | undefined;
  /** True if the identity provider determines the teams of each user. Requires the dialect `hashicorp`. */
  teamManagementEnabled: boolean | undefined;
  /**
   * The identity provider: "okta", "entra", "saml" or "unknown". Requires the dialect `hashicorp`.
   * @example "okta"
   */
  providerType: SamlProviderType | undefined;
}

/** Inputs of {@link SamlSettings}. An attribute that was never declared keeps its value. */
export interface SamlSettingsInputs extends SettingsInputs, Partial<SamlSettingsAttributes> {
  /**
   * The private key of `certificate`, in PEM format, a secret. The provider never reads it, because HashiCorp's reference shows no response that
   * contains it, so it shows no drift. Requires the dialect `hashicorp`.
   * @example { file: "/run/secrets/saml.key" }
   */
  privateKey?: string;
}
/** Outputs of {@link SamlSettings}. */
export interface SamlSettingsState extends SettingsState, SamlSettingsAttributes {
  /**
   * The previous `idpCert`, in PEM format, until it is revoked. After a revocation, run `pulumi refresh` to update it. Changes are not
   * reported as drift. A secret output, since `idpCert` may be a secret.
   */
  oldIdpCert: string | undefined;
  /** The URL to which the identity provider sends its responses. */
  acsConsumerUrl: string | undefined;
  /** The URL of Terraform Enterprise's SAML metadata. */
  metadataUrl: string | undefined;
}

const names = ["attrUsername", "attrGroups", "attrSiteAdmin", "siteAdminRole"] as const;
const url = urlInput("must be an https URL", /^https:$/, rule("https-url", "must be an https URL"));

/**
 * SAML single sign-on settings.
 *
 * The provider manages only the attributes that the program declares, so an attribute that was never declared keeps its current value. See
 * {@link SettingsInputs} for `onDelete`. Destroying the resource does not restore `oldIdpCert`.
 *
 * `privateKey` cannot be restored, so removing it from the program or destroying the resource may disable SAML: see `onDelete`.
 *
 * Enabling SAML disables the API tokens of all users, that of Pulumi included, until they sign in again. A mistake in the settings can lock out
 * every administrator. [Enable SAML](../../guides/settings.md#enable-saml) says how to prepare for both. [Replace the certificate of the identity
 * provider](../../guides/settings.md#replace-the-certificate-of-the-identity-provider) has the steps in their order.
 *
 * HashiCorp's API reference does not list the attributes that require the dialect `hashicorp`. They follow its client go-tfe and its `tfe`
 * provider.
 *
 * An operation fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator. Enabling SAML without a certificate or one of its
 * two URLs fails with `ERR_INVALID_INPUT` before anything is written.
 *
 * @example Replace the certificate of the identity provider
 * ```ts
 * new platform.SamlSettings("saml", { idpCert: fs.readFileSync("idp.pem", "utf8") });
 * ```
 * @example Enable single sign-on
 * ```ts
 * new platform.SamlSettings("saml", {
 *   enabled: true,
 *   idpCert: fs.readFileSync("idp.pem", "utf8"),
 *   ssoEndpointUrl: "https://idp.example.com/sso",
 *   sloEndpointUrl: "https://idp.example.com/slo",
 *   onDelete: "retain",
 * }, { protect: true });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create, update and delete send the `PATCH` only if a value differs. An update first sends the `GET` if it declares a new attribute,
 * or changes `idpCert`, and a delete if it restores a certificate.
 * @unreadable `privateKey`.
 */
export const samlSettings: SettingsDefinition<WithSecrets<SamlSettingsInputs, "privateKey">, SamlSettingsState> = settings({
  type: "SamlSettings",
  displayName: "SAML settings",
  id: "saml",
  attributes: {
    enabled: { input: bool, output: true },
    debug: { input: bool, output: true },
    idpCert: { input: nonEmptyStr, output: true, compare: pem },
    sloEndpointUrl: { input: url, output: true },
    ssoEndpointUrl: { input: url, output: true },
    attrUsername: { input: str, output: true },
    attrGroups: { input: str, output: true },
    attrSiteAdmin: { input: str, output: true },
    siteAdminRole: { input: str, output: true },
    ssoApiTokenSessionTimeout: { input: z.int("must be a whole number of seconds").min(1, "must be at least 1 second"), output: true },
    // The program may have marked the previous `idpCert` as a secret.
    oldIdpCert: { output: true, secretOutput: true },
    acsConsumerUrl: { output: true },
    metadataUrl: { output: true },
    authnRequestsSigned: { input: bool, output: true, dialects },
    wantAssertionsSigned: { input: bool, output: true, dialects },
    certificate: { input: nonEmptyStr, output: true, compare: pem, dialects },
    privateKey: { input: nonEmptyStr, stored: true, secret: true, writeOnly: true, dialects },
    signatureSigningMethod: { input: signatureMethod, output: true, dialects },
    signatureDigestMethod: { input: signatureMethod, output: true, dialects },
    teamManagementEnabled: { input: bool, output: true, dialects },
    providerType: { input: providerType, output: true, dialects },
  },
  rules: [
    {
      fields: ["idpCert"],
      check: ({ idpCert }, operation) => {
        const reason = "must be a valid certificate in PEM format, not a path";
        // Terraform Enterprise accepts any string, and users can then not sign in. No certificate is as short as a path.
        const warning = !dialectOf(operation).parsesCertificates && (idpCert?.length ?? 0) > 200;
        return idpCert === undefined || isCertificate(idpCert) ? [] : [{ path: "idpCert", rule: "certificate", reason, warning }];
      },
    },
    {
      fields: ["enabled", ...names],
      check: (inputs, operation) => {
        const empty = inputs.enabled ? names.filter((name) => inputs[name] === "") : [];
        const reason = "must not be empty while SAML is enabled";
        return empty.map((path) => ({ path, rule: "empty", reason, warning: dialectOf(operation).formsAreKnown }));
      },
    },
  ],
  // Terraform Enterprise has a default for all others.
  requiredWhenEnabled: () => ["idpCert", "sloEndpointUrl", "ssoEndpointUrl"],
  object: {
    attribute: "idpCert",
    path: certificatePath,
    hasOthers: async (operation) => dialectOf(operation).formsAreKnown && hasListedCertificate(operation),
  },
  // Terraform Enterprise keeps one old certificate. If there is one, it drops the current one, with which users still sign in.
  readBefore: ["idpCert"],
  isRevoked: (name, original, { idpCert, oldIdpCert }) =>
    name === "idpCert" && ![idpCert, oldIdpCert].some((accepted) => accepted && pem.equal(original, accepted)),
  conflicts: (changes, { idpCert, oldIdpCert }) => {
    const isDropped = changes.idpCert && idpCert && oldIdpCert && ![idpCert, changes.idpCert].some((kept) => pem.equal(kept, oldIdpCert));
    const reason =
      "revoke oldIdpCert first, such as with a SamlCertificateRevocation, since the current certificate would otherwise no longer be accepted";
    return isDropped ? [{ path: "idpCert", rule: "old-certificate", reason }] : [];
  },
  residueWarning: ({ oldIdpCert, idpCert }) =>
    oldIdpCert && !pem.equal(oldIdpCert, idpCert)
      ? "the replaced certificate is still accepted, as oldIdpCert. Once the identity provider no longer signs with it, send `POST /api/v2/admin/saml-settings/actions/revoke-old-certificate`"
      : undefined,
});
