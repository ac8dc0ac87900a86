import * as fc from "fast-check";
import { idpCertificate, otherCertificate } from "../support/certificates";
import { word } from "../troubles/fuzz/values";
import { Context, Properties, ResourceCase } from "./case";

const path = "/api/v2/admin/saml-settings/idp-certificates";

async function idOf({ outOfBand }: Context): Promise<string> {
  const { data } = (await outOfBand("platform", "GET", path)) as { data: Properties[] };
  return String(data[0]?.id);
}

export const cases: readonly ResourceCase[] = [
  {
    token: "platform:SamlIdpCertificate",
    dialects: ["hashicorp"],
    inputs: () => ({ displayName: "Okta", certificate: idpCertificate }),
    changed: () => ({ displayName: "Okta 2027", certificate: otherCertificate }),
    requests: () => ({
      create: [`GET ${path}`, `POST ${path}`],
      update: [`PATCH ${path}/<id>`],
      refresh: [`GET ${path}`],
      delete: [`DELETE ${path}/<id>`],
    }),
    drifts: [
      {
        change: async (context) =>
          context.outOfBand("platform", "PATCH", `${path}/${await idOf(context)}`, {
            data: { attributes: { "display-name": "Theirs", cert: idpCertificate } },
          }),
        shows: ["certificate", "displayName"],
      },
      { change: async (context) => context.outOfBand("platform", "DELETE", `${path}/${await idOf(context)}`), shows: "gone" },
    ],
    paths: () => [path],
    arbitraries: { displayName: word, certificate: fc.constant(idpCertificate) },
  },
];
