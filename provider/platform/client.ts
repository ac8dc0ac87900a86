import { defineSystem } from "../connection";
import { Claim } from "../contract/definition";
import { StewardError } from "../contract/errors";
import { Operation, Writer } from "../contract/operation";
import { ApiRequest, Request, Retry, Sender, send } from "../http";
import { invalidResponse, isNotFound as isPlain404 } from "../http/failure";
import { isObject } from "../text/json";

/** The differences between the API specification and Terraform Enterprise. */
const standard = {
  words: { service: "the platform" },
  /** True if the form of each response is known. The API specification does not show the fields of an error. */
  formsAreKnown: false,
  /** The path of the SMS settings, which Terraform Enterprise names after its SMS provider. */
  smsSettings: "sms-settings",
  /** The names of the three clouds of cost estimation. */
  clouds: { "cloud-a": "cloud-a", "cloud-b": "cloud-b", "cloud-c": "cloud-c" } as Record<string, string>,
  /** Terraform Enterprise rejects invalid certificates. */
  parsesCertificates: true,
  /** The API reads organizations, and lists their modules. */
  readsOrganizations: false,
  /** The attributes of general settings and of organizations that limit how long a run, and thus its token, lasts. */
  runTimeouts: [] as string[],
};

type PlatformDialect = typeof standard;

const dialects: Record<string, PlatformDialect> = {
  standard,
  hashicorp: {
    words: { service: "Terraform Enterprise" },
    formsAreKnown: true,
    smsSettings: "twilio-settings",
    clouds: { "cloud-a": "aws", "cloud-b": "gcp", "cloud-c": "azure" },
    readsOrganizations: true,
    parsesCertificates: false,
    runTimeouts: ["plan-timeout", "apply-timeout"],
  },
};

export const { system, dialectOf } = defineSystem<object, PlatformDialect>({
  name: "platform",
  dialects,
  ownSettings: {},
  variables: [
    { dialect: "standard", prefix: "PLATFORM", address: "PLATFORM_ADDR" },
    { dialect: "hashicorp", prefix: "TFE", address: "TFE_ADDRESS", host: "TFE_HOSTNAME", skipVerify: "TFE_SSL_SKIP_VERIFY" },
  ],
});

/** The attribute name on the server: `cloud-a-access-key-id` for `cloudAAccessKeyId`. */
export function wireName(operation: Operation, field: string): string {
  const name = field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return name.replace(/^cloud-[abc]/, (cloud) => dialectOf(operation).clouds[cloud] ?? cloud);
}

/** An API path with encoded segments. */
export const apiPath = (...segments: string[]): string => `/${segments.map(encodeURIComponent).join("/")}`;

export const adminPath = (...segments: string[]): string => apiPath("api", "v2", "admin", ...segments);

/** A resource in a JSON:API document, which calls it so. */
export interface ResourceObject {
  id: string;
  type: string;
  attributes: Record<string, unknown>;
  /** As in the response: the data of each is one resource identifier or a list. */
  relationships: Record<string, unknown>;
  links: Record<string, unknown>;
}

/** Sends a request to Terraform Enterprise and returns the response body. A write needs no body, or an empty or a JSON:API document. */
export const call = <Sent extends ApiRequest>(operation: Sender<Sent>, request: Sent): Promise<unknown> => sent(operation, request);

/** Deletes an object. */
export const remove = ({ operation, path }: Claim, retry: Retry): Promise<unknown> => sent(operation, { method: "DELETE", path, retry });

/** Resets settings, which stay on the server. */
export const reset = (operation: Writer, path: string): Promise<unknown> =>
  sent(operation, { method: "DELETE", path, retry: "idempotent" });

async function sent(operation: Operation, request: Omit<Request, "headers">): Promise<unknown> {
  const headers = (token?: string): ReturnType<Request["headers"]> => ({
    authorization: token && `Bearer ${token}`,
    "content-type": "application/vnd.api+json",
  });
  const { body } = await send(operation, { ...request, headers });
  const isDocument = isObject(body) && (isObject(body.data) || Object.keys(body).length === 0);
  if (request.method === "GET" || body === undefined || isDocument) return body;
  throw invalidResponse(request.method, request.path);
}

