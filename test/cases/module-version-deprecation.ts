import * as fc from "fast-check";
import { text, url, word } from "../troubles/fuzz/values";
import { marked, only, text as reasonOf } from "../troubles/kind";
import { Context, ResourceCase } from "./case";

const version = { organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "1.0.0" };
const read = "GET /api/registry/v1/modules/acme/network/aws/versions";
const path = (moduleVersion = "1.0.0"): string => `/api/v2/organizations/acme/registry-modules/private/acme/network/aws/${moduleVersion}`;
const deprecated = { "deprecated-status": "Deprecated" };
const deprecate = (context: Context, deprecation: object): Promise<unknown> =>
  context.outOfBand("platform", "PATCH", path(), { data: { type: "module-versions", attributes: { deprecation } } });

export const cases: readonly ResourceCase[] = [
  {
    token: "platform:ModuleVersionDeprecation",
    inputs: () => ({ ...version, reason: "Old." }),
    changed: () => ({ ...version, reason: "Older.", link: "https://wiki.example.com" }),
    replaced: () => ({ ...version, moduleVersion: "1.1.0", reason: "Old." }),
    requests: () => ({ create: [read, `PATCH ${path()}`], update: [`PATCH ${path()}`], refresh: [read], delete: [`PATCH ${path()}`] }),
    drifts: [
      {
        change: (context) => deprecate(context, { ...deprecated, reason: "Because.", link: "https://other.example.com" }),
        shows: ["link", "reason"],
      },
      { change: (context) => deprecate(context, { "deprecated-status": "Undeprecated" }), shows: "gone" },
    ],
    paths: () => ["/api/registry/v1/modules/acme/network/aws/1.0.0"],
    troubles: {
      parts: ["1.0.0", "1.1.0"],
      inputs: (parts) => {
        const [moduleVersion, value] = only(parts);
        return { ...version, moduleVersion, reason: marked(value, reasonOf(value)) };
      },
      held: (moduleVersion, value) => [`deprecation/network/${moduleVersion}`, reasonOf(value)],
      keys: ({ moduleVersion }) => [`deprecation/network/${moduleVersion}`],
    },
    arbitraries: {
      organizationName: word,
      moduleName: word,
      moduleProvider: word,
      moduleVersion: fc.constant("1.0.0"),
      reason: fc.oneof(word, text),
      link: url,
    },
  },
];
