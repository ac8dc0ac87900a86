import { Connection, defineSystem, System } from "../connection";
import { StewardError } from "../errors";
import { unexpectedResponse } from "../failure";
import { Request, send } from "../http";
import { isObject } from "../json";

/** What differs between the API document and the real product. */
interface PlatformDialect {
  /** The settings that the product calls by the name of its SMS provider. */
  smsSettings: string;
  /** How it calls the three clouds of cost estimation. */
  clouds: Record<string, string>;
  /** Settings have attributes that the document does not know. */
  hasExtra: boolean;
  /** It rejects certificates that cannot be parsed. */
  parsesCertificates: boolean;
  /** The API has a list of the modules of an organization. */
  listsModules: boolean;
  /** A run has only the statuses of the API document. */
  hasOnlyKnownStatuses: boolean;
}

const dialects: Record<string, PlatformDialect> = {
  standard: {
    smsSettings: "sms-settings",
    clouds: { "cloud-a": "cloud-a", "cloud-b": "cloud-b", "cloud-c": "cloud-c" },
    hasExtra: false,
    listsModules: false,
    parsesCertificates: true,
    hasOnlyKnownStatuses: true,
  },
  hashicorp: {
    smsSettings: "twilio-settings",
    clouds: { "cloud-a": "aws", "cloud-b": "gcp", "cloud-c": "azure" },
    hasExtra: true,
    listsModules: true,
    parsesCertificates: false,
    hasOnlyKnownStatuses: false,
  },
};

/** @internal */
export const system: System = defineSystem({
  name: "platform",
  dialects,
  own: {},
  variables: [
    { dialect: "standard", prefix: "PLATFORM", address: "PLATFORM_ADDR" },
    { dialect: "hashicorp", prefix: "TFE", address: "TFE_ADDRESS", skipVerify: "TFE_SSL_SKIP_VERIFY" },
  ],
});

/** `connect` accepts only the dialects of the table. @internal */
export const dialectOf = ({ dialect }: Connection): PlatformDialect => dialects[dialect] as PlatformDialect;

/** `cloudAAccessKeyId` as the server calls it: `cloud-a-access-key-id`. @internal */
export function wireName(connection: Connection, field: string): string {
  const name = field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return name.replace(/^cloud-[abc]/, (cloud) => dialectOf(connection).clouds[cloud] ?? cloud);
}

/** A path of the API: names may hold anything. @internal */
export const apiPath = (...segments: string[]): string => `/${segments.map(encodeURIComponent).join("/")}`;

/** A path of the administration API. @internal */
export const adminPath = (...segments: string[]): string => apiPath("api", "v2", "admin", ...segments);

/** A JSON:API resource as it stands in a document. @internal */
export interface Resource {
  id: string;
  type: string;
  attributes: Record<string, unknown>;
  /** As sent: each names one resource, or several. */
  relationships: Record<string, unknown>;
  links: Record<string, unknown>;
}

/** Sends one request to the platform and gives back what it answers. @internal */
export async function call(connection: Connection, request: Omit<Request, "headers">): Promise<unknown> {
  const headers = (token?: string): Record<string, string> => ({
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    "content-type": "application/vnd.api+json",
  });
  return (await send(connection, { ...request, headers })).body;
}

/** Whether the platform itself answers 404, with JSON:API's list of errors. Any other body may be a gateway's. @internal */
export const isNotFound = (error: unknown): error is StewardError =>
  error instanceof StewardError && error.status === 404 && error.details.errorCount !== undefined;

const generalPath = adminPath("general-settings");

/** The same, where a 404 says that the token is not an administrator's, or that this release of the platform has no such endpoint. @internal */
export async function callAsAdministrator(connection: Connection, request: Omit<Request, "headers">): Promise<unknown> {
  try {
    return await call(connection, request);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (request.path === generalPath || !(await isAdministrator(connection))) throw notAdministrator(connection, error);
    throw error.with({
      rule: "endpoint-missing",
      reason: "this release of the platform has no such endpoint",
      hint: "Upgrade the platform: customization settings exist from release 202003-1, the administration of workspaces from release 201807-1.",
    });
  }
}

/** @internal */
export function notAdministrator({ title, tokenSource }: Connection, error: StewardError): StewardError {
  return error.with({
    code: "ERR_FORBIDDEN",
    rule: "not-administrator",
    reason: "the platform shows its administration to administrators alone, and answers 404 to anyone else",
    hint: `Check that the token of platform in the ${title} is that of a site administrator. It comes from ${tokenSource}.`,
  });
}

/** Whether our token is an administrator's: what else a 404 may mean, only another read tells. @internal */
export async function isAdministrator(connection: Connection): Promise<boolean> {
  try {
    await call(connection, { method: "GET", path: generalPath, retry: "idempotent" });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** The resource that a document holds. @internal */
export function resourceOf(document: unknown, { method, path }: { method: string; path: string }): Resource {
  const data = isObject(document) ? document.data : undefined;
  if (isObject(data)) return completed(data);
  throw unexpectedAnswer(method, path);
}

/** With what a document may leave out. @internal */
export function completed(data: Record<string, unknown>): Resource {
  const part = (name: string): Record<string, unknown> => (isObject(data[name]) ? data[name] : {});
  return {
    id: textOf(data.id),
    type: textOf(data.type),
    attributes: part("attributes"),
    relationships: part("relationships"),
    links: part("links"),
  };
}

/** A text, or a number in its place; anything else says nothing. @internal */
export const textOf = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "");

/** The ids of the resources that a relationship names. @internal */
export const idsIn = (relationship: unknown): string[] =>
  [isObject(relationship) ? relationship.data : undefined]
    .flat()
    .filter(isObject)
    .map(({ id }) => textOf(id));

/** @internal */
export const unexpectedAnswer = (method: string, path: string): StewardError =>
  unexpectedResponse(method, path, "the server's answer is not that of the platform", "Check the address, and what stands between.");