/** True for a 404 of Terraform Enterprise itself, which has a list of JSON:API errors. Any other body may come from a gateway. */
export const isOwnNotFound = (error: unknown): error is StewardError =>
  error instanceof StewardError && error.status === 404 && error.details.errorCount !== undefined;

/** True for a 404 of the platform. This alone does not prove that an object does not exist, unless its form is known. */
export const isNotFound = (operation: Operation, error: unknown): error is StewardError =>
  isOwnNotFound(error) || (!dialectOf(operation).formsAreKnown && isPlain404(error));

export const generalPath: string = adminPath("general-settings");

/** The parts of the administration API that older releases lack, with the release that added each. */
const additions: Record<string, string> = {
  [adminPath("workspaces")]: "workspace administration requires release 201807-1",
  [adminPath("customization-settings")]: "customization settings require release 202003-1",
  [adminPath("data-retention-policy-settings")]: "the data retention policy requires release 202401-1",
  [adminPath("scim-settings")]: "SCIM settings require release 2.0.0",
  [adminPath("scim-tokens")]: "SCIM tokens require release 2.0.0",
  [adminPath("saml-settings", "idp-certificates")]: "the list of IdP certificates requires release 2.1.0",
  [adminPath("banners")]: "banners require release 2.1.0",
};

/** `call` for the administration API, where a 404 means a token without administrator rights or an endpoint that this release lacks. */
export async function callAsAdministrator<Sent extends ApiRequest>(operation: Sender<Sent>, request: Sent): Promise<unknown> {
  try {
    return await call(operation, request);
  } catch (error) {
    if (!isNotFound(operation, error)) throw error;
    if (request.path === generalPath || !(await isAdministrator(operation))) throw notAdministrator(operation, error);
    const { service } = operation.server.words;
    const since = request.path in additions ? `: ${additions[request.path]} or later` : "";
    throw error.with({
      rule: "endpoint-missing",
      reason: `this release of ${service} does not have this endpoint`,
      hint: `Upgrade ${service}${since}.`,
    });
  }
}

const notAdministrator = ({ server }: Operation, error: StewardError): StewardError =>
  error.with({
    code: "ERR_FORBIDDEN",
    rule: "not-administrator",
    reason: `${server.words.service} serves its admin API only to site administrators, and returns 404 to all others`,
    hint: `Check that the token of platform in the ${server.title} belongs to a site administrator. It comes from ${server.credentials.tokenSource}.`,
  });

/** True if the token belongs to a site administrator. A 404 alone does not tell, so this reads the general settings. */
export const isAdministrator = (operation: Operation): Promise<boolean> => canRead(operation, generalPath);

/** False if Terraform Enterprise hides the path from the token, or has nothing there. */
export async function canRead(operation: Operation, path: string): Promise<boolean> {
  const request = { method: "GET", path, retry: "idempotent" } as const;
  try {
    return Boolean(resourceOf(await call(operation, request), request));
  } catch (error) {
    if (isNotFound(operation, error)) return false;
    throw error;
  }
}

/**
 * Rethrows the error unless the object does not exist. A 404 proves this only if the token belongs to an administrator and, where its form is unknown,
 * a list lacks the object.
 */
export async function assertGone(operation: Operation, error: unknown, isListed?: () => Promise<boolean>): Promise<undefined> {
  if (!isNotFound(operation, error)) throw error;
  if (!(await isAdministrator(operation))) throw notAdministrator(operation, error);
  if (!dialectOf(operation).formsAreKnown && (isListed ? await isListed() : !isOwnNotFound(error))) throw error;
}

export function resourceOf(document: unknown, { method, path }: { method: string; path: string }): ResourceObject {
  const data = isObject(document) ? document.data : undefined;
  if (isObject(data)) return completed(data);
  throw invalidResponse(method, path);
}

/** A resource with empty values for the members that a document may omit. */
export function completed(data: Record<string, unknown>): ResourceObject {
  const part = (name: string): Record<string, unknown> => (isObject(data[name]) ? data[name] : {});
  return {
    id: asString(data.id),
    type: asString(data.type),
    attributes: part("attributes"),
    relationships: part("relationships"),
    links: part("links"),
  };
}

/** A string or a number as a string; empty for any other value. */
export const asString = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "");

export const idsIn = (relationship: unknown): string[] =>
  [isObject(relationship) ? relationship.data : undefined]
    .flat()
    .filter(isObject)
    .map(({ id }) => asString(id));
