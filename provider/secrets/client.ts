import type { OpenAPIV3 } from "openapi-types";
import { defineSystem } from "../connection";
import { Claim } from "../contract/definition";
import { StewardError } from "../contract/errors";
import { nonEmptyStr, rule } from "../contract/inputs";
import { cached, Operation, Writer } from "../contract/operation";
import { ApiRequest, Request, Sender, send } from "../http";
import { isNotFound, notJson, unexpectedResponse, webPage } from "../http/failure";
import type { SecretsServer, Server } from "../program/provider";
import { isObject, isStringList } from "../text/json";
import { dialects, isMessage, SecretsDialect } from "./dialects";
import { keepLogin, loggedIn, loginInput } from "./login";
import { isMountPath, normalizeMount } from "./mount-path";

/** The settings that only this system has. */
type SecretsSettings = Omit<SecretsServer, keyof Server>;

const ofCli = { tokenFile: ".vault-token", more: ["namespace"] };

export const { system, dialectOf } = defineSystem<SecretsSettings, SecretsDialect>({
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
    login: loginInput.optional(),
  },
  partition: "namespace",
  variables: [
    { dialect: "standard", prefix: "SECRETS", address: "SECRETS_ADDR", more: ["namespace"] },
    // The OpenBao CLI writes its token to Vault's file.
    { ...ofCli, dialect: "openbao", prefix: "BAO", address: "BAO_ADDR", skipVerify: "BAO_SKIP_VERIFY" },
    { ...ofCli, dialect: "hashicorp", prefix: "VAULT", address: "VAULT_ADDR", skipVerify: "VAULT_SKIP_VERIFY" },
  ],
});

/** The life cycle passes operations without the type of these settings. */
const settingsOf = ({ server }: Operation): SecretsSettings => server as Operation<SecretsSettings>["server"];

/** The namespace of the connection. Undefined for the root namespace. */
export const namespaceOf = (operation: Operation): string | undefined => settingsOf(operation).namespace;

/** The address and, in a namespace, its path, for messages. */
export function placeOf(operation: Operation): string {
  const namespace = namespaceOf(operation);
  return namespace ? `${operation.server.address}, namespace ${namespace}` : operation.server.address;
}

/** Keeps the token of the connection's login beyond this process, for a lease that would end with it. */
export const keepToken = (operation: Operation): void => keepLogin(operation, settingsOf(operation).login);

/** The mount of the Nomad secrets engine if a resource names none. */
export const defaultMount = (operation: Operation): string => settingsOf(operation).mount ?? dialectOf(operation).schedulerMount;

/** An API path. A mount may be nested, and a name may contain any character. */
export function apiPath(mount: string, ...names: string[]): string {
  return `/v1/${[...mount.split("/"), ...names].map(encodeURIComponent).join("/")}`;
}

/** The capability that a policy must grant for a request. */
function capabilityFor({ method, path, query }: Pick<Request, "method" | "path" | "query">): string {
  if (method === "GET") return query?.list ? "`list`" : "`read`";
  if (method === "DELETE") return "`delete`";
  return isBelowBuiltIn(path) ? "`update`" : "`create` and `update`";
}

/** Sends a request to the server and returns the response body. A write needs no body, or the server's own: see {@link settle}. */
export const call = <Sent extends ApiRequest>(operation: Sender<Sent>, request: Sent, ownsBody?: OwnsBody): Promise<unknown> =>
  callWithoutClaim(operation, request, ownsBody);

type OwnsBody = SecretsDialect["ownsBody"];

