import { Operation, Writer } from "../../contract/operation";
import { Secret, secretOf } from "../../contract/secret";
import { ApiRequest } from "../../http";
import { invalidResponse } from "../../http/failure";
import { adminPath, callAsAdministrator, reset, resourceOf, wireName } from "../client";
import { readable, secrets } from "./attributes";
import { SettingsPage, Values } from "./page";

const documentOf = (page: SettingsPage, operation: Operation): string => page.document?.(operation) ?? `${page.id}-settings`;

/** Reads the attributes that the server returns. */
export const fetchSettings = (page: SettingsPage, operation: Operation): Promise<Values> =>
  send(page, operation, { method: "GET", retry: "idempotent" });

/** Writes attributes, and returns those in the response. */
export function patchSettings(page: SettingsPage, operation: Writer, values: Values): Promise<Values> {
  if (page.lostWhenDisabled && values.enabled === false) return send(page, operation, { method: "DELETE" });
  const named = Object.entries(values).map(([name, value]) => [
    wireName(operation, name),
    value instanceof Secret ? value.value() : (value ?? null),
  ]);
  const body = { data: { type: documentOf(page, operation), attributes: Object.fromEntries(named) } };
  return send(page, operation, { method: "PATCH", body, retry: page.retry ?? "idempotent" });
}

/** Sends a request about a page, and returns the attributes in the response. */
async function send(page: SettingsPage, operation: Operation, about: Omit<ApiRequest, "path"> | { method: "DELETE" }): Promise<Values> {
  const request = { ...about, path: adminPath(documentOf(page, operation)) };
  const document =
    request.method === "DELETE" ? reset(operation as Writer, request.path) : callAsAdministrator(operation as Writer, request);
  const { attributes } = resourceOf(await document, request);
  const values = Object.fromEntries(
    readable(page).flatMap((name) => {
      const wire = wireName(operation, name);
      if (!Object.hasOwn(attributes, wire)) return [];
      const value = attributes[wire];
      // Pulumi would take an object for a secret or a file of its own.
      if (typeof value === "object" && value !== null)
        throw invalidResponse(request.method, request.path, `the value of ${wire} is no string, number or boolean`);
      return [[name, typeof value === "string" && secrets(page).includes(name) ? secretOf(value) : value]];
    }),
  );
  if (Object.keys(values).length === 0) throw invalidResponse(request.method, request.path);
  return values;
}
