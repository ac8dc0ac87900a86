import { Operation } from "../../connection";
import { isStorableKey } from "../../inputs";
import { adminPath, callAsAdministrator, dialectOf, invalidResponse, resourceOf, wireName } from "../client";
import { extraName, readable, requestOnly, secrets, writeOnly } from "./attributes";
import { SettingsPage, Values } from "./page";

const documentOf = (page: SettingsPage, operation: Operation): string => page.document?.(operation) ?? `${page.id}-settings`;

/** Reads the attributes that the server returns. */
export async function fetchSettings(page: SettingsPage, operation: Operation): Promise<Values> {
  const path = adminPath(documentOf(page, operation));
  return valuesIn(page, operation, await callAsAdministrator(operation, { method: "GET", path, retry: "idempotent" }), "GET");
}

/** Writes attributes, and returns those in the response. */
export async function patchSettings(page: SettingsPage, operation: Operation, values: Values): Promise<Values> {
  const type = documentOf(page, operation);
  const named = Object.entries(values).map(([name, value]) => [extraName(name) ?? wireName(operation, name), value ?? null]);
  const body = { data: { type, attributes: Object.fromEntries(named) } };
  const { retry = "idempotent" } = page;
  return valuesIn(page, operation, await callAsAdministrator(operation, { method: "PATCH", path: adminPath(type), body, retry }), "PATCH");
}

function valuesIn(page: SettingsPage, operation: Operation, response: unknown, method: "GET" | "PATCH"): Values {
  const path = adminPath(documentOf(page, operation));
  const { attributes } = resourceOf(response, { method, path });
  const names = new Map(readable(page).map((name) => [wireName(operation, name), name]));
  // Never pass a secret on, even if a server returns it.
  const hidden = [
    ...[...writeOnly(page), ...requestOnly(page)].map((name) => wireName(operation, name)),
    ...secrets(page).flatMap((name) => extraName(name) ?? []),
  ];
  const values: Values = {};
  for (const [wire, value] of Object.entries(attributes)) {
    if (hidden.includes(wire) || !isStorableKey(wire)) continue;
    const name = names.get(wire) ?? (dialectOf(operation).hasExtra ? `extra.${wire}` : undefined);
    if (name) values[name] = value;
  }
  if (!readable(page).some((name) => name in values)) throw invalidResponse(method, path);
  return values;
}
