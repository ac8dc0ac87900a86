import * as fc from "fast-check";
import { idpCertificate, otherCertificate } from "../support/certificates";
import { word } from "../troubles/fuzz/values";
import { listedAt, ResourceCase } from "./case";

const path = "/api/v2/admin/saml-settings/idp-certificates";

export const cases: readonly ResourceCase[] = [
  {
    token: "platform:SamlIdpCertificate",
    dialects: ["hashicorp"],
    inputs: () => ({ displayName: "Okta", certificate: idpCertificate }),
    changed: () => ({ displayName: "Okta 2027", certificate: otherCertificate }),
    ...listedAt(path, { "display-name": "Theirs", cert: idpCertificate }, ["certificate", "displayName"]),
    arbitraries: { displayName: word, certificate: fc.constant(idpCertificate) },
  },
];
