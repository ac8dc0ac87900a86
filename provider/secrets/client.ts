import type { OpenAPIV3 } from "openapi-types";
import { Connection, Dialect } from "../connection";
import { ErrorFacts, StewardError } from "../errors";
import { unlikeTheApi } from "../failure";
import { isObject, Request, Retry, send } from "../http";

/** What differs between the API documents and the real product. */
interface SecretsDialect {
  tokenHeader: string;
  namespaceHeader: string;
  /** Where the scheduler engine is mounted when nobody says. */
  schedulerMount: string;
  /** Whether `config/access` can be deleted; without that a blank one is written over it. */
  deletesAccess: boolean;
  roleName: { pattern: RegExp; reason: string };
  /** Whether a client role needs policies, and a management role may have none. */
  policiesByType: boolean;
  /** Whether what the engine generates has a lease, which ends with the token that asked for it. */
  tokensHaveLeases: boolean;
  /** Whether several shares with a threshold of one are refused. */
  thresholdOfOneIsForOneShare: boolean;
  /** Whether the status of a rekey tells that the new shares are being verified. */
  statusTellsVerification: boolean;
  /** Whether a cancel has to name the attempt; it is then refused without a body. */
  cancelNamesNonce: boolean;
  /** Whether a share given twice is refused, and everything else stays. */
  refusesRepeatedShares: boolean;
  /** What answers that no backup is kept. */
  noBackup: readonly number[];
  /** Whether `sys/seal-status` tells what kind of seal keeps the key. */
  showsSeal: boolean;
  /** Whether a 404 says that the object is not there: not its mount, nor the API itself. */
  saysGone(facts: ErrorFacts): boolean;
}

const dialects: Record<Dialect, SecretsDialect> = {
  standard: {
    tokenHeader: "x-secrets-token",
    namespaceHeader: "x-secrets-namespace",
    schedulerMount: "scheduler",
    deletesAccess: false,
    roleName: { pattern: /^(?!\.{1,2}$)[^/]+$/, reason: 'must not be empty, hold a slash, or be "." or ".."' },
    policiesByType: false,
    tokensHaveLeases: false,
    thresholdOfOneIsForOneShare: false,
    statusTellsVerification: false,
    cancelNamesNonce: false,
    refusesRepeatedShares: false,
    noBackup: [400, 404],
    showsSeal: false,
    // The document does not show it; but a page or a text is not the API's.
    saysGone: ({ isApi }) => isApi === true,
  },
  hashicorp: {
    tokenHeader: "x-vault-token",
    namespaceHeader: "x-vault-namespace",
    schedulerMount: "nomad",
    deletesAccess: true,
    roleName: { pattern: /^\w([\w.-]*\w)?$/, reason: "must be letters, digits, _, - and ., and begin and end with a letter, a digit or _" },
    policiesByType: true,
    tokensHaveLeases: true,
    thresholdOfOneIsForOneShare: true,
    statusTellsVerification: true,
    cancelNamesNonce: true,
    refusesRepeatedShares: true,
    noBackup: [400],
    showsSeal: true,
    // With a reason it is about the route, that is about a mount that is not there.
    saysGone: ({ errorCount }) => errorCount === 0,
  },
};

/** @internal */
export const dialectOf = ({ dialect }: Connection): SecretsDialect => dialects[dialect];

/** The mount of the scheduler engine when the resource does not name one. @internal */
export const defaultMount = (connection: Connection): string => connection.mount ?? dialectOf(connection).schedulerMount;

/** A path of the API: mounts may be nested, names may hold anything. @internal */
export function apiPath(mount: string, ...names: string[]): string {
  return `/v1/${[...mount.split("/"), ...names].map(encodeURIComponent).join("/")}`;
}

/** Sends one request to the secrets service and gives back what it answers. @internal */
export async function call(connection: Connection, request: Omit<Request, "headers">): Promise<unknown> {
  const { tokenHeader, namespaceHeader } = dialectOf(connection);
  const headers = (token?: string): Record<string, string> => ({
    ...(token ? { [tokenHeader]: token } : {}),
    ...(connection.namespace ? { [namespaceHeader]: connection.namespace } : {}),
  });
  return (await send(connection, { ...request, headers })).body;
}

