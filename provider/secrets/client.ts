import type { OpenAPIV3 } from "openapi-types";
import { cached, defineSystem, Operation, System } from "../connection";
import { StewardError } from "../errors";
import { ApiRequest, Request, send } from "../http";
import { errorsIn, unexpectedResponse } from "../http/failure";
import { nonEmptyStr, rule } from "../inputs";
import { isObject } from "../text/json";
import { dialects, SecretsDialect } from "./dialects";
import { isMountPath, normalizeMount } from "./mount-path";

/** The settings that only this system has. */
interface SecretsSettings {
  namespace?: string;
  mount?: string;
}

const ofCli = { tokenFile: ".vault-token", more: ["namespace"] };

export const system: System<SecretsSettings> = defineSystem({
  name: "secrets",
  dialects,
  ownSettings: {
    // Vault ignores leading and trailing slashes. Without them, each namespace has one spelling.
    namespace: nonEmptyStr
      .regex(/^[\x21-\x7e]+$/, "must be a path such as team/a")
      .transform(normalizeMount)
      .optional(),
    mount: nonEmptyStr
      .refine(isMountPath, rule("mount", "must be a path such as team/nomad, without empty parts"))
      .transform(normalizeMount)
      .optional(),
  },
  partition: "namespace",
  product: {
    name: "Vault or OpenBao",
    dialects: '"hashicorp" or "openbao"',
    // Neither reads the token's header. Older releases of Vault answer 400.
    responds: ({ body }) => errorsIn(body)?.some((error) => /permission denied|missing client token/.test(String(error))) ?? false,
  },
  variables: [
    { dialect: "standard", prefix: "SECRETS", address: "SECRETS_ADDR", more: ["namespace"] },
    // The OpenBao CLI writes its token to Vault's file.
    { ...ofCli, dialect: "openbao", prefix: "BAO", address: "BAO_ADDR", skipVerify: "BAO_SKIP_VERIFY" },
    { ...ofCli, dialect: "hashicorp", prefix: "VAULT", address: "VAULT_ADDR", skipVerify: "VAULT_SKIP_VERIFY" },
  ],
});

/** `connect` has already rejected every other dialect. */
export const dialectOf = ({ server: { dialect } }: Operation): SecretsDialect => dialects[dialect] as SecretsDialect;

/** The life cycle passes operations without the type of these settings. */
const settingsOf = ({ server }: Operation): SecretsSettings => server as Operation<SecretsSettings>["server"];

/** The namespace of the connection. Undefined for the root namespace. */
export const namespaceOf = (operation: Operation): string | undefined => settingsOf(operation).namespace;

/** The address and, in a namespace, its path, for messages. */
export function placeOf(operation: Operation): string {
  const namespace = namespaceOf(operation);
  return namespace ? `${operation.server.address}, namespace ${namespace}` : operation.server.address;
}

/** The mount of the Nomad secrets engine if a resource names none. */
export const defaultMount = (operation: Operation): string => settingsOf(operation).mount ?? dialectOf(operation).schedulerMount;

/** An API path. A mount may be nested, and a name may contain any character. */
export function apiPath(mount: string, ...names: string[]): string {
  return `/v1/${[...mount.split("/"), ...names].map(encodeURIComponent).join("/")}`;
}

/** The capability that a policy must grant for a request. */
function capabilityFor({ method, path, query }: ApiRequest): string {
  if (method === "GET") return query?.list ? "`list`" : "`read`";
  if (method === "DELETE") return "`delete`";
  return isBelowBuiltIn(path) ? "`update`" : "`create` and `update`";
}

/** Sends a request to the server and returns the response body. A write needs no body, or the server's own. */
export async function call(operation: Operation, request: ApiRequest, ownsBody = dialectOf(operation).ownsBody): Promise<unknown> {
  const { words, tokenHeader, namespaceHeader } = dialectOf(operation);
  const { method, path } = request;
  const namespace = namespaceOf(operation);
  const headers = (token?: string): ReturnType<Request["headers"]> => ({ [tokenHeader]: token, [namespaceHeader]: namespace });
  const { status, body } = await send(operation, { ...request, headers }).catch((error) => {
    if (!(error instanceof StewardError) || error.status !== 403) throw error;
    const place = namespace ? `${policyPath(path)} in the namespace ${namespace}` : policyPath(path);
    throw error.with({ hint: `${error.details.hint} The token's policy must grant ${capabilityFor(request)} on ${place}.` });
  });
  if (isObject(body) && isObject(body.wrap_info))
    throw new StewardError({
      code: "ERR_FORBIDDEN",
      rule: "control-group",
      reason: `${words.service} returned a wrapping token: a control group must approve the request first, and nothing was applied`,
      status,
      method,
      path,
      hint: "Use a token whose policies have no control group for this path, since Pulumi cannot wait for the approval.",
    });
  if (method === "GET" || body === undefined || (isObject(body) && ownsBody(body))) return body;
  throw unexpectedResponse(method, path, ...foreignBody(operation)).with({ rule: foreignResponse, status });
}

const foreignBody = ({ server: { words } }: Operation) =>
  [`the response is not from ${words.service}`, "Check the address, and any proxy on the way."] as const;

/** The rule of the error of a write whose response is not the server's own. */
export const foreignResponse = "foreign-response";

