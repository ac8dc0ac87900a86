import { Operation } from "../../connection";
import { isStorableKey } from "../../inputs";
import { adminPath, callAsAdministrator, dialectOf, invalidResponse, resourceOf, wireName } from "../client";
import { extraName, Kind, readable, requestOnly, secrets, Values, writeOnly } from "./kind";

const documentOf = (kind: Kind, operation: Operation): string => kind.document?.(operation) ?? `${kind.id}-settings`;

/** Reads the attributes that the server returns. */
export async function fetchSettings(kind: Kind, operation: Operation): Promise<Values> {
  const path = adminPath(documentOf(kind, operation));
  return shownIn(kind, operation, await callAsAdministrator(operation, { method: "GET", path, retry: "idempotent" }), "GET");
}

/** Writes attributes, and returns those in the response. */
export async function patchSettings(kind: Kind, operation: Operation, values: Values): Promise<Values> {
  const type = documentOf(kind, operation);
  const named = Object.entries(values).map(([name, value]) => [extraName(name) ?? wireName(operation, name), value ?? null]);
  const body = { data: { type, attributes: Object.fromEntries(named) } };
  const { retry = "idempotent" } = kind;
  return shownIn(kind, operation, await callAsAdministrator(operation, { method: "PATCH", path: adminPath(type), body, retry }), "PATCH");
}

function shownIn(kind: Kind, operation: Operation, response: unknown, method: "GET" | "PATCH"): Values {
  const path = adminPath(documentOf(kind, operation));
  const { attributes } = resourceOf(response, { method, path });
  const names = new Map(readable(kind).map((name) => [wireName(operation, name), name]));
  // Never pass a secret on, even if a server returns it.
  const hidden = [
    ...[...writeOnly(kind), ...requestOnly(kind)].map((name) => wireName(operation, name)),
    ...secrets(kind).flatMap((name) => extraName(name) ?? []),
  ];
  const shown: Values = {};
  for (const [wire, value] of Object.entries(attributes)) {
    if (hidden.includes(wire) || !isStorableKey(wire)) continue;
    const name = names.get(wire) ?? (dialectOf(operation).hasExtra ? `extra.${wire}` : undefined);
    if (name) shown[name] = value;
  }
  if (!readable(kind).some((name) => name in shown)) throw invalidResponse(method, path);
  return shown;
}