/** The `data` of an object, or undefined where the server says that there is none. @internal */
export async function readData(
  connection: Connection,
  path: string,
  query?: Record<string, string>,
): Promise<Record<string, unknown> | undefined> {
  try {
    const body = await call(connection, { method: "GET", path, ...(query ? { query } : {}), retry: "idempotent" });
    const data = isObject(body) ? body.data : undefined;
    if (isObject(data)) return data;
    throw unexpectedAnswer(path);
  } catch (error) {
    if (isGone(connection, error)) return undefined;
    throw error;
  }
}

/** Deletes an object; one that is gone already, with its mount or without, is as good. @internal */
export async function remove(connection: Connection, path: string): Promise<void> {
  try {
    await call(connection, { method: "DELETE", path, retry: "idempotent" });
  } catch (error) {
    if (!isGone(connection, error) && !isRouteGone(error)) throw error;
  }
}

function isGone(connection: Connection, error: unknown): boolean {
  return error instanceof StewardError && error.status === 404 && dialectOf(connection).saysGone(error.facts);
}

/** Whether the service itself says that there is no such path: its mount is gone. @internal */
export function isRouteGone(error: unknown): boolean {
  return error instanceof StewardError && error.status === 404 && error.facts.errorCount !== undefined;
}

/** Whether the service says that it knows no such lease. @internal */
export function isLeaseGone(error: unknown): boolean {
  return error instanceof StewardError && error.status === 400 && /^(invalid lease|lease not found)$/.test(error.facts.reason);
}

/** @internal */
export const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === "string");

/** @internal */
export const unexpectedAnswer = (path: string): StewardError =>
  unlikeTheApi("GET", path, "the server's answer is not that of the scheduler engine", "Check the address and the mount.");

const openApiPath = "/v1/sys/internal/specs/openapi";
/** All mounts with all their paths are megabytes. */
const openApiBytes = 64 * 1024 * 1024;

/** What the service documents of itself for this token, as it sends it. @internal */
export async function readOpenApi(connection: Connection, retry: Retry): Promise<OpenAPIV3.Document> {
  const limits = { bodyBytes: openApiBytes };
  const document = (await call(connection, { method: "GET", path: openApiPath, retry, limits })) as Partial<OpenAPIV3.Document> | undefined;
  const { openapi, info, paths } = document ?? {};
  if (typeof openapi === "string" && typeof info?.title === "string" && typeof info.version === "string" && isObject(paths))
    return document as OpenAPIV3.Document;
  throw unlikeTheApi(
    "GET",
    openApiPath,
    "the server's answer is no OpenAPI document",
    "Check the connection's address, and what stands between.",
  );
}

/** Asked for once per server, token and process. */
function visiblePaths(connection: Connection): Promise<OpenAPIV3.PathsObject | undefined> {
  const key = JSON.stringify(["openapi", connection.server, connection.token()]);
  const known = connection.memory.get(key) as Promise<OpenAPIV3.PathsObject | undefined> | undefined;
  if (known) return known;
  const asked = readOpenApi(connection, "never").then(
    ({ paths }) => paths,
    () => undefined,
  );
  connection.memory.set(key, asked);
  return asked;
}

/** Asks the OpenAPI listing, which holds what this token may see, why something got a 403 or a 404. Any other error stays what it is. @internal */
export async function explainRefusal(connection: Connection, error: unknown): Promise<unknown> {
  if (!(error instanceof StewardError) || (error.status !== 403 && error.status !== 404)) return error;
  // Without a token there is nothing that it could see.
  const paths = connection.token() === undefined ? undefined : await visiblePaths(connection);
  const path = decodeURIComponent((error.path ?? "").replace(/^\/v1/, ""));
  if (!paths || path === "") return error;
  const templates = Object.keys(paths);
  const segments = path.split("/");
  // Part by part: an expression made of the server's template could take as long as it likes.
  const matches = (template: string): boolean => {
    const parts = template.split("/");
    return parts.length === segments.length && parts.every((part, index) => part.includes("{") || part === segments[index]);
  };
  const mount = path.replace(/^(.*)\/(config|role|creds)(\/[^/]*)?$/, "$1/");
  // There is such a path: it is the object that is missing.
  if (templates.some(matches) && error.status === 404) return error;
  if (templates.some(matches))
    return error.with({
      advice: `This token sees ${path} but may not do this with it: its policy needs the capabilities create, read and update there.`,
    });
  if (templates.some((template) => template.startsWith(mount)))
    return error.with({ advice: `This token cannot see ${path}: its policy does not cover that path.` });
  return error.with({
    advice: `This token sees nothing below ${mount}: no scheduler engine is mounted there (mount it, or set the right \`mount\`), or the token's policy does not cover it.`,
  });
}
