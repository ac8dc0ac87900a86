import { X509Certificate } from "node:crypto";
import { z } from "zod";
import { pem } from "../../comparison";
import { bool, holdsCredentials, nonEmptyStr, rule, str } from "../../inputs";
import { dialectOf } from "../client";
import { SettingsInputs, SettingsState } from "./kind";
import { SettingsDefinition, settings } from "./resource";

/** Attributes of the SAML settings. */
export interface SamlSettingsAttributes {
  /** Lets users sign in through SAML. Requires values for all other attributes. Changing this updates. */
  enabled: boolean;
  /** Shows the SAML response of the identity provider on the login page. Changing this updates. */
  debug: boolean;
  /**
   * The certificate of the identity provider, in PEM format. The platform also accepts the previous certificate, `oldIdpCert`, until a
   * {@link SamlCertificateRevocation}. Changing this updates.
   */
  idpCert: string | undefined;
  /** The https URL for single logout at the identity provider. Changing this updates. */
  sloEndpointUrl: string | undefined;
  /** The https URL for single sign-on at the identity provider. Changing this updates. */
  ssoEndpointUrl: string | undefined;
  /** The SAML attribute that holds the user name. Changing this updates. */
  attrUsername: string;
  /** The SAML attribute that holds the user's teams. Changing this updates. */
  attrGroups: string;
  /** The SAML attribute that grants site administrator rights. It takes precedence over `siteAdminRole`. Changing this updates. */
  attrSiteAdmin: string;
  /** The role in `attrGroups` that grants site administrator rights. Changing this updates. */
  siteAdminRole: string;
  /** The lifetime of a single sign-on session, in seconds. Changing this updates. */
  ssoApiTokenSessionTimeout: number;
}

/** Inputs of {@link SamlSettings}. An omitted attribute keeps its value. */
export interface SamlSettingsInputs extends SettingsInputs, Partial<SamlSettingsAttributes> {}
/** Outputs of {@link SamlSettings}. */
export interface SamlSettingsState extends SettingsState, SamlSettingsAttributes {
  /**
   * The previous `idpCert`, in PEM format, until it is revoked. A revocation appears after the next `pulumi refresh`. Never counts as drift.
   * A secret output, since `idpCert` may be a secret.
   */
  oldIdpCert: string | undefined;
  /** The URL to which the identity provider sends its responses. */
  acsConsumerUrl: string | undefined;
  /** The URL of the platform's SAML metadata. */
  metadataUrl: string | undefined;
}

const url = z
  .string("must be an https URL")
  .refine((value) => URL.canParse(value) && new URL(value).protocol === "https:", rule("https-url", "must be an https URL"))
  .refine(
    (value) => !holdsCredentials(value),
    rule("credentials", "must not contain a user name or a password: the state would store them in plaintext"),
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
 * The provider manages only the attributes that the program declares. See {@link SettingsInputs} for `onDelete` and `extra`. Destroying the
 * resource does not restore `oldIdpCert`. In the hashicorp dialect, `extra["private-key"]` is a write-only secret, so it shows no drift.
 *
 * Fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator. Enabling SAML without one of its attributes fails with
 * `ERR_INVALID_INPUT`, before the provider sends anything.
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
 * @requests Create: 1 `GET`, and 1 `PATCH` if a value differs. Update: 1 `PATCH`, after 1 `GET` if an attribute was added. Refresh: 1 `GET`.
 * Delete: 1 `PATCH` if a value has to be restored.
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
    // The program may have marked the previous `idpCert` as a secret.
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
                reason: "must be a valid certificate in PEM format, not a path",
                // Terraform Enterprise accepts any string, and users can then not sign in.
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
      ? "the platform still accepts the declared certificate, as oldIdpCert. Revoke it with POST /api/v2/admin/saml-settings/actions/revoke-old-certificate if it must not"
      : undefined,
});
