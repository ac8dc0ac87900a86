import { duration, exact, pem, seconds, unordered } from "../../../provider/contract/comparison";
import { certificate } from "../../support/certificates";

describe("seconds", () => {
  test.each([
    ["30s", 30],
    ["1h30m", 5400],
    ["1.5h", 5400],
    ["0.1h", 360],
    ["1d", 86400],
    ["1500ms500ms", 2],
    ["3600", 3600],
    [3600, 3600],
    [0, 0],
  ])("%p is %p", (value, expected) => expect(seconds(value)).toBe(expected));

  test.each([
    ...["", "-1s", "5 minutes", "1w", "0.1ms", "1h0.4ms", "1500ms", "h", "1h-30m", "9".repeat(40), `${"9".repeat(40)}d`],
    ...[-1, 1.5, 2 ** 53, undefined, null, {}],
  ])("%p is not a duration", (value) => expect(seconds(value)).toBeUndefined());
});

// test/troubles/fuzz/comparison.test.ts tests the normalization.
test("values with different meanings differ", () => {
  expect(duration.equal("1h", "61m")).toBe(false);
  expect(duration.equal("1h", undefined)).toBe(false);
  expect(duration.equal("soon", undefined)).toBe(false);
  expect(duration.equal("soon", "soon")).toBe(true);
  expect(unordered.equal(["a"], ["a", "b"])).toBe(false);
  expect(unordered.equal(["a"], undefined)).toBe(false);
  expect(pem.equal(certificate, certificate.replace("A", "B"))).toBe(false);
  expect(pem.equal(certificate, undefined)).toBe(false);
  expect(exact.equal({ a: [1] }, { a: [2] })).toBe(false);
});
