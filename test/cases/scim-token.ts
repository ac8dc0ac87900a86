import * as fc from "fast-check";
import { name, word } from "../troubles/fuzz/values";
import { ResourceCase } from "./case";

const path = "/api/v2/admin/scim-tokens";

export const cases: readonly ResourceCase[] = [
  {
    token: "platform:ScimToken",
    dialects: ["hashicorp"],
    inputs: () => ({ description: "Okta" }),
    replaced: () => ({
      description: "Okta 2027",
      expiresAt: new Date(Date.now() + 90 * 86_400_000).toISOString(),
      keepers: { year: "2027" },
    }),
    isRepeatable: false,
    requests: () => ({ create: [`POST ${path}`], refresh: [`GET ${path}`], delete: [`DELETE ${path}/<id>`] }),
    arbitraries: {
      description: word,
      expiresAt: fc.constant("2126-01-01T00:00:00Z"),
      keepers: fc.dictionary(name, fc.string(), { maxKeys: 2 }),
    },
    // The response, not the request, would contain the secret.
  },
];
