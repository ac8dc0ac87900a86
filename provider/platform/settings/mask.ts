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

/** True if a returned value may be the known secret with a mask over all of it, or over some values in its JSON. */
export function mayBe(shown: unknown, known: unknown): boolean {
  if (typeof shown === "string" && typeof known === "string") {
    const [a, b] = [objectIn(shown), objectIn(known)];
    if (a && b) return mayBe(a, b);
  }
  if (isMask(shown)) return true;
  if (!isObject(shown) || !isObject(known)) return isDeepStrictEqual(shown, known);
  return (
    isDeepStrictEqual(Object.keys(shown).sort(), Object.keys(known).sort()) &&
    Object.keys(shown).every((key) => mayBe(shown[key], known[key]))
  );
}