/** `call` for what is no object of a resource: the lookup of a lease, and the rekey, whose protocol decides what to cancel. */
export async function callWithoutClaim(
  operation: Operation,
  request: Omit<Request, "headers">,
  ownsBody = dialectOf(operation).ownsBody,
): Promise<unknown> {
  const { words, tokenHeader, namespaceHeader, formsAreKnown } = dialectOf(operation);
  const { method, path } = request;
  const namespace = namespaceOf(operation);
  const headers = (token?: string): ReturnType<Request["headers"]> => ({ [tokenHeader]: token, [namespaceHeader]: namespace });
  const sender = await loggedIn(operation, settingsOf(operation).login, headers);
  const { status, body } = await send(sender, { ...request, headers }).catch((error) => {
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
  const rule = formsAreKnown || isMessage(body) ? foreignResponse : unknownForm;
  throw unexpectedResponse(method, path, ...foreignBody(operation)).with({ rule, status });
}

const foreignBody = ({ server: { words } }: Operation) =>
  [`the response is not from ${words.service}`, "Check the address, and any proxy on the way."] as const;

/** The rules of the errors of writes whose response is not known to be the server's own. */
export const foreignResponse = "foreign-response";
export const unknownForm = "unknown-form";
const unknownForms: readonly (string | undefined)[] = [unknownForm, foreignResponse, notJson];

/** Rethrows the error of a write unless the form of its response is unknown, and a read shows that it was applied. `rules`: those of such errors. */
async function settle(operation: Operation, error: unknown, wasApplied: () => Promise<boolean>, rules = unknownForms): Promise<void> {
  if (dialectOf(operation).formsAreKnown || !(error instanceof StewardError) || !rules.includes(error.details.rule)) throw error;
  if (!(await afterWrite(wasApplied))) throw error;
}

/** A read after a write. Its errors leave the outcome of the write unknown. */
const afterWrite = (read: () => Promise<boolean>): Promise<boolean> =>
  read().catch((failure) => {
    throw failure instanceof StewardError ? failure.with({ outcomeUnknown: true }) : failure;
  });

/** The place of an object: its mount and, if a list has it, its name there. */
export interface Place {
  mount?: string;
  name?: string;
}

export interface Reading {
  /** Every 404 means that the object does not exist, except a web page: a create that adopts overwrites it anyway. */
  anyNotFound?: boolean;
  /** The same where the form of a 404 is unknown, since no object leaves the state: a write is then read back. */
  mayBeMissing?: boolean;
}

/** Returns the `data` of an object, or undefined if the object does not exist. A 404 may also come from a gateway. */
export async function readData(
  operation: Operation,
  path: string,
  { query, anyNotFound, mayBeMissing, ...place }: Pick<Request, "query"> & Place & Reading = {},
): Promise<Record<string, unknown> | undefined> {
  const { formsAreKnown, words } = dialectOf(operation);
  const assertMissing = async (error: StewardError): Promise<undefined> => {
    // The server's own 404 of a missing object has an empty list of errors.
    const isOwnForm = error.details.errorCount === 0;
    if (error.details.rule !== webPage && (anyNotFound || (mayBeMissing && !formsAreKnown))) {
      if (!formsAreKnown && !isOwnForm) doubtedIn(operation).add(path);
      return;
    }
    if (formsAreKnown ? isOwnForm : await isShownAbsent(operation, path, place)) return;
    const remedy = isBelowBuiltIn(path) ? "" : `Mount the ${words.engine} secrets engine there, or correct \`mount\`. `;
    const hint = `${remedy}The ${error.status ?? "empty response"} may come from a proxy: check the connection's address, and any proxy in front of ${words.service}.`;
    throw error.with({ code: "ERR_NOT_FOUND", rule: "unproven-absence", hint });
  };
  let body: unknown;
  try {
    body = await call(operation, { method: "GET", path, query, retry: "idempotent" });
  } catch (error) {
    if (!(error instanceof StewardError) || error.status !== 404) throw error;
    return assertMissing(error);
  }
  const data = isObject(body) ? body.data : undefined;
  if (isObject(data)) return data;
  const invalid = invalidResponse(operation, path);
  // The API document does not show the response of an engine without a configuration or roles.
  if (!formsAreKnown && (body === undefined || data === null)) return assertMissing(invalid);
  throw invalid;
}

/** The paths whose 404 of an unknown form a create has read as an absence, so that the write is read back. */
export const doubtedIn = ({ server: { id }, run: { cache } }: Operation): Set<string> => cached(cache, ["doubted", id], () => new Set());

/** True if the same mount responds with a list that lacks the name, or with one of its configurations. A gateway may route other mounts. */
async function isShownAbsent(operation: Operation, path: string, { mount, name }: Place): Promise<boolean> {
  const dataAt = async (sibling: string, query?: Request["query"]): Promise<Record<string, unknown>> => {
    if (sibling === path) return {};
    const body = await call(operation, { method: "GET", path: sibling, query, retry: "idempotent" }).catch((error) => {
      if (!isNotFound(error)) throw error;
    });
    return isObject(body) && isObject(body.data) ? body.data : {};
  };
  const list = name === undefined ? mount && apiPath(mount, "role") : path.replace(/\/[^/]*$/, "");
  const { keys } = list ? await dataAt(list, { list: "true" }) : {};
  if (isStringList(keys)) return name === undefined || !keys.includes(name);
  if (mount === undefined) return path.startsWith("/v1/sys/") && (await visiblePaths(operation)) !== undefined;
  const { address } = await dataAt(apiPath(mount, "config", "access"));
  return typeof address === "string" || "max_ttl" in (await dataAt(apiPath(mount, "config", "lease")));
}

/** Writes an object. If the form of a response is unknown, a read back must show the values. */
export async function writeData(
  operation: Writer,
  { path, body, hasSecrets, ...place }: Pick<ApiRequest, "path" | "body"> & Place & { hasSecrets?: boolean },
  shows: (data: Record<string, unknown>) => boolean,
): Promise<void> {
  let isDoubted = [path, path.replace(/\/[^/]*$/, "")].some((each) => doubtedIn(operation).has(each));
  const isShown = async (): Promise<boolean> => {
    isDoubted = false;
    const data = await readData(operation, path, place).catch((error) => {
      if (error.status !== 404) throw error;
    });
    return Boolean(data && shows(data));
  };
  const rules = hasSecrets ? [unknownForm] : unknownForms;
  await call(operation, { method: "POST", path, body, retry: "idempotent" }).catch((error) => settle(operation, error, isShown, rules));
  if (isDoubted && !(await afterWrite(isShown)))
    throw unexpectedResponse("POST", path, ...foreignBody(operation)).with({ rule: foreignResponse });
}

/** With `--replace`, and for a tainted resource, Pulumi creates the new one first, without asking the provider. */
export const replaceHint =
  "To replace it with `pulumi up --replace` or `pulumi state taint`, set the resource option deleteBeforeReplace: true.";

/** Deletes an object. Succeeds if the object no longer exists. */
export async function remove({ operation, path }: Claim, isGone: IsGone = async () => false): Promise<void> {
  await callWithoutClaim(operation, { method: "DELETE", path, retry: "idempotent" }).catch((error) =>
    settleRemoval(operation, error, isGone),
  );
}

/**
 * Rethrows the error of a delete unless a 404 of the server or, if its form is unknown, a read shows that the object is gone. A mount that does not exist
 * may have moved, with all its objects.
 */
export async function settleRemoval(operation: Operation, error: unknown, isGone: IsGone): Promise<void> {
  const isMissing = error instanceof StewardError && error.status === 404;
  if (isMissing && (dialectOf(operation).formsAreKnown ? error.details.errorCount === 0 : await isGone({}))) return;
  // After JSON that is no message, no proof of the absence is required.
  await settle(operation, error, () => isGone({ mayBeMissing: error instanceof StewardError && error.details.rule === unknownForm }));
}

/** Reads whether an object is gone. */
type IsGone = (reading: Reading) => Promise<boolean>;

/** True if an error response has the format of the server, a list of errors. */
export const isFromService = (error: StewardError): boolean => error.details.errorCount !== undefined;

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
  return cached(run.cache, ["openapi", server.id, server.credentials.token() ?? server.title], () =>
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
