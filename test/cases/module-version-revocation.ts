import * as fc from "fast-check";
import { text, url, word } from "../troubles/fuzz/values";
import { Context, ResourceCase } from "./case";

const version = { organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "2.0.0-rc.1" };
const module = "/api/v2/organizations/acme/registry-modules/private/acme/network/aws";
const patch = ({ outOfBand }: Context, attributes: object, moduleVersion = version.moduleVersion): Promise<unknown> =>
  outOfBand("platform", "PATCH", `${module}/${moduleVersion}`, { data: { type: "module-versions", attributes } });

export const cases: readonly ResourceCase[] = [
  {
    token: "platform:ModuleVersionRevocation",
    dialects: ["hashicorp"],
    inputs: () => ({ ...version, message: "Broken." }),
    changed: () => ({ ...version, message: "Still broken.", link: "https://wiki.example.com" }),
    replaced: () => ({ ...version, moduleVersion: "2.0.0", message: "Broken." }),
    prepare: async (context) => {
      for (const moduleVersion of ["2.0.0-rc.1", "2.0.0"])
        await patch(context, { deprecation: { "deprecated-status": "Deprecated", reason: "Old." } }, moduleVersion);
    },
    requests: () => ({
      create: [`GET ${module}/version?module_version=2.0.0-rc.1`, `PATCH ${module}/2.0.0-rc.1`],
      update: [`PATCH ${module}/2.0.0-rc.1`],
      refresh: [`GET ${module}/version?module_version=2.0.0-rc.1`],
      delete: [`PATCH ${module}/2.0.0-rc.1`],
    }),
    drifts: [
      {
        change: (context) => patch(context, { revocation: { status: "Revoked", message: "Because.", link: "https://other.example.com" } }),
        shows: ["link", "message"],
      },
      { change: (context) => patch(context, { revocation: { status: "Unrevoked" } }), shows: "gone" },
    ],
    paths: () => [`${module}/version?module_version=2.0.0-rc.1`],
    arbitraries: {
      organizationName: word,
      moduleName: word,
      moduleProvider: word,
      moduleVersion: fc.constant("1.0.0"),
      message: fc.oneof(word, text),
      link: url,
    },
  },
];
