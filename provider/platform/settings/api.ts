import { Operation } from "../../connection";
import { adminPath, callAsAdministrator, invalidResponse, resourceOf, wireName } from "../client";
import { readable } from "./attributes";
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
  const named = Object.entries(values).map(([name, value]) => [wireName(operation, name), value ?? null]);
  const body = { data: { type, attributes: Object.fromEntries(named) } };
  const { retry = "idempotent" } = page;
  return valuesIn(page, operation, await callAsAdministrator(operation, { method: "PATCH", path: adminPath(type), body, retry }), "PATCH");
}

function valuesIn(page: SettingsPage, operation: Operation, response: unknown, method: "GET" | "PATCH"): Values {
  const path = adminPath(documentOf(page, operation));
  const { attributes } = resourceOf(response, { method, path });
  const values = Object.fromEntries(
    readable(page).flatMap((name) => {
      const wire = wireName(operation, name);
      return Object.hasOwn(attributes, wire) ? [[name, attributes[wire]]] : [];
    }),
  );
  if (Object.keys(values).length === 0) throw invalidResponse(method, path);
  return values;
}
