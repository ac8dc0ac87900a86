import { X509Certificate } from "node:crypto";
import { z } from "zod";
import { pem } from "../../comparison";
import { bool, holdsCredentials, nonEmptyStr, rule, str } from "../../inputs";
import { dialectOf } from "../client";
import { SettingsInputs, SettingsState } from "./kind";
import { SettingsDefinition, settings } from "./resource";

/** How users sign in through an identity provider. */
export interface SamlSettingsAttributes {
  /** Whether users sign in through SAML; then all other attributes must have a value. Changing this updates. */
  enabled: boolean;
  /** Whether the login page shows what the identity provider sent. Changing this updates. */
  debug: boolean;
  /**
   * PEM: the certificate of the identity provider. Changing this updates, and begins a rotation: the platform accepts the old one too, as
   * `oldIdpCert`, until a {@link SamlCertificateRevocation}.
   */
  idpCert: string | undefined;
  /** The https URL of the identity provider's single logout. Changing this updates. */
  sloEndpointUrl: string | undefined;
  /** The https URL of the identity provider's single sign-on. Changing this updates. */
  ssoEndpointUrl: string | undefined;
  /** The SAML attribute that names the user. Changing this updates. */
  attrUsername: string;
  /** The SAML attribute that names the user's teams. Changing this updates. */
  attrGroups: string;
  /** The SAML attribute that makes a site administrator; it comes before `siteAdminRole`. Changing this updates. */
  attrSiteAdmin: string;
  /** The role that makes a site administrator, in the list of roles that the attribute `attrGroups` holds. Changing this updates. */
  siteAdminRole: string;
  /** Seconds until a session of single sign-on ends. Changing this updates. */
  ssoApiTokenSessionTimeout: number;
}

/** What a program declares of the SAML settings; what it does not declare stays as it is. */
export interface SamlSettingsInputs extends SettingsInputs, Partial<SamlSettingsAttributes> {}
/** What the platform shows. */
export interface SamlSettingsState extends SettingsState, SamlSettingsAttributes {
  /** PEM: the certificate from before the last change of `idpCert`, until it is revoked; shows a revocation after the next `pulumi refresh`. Never counts as drift. A secret output, since `idpCert` may be one. */
  oldIdpCert: string | undefined;
  /** Where the identity provider sends its answers. */
  acsConsumerUrl: string | undefined;
  /** Where the identity provider finds the platform's metadata. */
  metadataUrl: string | undefined;
}

const url = z
  .string("must be an https URL")
  .refine((value) => URL.canParse(value) && new URL(value).protocol === "https:", rule("https-url", "must be an https URL"))
  .refine(
    (value) => !holdsCredentials(value),
    rule("credentials", "must not hold a user or a password, which the state would keep in clear text"),
  );

function isCertificate(value: string): boolean {
  try {
    return new X509Certificate(value).subject !== "\n";
  } catch {
    return false;
  }
}

/**
 * SAML single sign-on: `GET` and `PATCH /api/v2/admin/saml-settings`. Its id is `saml`.
 *
 * Only the attributes that the program declares are managed; see {@link SettingsInputs} for what becomes of them in the end. The one thing
 * that destroying does not put back is `oldIdpCert`. Fails with `ERR_FORBIDDEN` where the token is not a site administrator's, and with
 * `ERR_INVALID_INPUT`, before anything is sent, where SAML would be enabled without one of its attributes. In the hashicorp dialect
 * `extra["private-key"]` is a secret that the platform never shows: its drift cannot be seen.
 *
 * ```ts
 * new platform.SamlSettings("saml", {
 *   enabled: true,
 *   idpCert: fs.readFileSync("idp.pem", "utf8"),
 *   ssoEndpointUrl: "https://idp.example.com/sso",
 *   sloEndpointUrl: "https://idp.example.com/slo",
 * });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create: 1 `GET`, and 1 `PATCH` of what differs, if anything does. Update: 1 `PATCH`, after 1 `GET` where an attribute joins.
 * Refresh: 1 `GET`. Delete: 1 `PATCH` of what is put back, if anything is.
 * @unreadable `extra["private-key"]`.
 * @internal
 */
export const samlSettings: SettingsDefinition<SamlSettingsInputs, SamlSettingsState> = settings({
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
    // The certificate that was declared before, which the program may have marked as a secret.
    oldIdpCert: { output: true, secretOutput: true },
    acsConsumerUrl: { output: true },
    metadataUrl: { output: true },
    "extra.private-key": { secret: true, writeOnly: true },
  },
  rules: [
    {
      fields: ["idpCert"],
      check: ({ idpCert }, connection) =>
        idpCert === undefined || isCertificate(idpCert)
          ? []
          : [
              {
                path: "idpCert",
                rule: "certificate",
                reason: "must be a certificate in PEM form that can be parsed, not a path",
                // The real product takes anything, and nobody can sign in then.
                warning: !dialectOf(connection).parsesCertificates,
              },
            ],
    },
  ],
  requiredWhenEnabled: (held) =>
    held.enabled
      ? [
          "idpCert",
          "sloEndpointUrl",
          "ssoEndpointUrl",
          "attrUsername",
          "attrGroups",
          "attrSiteAdmin",
          "siteAdminRole",
          "ssoApiTokenSessionTimeout",
        ].filter((field) => !held[field])
      : [],
  residueWarning: ({ oldIdpCert }) =>
    oldIdpCert
      ? "the certificate that was declared is still accepted, as oldIdpCert: revoke it with actions/revoke-old-certificate if it should not be"
      : undefined,
});
