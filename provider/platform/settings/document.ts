import { Operation } from "../../connection";
import { isStorableKey } from "../../inputs";
import { adminPath, callAsAdministrator, dialectOf, invalidResponse, resourceOf, wireName } from "../client";
import { extraName, readable, requestOnly, SettingsKind, secrets, Values, writeOnly } from "./kind";

const documentOf = (kind: SettingsKind, operation: Operation): string => kind.document?.(operation) ?? `${kind.id}-settings`;

/** Reads the attributes that the server returns. */
export async function fetchSettings(kind: SettingsKind, operation: Operation): Promise<Values> {
  const path = adminPath(documentOf(kind, operation));
  return valuesIn(kind, operation, await callAsAdministrator(operation, { method: "GET", path, retry: "idempotent" }), "GET");
}

/** Writes attributes, and returns those in the response. */
export async function patchSettings(kind: SettingsKind, operation: Operation, values: Values): Promise<Values> {
  const type = documentOf(kind, operation);
  const named = Object.entries(values).map(([name, value]) => [extraName(name) ?? wireName(operation, name), value ?? null]);
  const body = { data: { type, attributes: Object.fromEntries(named) } };
  const { retry = "idempotent" } = kind;
  return valuesIn(kind, operation, await callAsAdministrator(operation, { method: "PATCH", path: adminPath(type), body, retry }), "PATCH");
}

function valuesIn(kind: SettingsKind, operation: Operation, response: unknown, method: "GET" | "PATCH"): Values {
  const path = adminPath(documentOf(kind, operation));
  const { attributes } = resourceOf(response, { method, path });
  const names = new Map(readable(kind).map((name) => [wireName(operation, name), name]));
  // Never pass a secret on, even if a server returns it.
  const hidden = [
    ...[...writeOnly(kind), ...requestOnly(kind)].map((name) => wireName(operation, name)),
    ...secrets(kind).flatMap((name) => extraName(name) ?? []),
  ];
  const values: Values = {};
  for (const [wire, value] of Object.entries(attributes)) {
    if (hidden.includes(wire) || !isStorableKey(wire)) continue;
    const name = names.get(wire) ?? (dialectOf(operation).hasExtra ? `extra.${wire}` : undefined);
    if (name) values[name] = value;
  }
  if (!readable(kind).some((name) => name in values)) throw invalidResponse(method, path);
  return values;
}
