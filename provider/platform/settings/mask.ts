import { isDeepStrictEqual } from "node:util";
import { isObject, objectIn } from "../../text/json";

/** True for a masked secret: only mask characters, or with a few characters of the secret at either end. */
function isMask(value: unknown): boolean {
  if (typeof value !== "string") return false;
  return /^.{0,8}(\*{3,}|[•●]{3,}).{0,8}$|^x{4,}$/i.test(value) || /^[\W_]*(redacted|masked|hidden|sensitive|filtered)[\W_]*$/i.test(value);
}

/** True if the server masks all of a secret, or some values in its JSON. */
export function hasMask(value: unknown): boolean {
  const inner = typeof value === "string" ? objectIn(value) : isObject(value) ? value : undefined;
  return inner ? Object.values(inner).some(hasMask) : isMask(value);
}

/** True if a returned value may be the expected secret with a mask over all of it, or over some values in its JSON. */
export function mayBe(returned: unknown, expected: unknown): boolean {
  if (typeof returned === "string" && typeof expected === "string") {
    const [a, b] = [objectIn(returned), objectIn(expected)];
    if (a && b) return mayBe(a, b);
  }
  if (isMask(returned)) return true;
  if (!isObject(returned) || !isObject(expected)) return isDeepStrictEqual(returned, expected);
  return (
    isDeepStrictEqual(Object.keys(returned).sort(), Object.keys(expected).sort()) &&
    Object.keys(returned).every((key) => mayBe(returned[key], expected[key]))
  );
}
