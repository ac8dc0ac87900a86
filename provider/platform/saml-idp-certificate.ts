import { X509Certificate } from "node:crypto";
import { pem } from "../contract/comparison";
import { CreateRequest, Definition, ExistingObject, FindRequest, UpdateRequest } from "../contract/definition";
import { StewardError } from "../contract/errors";
import { spelledAs } from "../contract/fields";
import { Adopt, adoptField, ConnectionArgs, connectionField, isCertificate, nonEmptyStr, rule } from "../contract/inputs";
import { Operation } from "../contract/operation";
import { asString, ResourceObject, system } from "./client";
import { collection } from "./collection";

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
  /** The id of the certificate: `idpc-…`. */
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

const certificates = collection("saml-idp-certificates", "saml-settings", "idp-certificates");

/** The certificates by fingerprint, since a program does not know their ids. Terraform Enterprise accepts each only once. */
export const certificatePaths = (certificate: string | undefined): string[] =>
  certificate !== undefined && isCertificate(certificate)
    ? [`${certificates.path}/${new X509Certificate(certificate).fingerprint256}`]
    : [];

/** The certificates that `idpCert` of the SAML settings manages, by their role in the list. */
const legacy: Record<string, string> = { legacy_primary: "idpCert", legacy_old: "oldIdpCert" };
const legacyOf = ({ attributes }: ResourceObject): string | undefined => legacy[asString(attributes["cert-role"])];

/** The certificates in the list, without those of `idpCert`. */
const managed = async (operation: Operation): Promise<ResourceObject[]> =>
  (await certificates.list(operation)).filter((each) => !legacyOf(each));

/** True if Terraform Enterprise trusts a certificate of the list. Older releases have no list. */
export const hasListedCertificate = (operation: Operation): Promise<boolean> =>
  managed(operation).then(
    (all) => all.length > 0,
    () => false,
  );

const stateOf = ({ id, attributes }: ResourceObject): SamlIdpCertificateState => ({
  certificateId: id,
  displayName: asString(attributes["display-name"]),
  certificate: asString(attributes.cert),
  fingerprint: asString(attributes.fingerprint),
  issuer: asString(attributes.issuer),
  expiresAt: asString(attributes["expires-at"]),
});

async function find({
  operation,
  inputs,
}: FindRequest<SamlIdpCertificateInputs>): Promise<ExistingObject<SamlIdpCertificateState> | undefined> {
  const [path] = certificatePaths(inputs.certificate);
  const found = (await certificates.list(operation)).find(({ attributes }) => certificatePaths(asString(attributes.cert))[0] === path);
  if (!found) return undefined;
  const attribute = legacyOf(found);
  if (attribute)
    throw new StewardError({
      code: "ERR_ALREADY_EXISTS",
      rule: "saml-settings",
      reason: `${operation.server.words.service} already trusts this certificate as ${attribute} of the SAML settings`,
      hint: `Declare only one of the two. ${attribute === "idpCert" ? "To move to the list, add the next certificate there, and remove idpCert from SamlSettings once users sign in with it." : "To trust it longer, revoke it with a SamlCertificateRevocation first."}`,
    });
  const state = stateOf(found);
  // The response to an earlier create may have been lost.
  if (state.displayName === inputs.displayName) return { state, differences: [] };
  return {
    state,
    refusal: { reason: "the list already has this certificate under another name", remedy: "set adopt: true to rename it." },
  };
}

const written = (inputs: SamlIdpCertificateInputs, state: SamlIdpCertificateState): SamlIdpCertificateState =>
  spelledAs(samlIdpCertificate.fields, inputs, state);

async function create({
  operation,
  inputs,
  existing,
}: CreateRequest<SamlIdpCertificateInputs, SamlIdpCertificateState>): Promise<SamlIdpCertificateState> {
  const { displayName, certificate } = inputs;
  const { state } = existing ?? {};
  if (state?.displayName === displayName) return written(inputs, state);
  const attributes = { "display-name": displayName };
  if (state) return written(inputs, stateOf(await certificates.update(operation, state.certificateId, attributes)));
  return written(inputs, stateOf(await certificates.create(operation, { ...attributes, cert: certificate })));
}

async function update({
  operation,
  inputs,
  last,
}: UpdateRequest<SamlIdpCertificateInputs, SamlIdpCertificateState>): Promise<SamlIdpCertificateState> {
  const { displayName, certificate } = inputs;
  // Of a certificate that `idpCert` manages, Terraform Enterprise changes only the name.
  const body = pem.equal(certificate, last.certificate) && !last.outcomeUnknown ? {} : { cert: certificate };
  return written(inputs, stateOf(await certificates.update(operation, last.certificateId, { "display-name": displayName, ...body })));
}

/**
 * One of several identity provider certificates that Terraform Enterprise trusts.
 *
 * Terraform Enterprise tries each certificate of this list until the signature of a SAML response matches one. So a rotation has three steps:
 * declare the next certificate beside the current one, let the identity provider sign with it, and then remove the former one from the program.
 * Changing `certificate` in place locks out users until the identity provider signs with the new one.
 *
 * `idpCert` of {@link SamlSettings} is a certificate of its own, which HashiCorp calls deprecated. Terraform Enterprise trusts it and `oldIdpCert`
 * besides this list, and accepts no certificate twice: a program that declares one as both fails, and so does creating a certificate that
 * `idpCert` already has. {@link SamlSettings} needs no `idpCert` if the list has a certificate.
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
export const samlIdpCertificate: Definition<SamlIdpCertificateInputs, SamlIdpCertificateState> = {
  system,
  dialects: ["hashicorp"],
  token: "platform:SamlIdpCertificate",
  displayName: "SAML IdP certificate",
  name: "<displayName>",
  id: "<certificateId>",
  readById: true,
  fields: {
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
    adopt: adoptField,
    connection: connectionField,
  },
  objects: {
    fields: ["certificate"],
    paths: ({ certificate }) => certificatePaths(certificate),
    remove: ({ state: { certificate, certificateId } }, claims) =>
      certificates.remove(claims, certificatePaths(certificate)[0] ?? certificates.path, certificateId),
  },
  read: async ({ operation, state }) => {
    const found = await certificates.read(operation, state.certificateId);
    return found && stateOf(found);
  },
  find,
  create,
  update,
  discover: ({ operation, attempt }) =>
    attempt("SAML IdP certificates", async () =>
      (await managed(operation)).map((each) => ({
        state: stateOf(each),
        isRead: true,
        suggestedName: asString(each.attributes["display-name"]),
      })),
    ),
};
