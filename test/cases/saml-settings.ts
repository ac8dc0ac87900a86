import * as fc from "fast-check";
import { certificate, sha1Certificate } from "../support/certificates";
import { url, word } from "../troubles/fuzz/values";
import { canary, ResourceCase } from "./case";
import { SettingsCase, settingsCase } from "./settings";

const complete = { idpCert: certificate, sloEndpointUrl: "https://idp.example.com/slo", ssoEndpointUrl: "https://idp.example.com/sso" };

export const settings: SettingsCase = {
  settings: "saml",
  type: "SamlSettings",
  values: {
    enabled: [true, false],
    debug: [true, false],
    idpCert: [certificate, sha1Certificate],
    sloEndpointUrl: ["https://idp.example.com/slo2", "https://idp.example.com/slo3"],
    ssoEndpointUrl: ["https://idp.example.com/sso2", "https://idp.example.com/sso3"],
    attrUsername: ["User2", "User3"],
    attrGroups: ["Groups2", "Groups3"],
    attrSiteAdmin: ["Admin2", "Admin3"],
    siteAdminRole: ["admins2", "admins3"],
    ssoApiTokenSessionTimeout: [3600, 7200],
  },
  productValues: {
    authnRequestsSigned: [true, false],
    wantAssertionsSigned: [true, false],
    teamManagementEnabled: [true, false],
    certificate: [certificate, sha1Certificate],
    signatureSigningMethod: ["SHA1", "SHA256"],
    signatureDigestMethod: ["SHA1", "SHA256"],
    providerType: ["okta", "entra"],
  },
  complete,
  inputs: { ...complete, enabled: true },
  changed: { ...complete, enabled: true, debug: true },
  parts: ["siteAdminRole", "certificate", "privateKey"],
  drift: [{ "attr-groups": "Another" }, "attrGroups"],
  arbitraries: {
    idpCert: fc.constant(certificate),
    sloEndpointUrl: url,
    ssoEndpointUrl: url,
    ssoApiTokenSessionTimeout: fc.integer({ min: 1, max: 9999 }),
    certificate: fc.constant(certificate),
    privateKey: word,
    signatureSigningMethod: fc.constantFrom("SHA1", "SHA256"),
    signatureDigestMethod: fc.constantFrom("SHA1", "SHA256"),
    providerType: fc.constantFrom("okta", "entra", "saml", "unknown"),
  },
};

const own = settingsCase(settings);
/** Attributes of Terraform Enterprise only, with a secret one. */
const product = { privateKey: canary("private-key"), providerType: "okta" };
export const cases: readonly ResourceCase[] = [
  {
    ...own,
    inputs: ({ dialect }) => ({ ...settings.inputs, attrGroups: "Groups", ...(dialect === "hashicorp" ? product : {}) }),
    changed: ({ dialect }) => ({ ...settings.changed, attrGroups: "Groups", ...(dialect === "hashicorp" ? product : {}) }),
  },
];
