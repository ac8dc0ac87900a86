import * as fc from "fast-check";
import { word } from "../troubles/fuzz/values";
import { Context, ResourceCase } from "./case";
import { settings as saml } from "./saml-settings";

const path = "/api/v2/admin/scim-settings";
const patch = ({ outOfBand }: Context, attributes: object): Promise<unknown> =>
  outOfBand("platform", "PATCH", path, { data: { attributes } });

/** SCIM requires SAML. */
export const enableSaml = ({ outOfBand }: Context): Promise<unknown> =>
  outOfBand("platform", "PATCH", "/api/v2/admin/saml-settings", {
    data: {
      attributes: {
        enabled: true,
        "provider-type": "okta",
        "idp-cert": saml.complete?.idpCert,
        "slo-endpoint-url": saml.complete?.sloEndpointUrl,
        "sso-endpoint-url": saml.complete?.ssoEndpointUrl,
      },
    },
  });

export const cases: readonly ResourceCase[] = [
  {
    token: "platform:ScimSettings",
    dialects: ["hashicorp"],
    inputs: () => ({ siteAdminGroupScimId: "admins", disableOnDelete: true }),
    changed: () => ({ siteAdminGroupScimId: "", paused: true, disableOnDelete: true }),
    prepare: enableSaml,
    requests: () => ({
      create: [`GET ${path}`, `PATCH ${path}`],
      update: [`PATCH ${path}`],
      refresh: [`GET ${path}`],
      delete: [`DELETE ${path}`],
    }),
    drifts: [
      {
        change: (context) => patch(context, { paused: false, "site-admin-group-scim-id": "theirs" }),
        shows: ["paused", "siteAdminGroupScimId"],
      },
      { change: ({ outOfBand }) => outOfBand("platform", "DELETE", path), shows: "gone" },
    ],
    paths: () => [path],
    arbitraries: { paused: fc.boolean(), siteAdminGroupScimId: word, siteAuditorGroupScimId: word, disableOnDelete: fc.boolean() },
  },
];
