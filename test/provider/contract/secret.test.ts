import { inspect, isDeepStrictEqual } from "node:util";
import { secretOf } from "../../../provider/contract/secret";

// The careless definitions that do not compile are in test/new-resource.test.ts.

test("a secret that a resource shows past the compiler is a neutral text", () => {
  const secret = secretOf("canary");
  const shown = [`${secret}`, JSON.stringify({ secret }), inspect({ secret }), inspect({ ...secret }), String(Object.entries(secret))];
  expect(shown.slice(0, 3)).toEqual(["[secret]", '{"secret":"[secret]"}', "{ secret: [secret] }"]);
  expect(shown.join()).not.toContain("canary");
  expect(isDeepStrictEqual(secret, secretOf("canary"))).toBe(false);
});
