import * as fc from "fast-check";
import { Comparison, duration, exact, instant, json, neverDiffers, pem, trimmed, unordered } from "../../../provider/contract/comparison";
import { definitions } from "../../../provider/registry/resources";
import { mountField } from "../../../provider/secrets/mount";
import { certificate } from "../../support/certificates";
import { wire } from "../../support/deployment";
import { fitting } from "./arbitrary";
import { anything, text } from "./values";

/** The comparisons by name: the shared ones, and those of single definitions. */
const comparisons = new Map<Comparison, string>(
  Object.entries({ exact, neverDiffers, unordered, duration, instant, pem, trimmed, json, mountPath: mountField.compare }).map(
    ([name, comparison]) => [comparison, name],
  ),
);
for (const { token, fields } of definitions)
  for (const [name, field] of Object.entries(fields))
    if (field?.compare && !comparisons.has(field.compare)) comparisons.set(field.compare, `${token} ${name}`);

const texts = fc.oneof(
  text,
  fc.stringMatching(/^\/{0,2}[a-z]{1,3}(\/[a-z]{1,3})?\/{0,2}$/),
  fc.constantFrom(certificate, certificate.replaceAll("\n", "\r\n"), ` ${certificate}\n\n`),
  fc.json(),
  fc.json().map((written) => ` ${written}\n`),
);
const values = fc.oneof(
  anything,
  texts,
  fc.array(fc.string(), { maxLength: 4 }),
  fc.stringMatching(/^(\d{1,4}(\.\d{1,3})?(d|h|ms|m|s)){1,3}$/),
);
/** The values that the schema passes to a comparison, if these are fewer than all values. */
const compared: Record<string, fc.Arbitrary<unknown>> = {
  set: fc.array(text),
  instant: fc.oneof(texts, fc.constantFrom("2027-01-01T00:00:00Z", "2027-01-01T01:00:00.000+01:00")),
  pem: texts,
  trimmed: texts,
  json: texts,
  mountPath: texts,
  "secrets:SchedulerAccess maxTokenNameLength": fc.nat(),
  "secrets:SchedulerRoles roles": fitting.roles!,
};

describe.each([...comparisons].map(([comparison, name]) => ({ ...comparison, name })))(
  "$name",
  ({ normalize = (value) => value, equal, name }) => {
    // As Pulumi passes it, which cannot have a field of this name.
    const domain = (compared[name] ?? values)
      .filter((value) => !JSON.stringify(value).includes("__proto__"))
      .map((value) => wire({ value }).value);

    test("the comparison is reflexive and symmetric", () => {
      fc.assert(
        fc.property(domain, domain, (a, b) => {
          expect(equal(a, a)).toBe(true);
          expect(equal(a, wire({ a }).a)).toBe(true);
          expect(equal(a, b)).toBe(equal(b, a));
        }),
        { numRuns: 200 },
      );
    });

    test("normalization is idempotent and keeps the meaning", () => {
      fc.assert(
        fc.property(domain, (value) => {
          const once = normalize(value);
          expect(normalize(once)).toEqual(once);
          expect(equal(once, value)).toBe(true);
        }),
        { numRuns: 200 },
      );
    });
  },
);