/**
 * Returns the `data` of an object, or undefined if the object does not exist. A 404 may also come from a gateway. With `anyNotFound` every 404 counts, for a
 * create that overwrites the object anyway.
 */
export async function readData(
  operation: Operation,
  path: string,
  { query, anyNotFound }: Pick<Request, "query"> & { anyNotFound?: boolean } = {},
): Promise<Record<string, unknown> | undefined> {
  try {
    const body = await call(operation, { method: "GET", path, query, retry: "idempotent" });
    const data = isObject(body) ? body.data : undefined;
    if (isObject(data)) return data;
    throw invalidResponse(operation, path);
  } catch (error) {
    if (!(error instanceof StewardError) || error.status !== 404) throw error;
    if (anyNotFound) return undefined;
    // The server's own 404 of a missing object has an empty list of errors.
    if (error.details.errorCount === 0 && (dialectOf(operation).provesAbsence || (await documentsPath(operation, path, error))))
      return undefined;
    const { service, engine } = dialectOf(operation).words;
    const remedy = isBelowBuiltIn(path) ? "" : `Mount the ${engine} secrets engine there, or correct \`mount\`. `;
    const hint = `${remedy}The 404 may come from a proxy: check the connection's address, and any proxy in front of ${service}.`;
    throw error.with({ rule: "unproven-absence", hint });
  }
}

/** True if the OpenAPI document lists the path for this token. This alone is no evidence, because a gateway may route `sys` but not the mount. */
async function documentsPath(operation: Operation, path: string, error: StewardError): Promise<boolean> {
  const paths = await visiblePaths(operation);
  if (paths) return Object.keys(paths).some((template) => matches(template, `/${policyPath(path)}`));
  const hint = `Only the OpenAPI document can prove that it does not exist: allow the token to read ${openApiPath}. A create with adopt: true needs no proof.`;
  throw error.with({ rule: "openapi-unreadable", hint });
}

/** With `--replace`, and for a tainted resource, Pulumi creates the new one first, without asking the provider. */
export const replaceHint =
  "To replace it with `pulumi up --replace` or `pulumi state taint`, set the resource option deleteBeforeReplace: true.";

/** Deletes an object. Succeeds if the object or its mount no longer exists. */
export async function remove(operation: Operation, path: string): Promise<void> {
  await call(operation, { method: "DELETE", path, retry: "idempotent" }).catch((error) => {
    if (!isNotFound(error)) throw error;
  });
}

/** True if an error response has the format of the server, a list of errors. */
export const isFromService = (error: StewardError): boolean => error.details.errorCount !== undefined;

/** True for a 404 of the server itself: the object or its mount does not exist. */
export const isNotFound = (error: unknown): boolean => error instanceof StewardError && error.status === 404 && isFromService(error);

/** True if the server reports that the lease does not exist. */
export function isLeaseGone(error: unknown): boolean {
  return error instanceof StewardError && error.status === 400 && /^(invalid lease|lease not found)$/.test(error.details.reason);
}

/** True for a path below a mount that every service has, so that no user has chosen it. */
const isBelowBuiltIn = (path: string): boolean => /^(\/v1)?\/(sys|auth|identity|cubbyhole)\//.test(path);

export function invalidResponse(operation: Operation, path: string): StewardError {
  const { engine } = dialectOf(operation).words;
  const notFromEngine = [`the response is not from the ${engine} secrets engine`, "Check the address and the mount."] as const;
  const [reason, hint] = isBelowBuiltIn(path) ? foreignBody(operation) : notFromEngine;
  return unexpectedResponse("GET", path, reason, hint);
}

const openApiPath = "/v1/sys/internal/specs/openapi";
/** The document has megabytes if the server has many mounts. */
const openApiBytes = 64 * 1024 * 1024;

/** Returns the OpenAPI document of the paths that the token can see. */
export async function readOpenApi(operation: Operation): Promise<OpenAPIV3.Document> {
  const request = { method: "GET", path: openApiPath, retry: "idempotent", limits: { bodyBytes: openApiBytes } } as const;
  const document = (await call(operation, request)) as Partial<OpenAPIV3.Document> | undefined;
  const { openapi, info, paths } = document ?? {};
  if (typeof openapi === "string" && typeof info?.title === "string" && typeof info.version === "string" && isObject(paths))
    return document as OpenAPIV3.Document;
  throw invalidResponse(operation, openApiPath);
}

/** The paths that the token can see, read once per server and token. Undefined if the document cannot be read. */
export function visiblePaths(operation: Operation): Promise<OpenAPIV3.PathsObject | undefined> {
  const { server, run } = operation;
  return cached(run.cache, ["openapi", server.id, server.credentials.token() ?? ""], () =>
    readOpenApi(operation).then(
      ({ paths }) => paths,
      () => undefined,
    ),
  );
}

/** The path of a request as a policy has it: `nomad/role/web`. */
const policyPath = (path: string): string => decodeURIComponent(path.replace(/^\/v1\//, ""));

/** True if a path template of the document, `/scheduler/role/{name}`, matches the path of a request. */
export function matches(template: string, path: string): boolean {
  // Not a regular expression: one made of the server's template could take exponential time.
  const [parts, segments] = [template.replace(/\/$/, "").split("/"), path.split("/")];
  return parts.length === segments.length && parts.every((part, index) => part.includes("{") || part === segments[index]);
}
