import type { OpenAPIV3 } from "openapi-types";
import { Adopt } from "../adoption";
import { Connection, defineSystem, System } from "../connection";
import { StewardError } from "../errors";
import { unexpectedResponse } from "../failure";
import { Request, Retry, send } from "../http";
import { nonEmptyStr, rule } from "../inputs";
import { isObject } from "../json";
import { dialects, SecretsDialect } from "./dialects";
import { isMountPath, normalizeMount } from "./mount-path";

/** The settings of this system alone. */
interface SecretsSettings {
  namespace?: string;
  mount?: string;
}

/** @internal */
export const system: System<SecretsSettings> = defineSystem({
  name: "secrets",
  dialects,
  own: {
    // Vault ignores slashes at either end: without them, a namespace has one spelling.
    namespace: nonEmptyStr
      .regex(/^[\x21-\x7e]+$/, "must be a path such as team/a")
      .transform(normalizeMount)
      .optional(),
    mount: nonEmptyStr
      .refine(isMountPath, rule("mount", "must be a path such as team/scheduler, without empty parts"))
      .transform(normalizeMount)
      .optional(),
  },
  partition: "namespace",
  variables: [
    { dialect: "standard", prefix: "SECRETS", address: "SECRETS_ADDR", more: ["namespace"] },
    // OpenBao's own command line writes its token to Vault's file.
    {
      dialect: "openbao",
      prefix: "BAO",
      address: "BAO_ADDR",
      tokenFile: ".vault-token",
      skipVerify: "BAO_SKIP_VERIFY",
      more: ["namespace"],
    },
    {
      dialect: "hashicorp",
      prefix: "VAULT",
      address: "VAULT_ADDR",
      tokenFile: ".vault-token",
      skipVerify: "VAULT_SKIP_VERIFY",
      more: ["namespace"],
    },
  ],
});

/** `connect` accepts only the dialects of the table. @internal */
export const dialectOf = ({ dialect }: Connection): SecretsDialect => dialects[dialect] as SecretsDialect;

/** The life cycle passes each connection on without the type of its own settings. */
const settingsOf = (connection: Connection): SecretsSettings => connection as Connection & SecretsSettings;

/** The mount of the scheduler engine when the resource does not name one. @internal */
export const defaultMount = (connection: Connection): string => settingsOf(connection).mount ?? dialectOf(connection).schedulerMount;

/** A path of the API: mounts may be nested, names may hold anything. @internal */
export function apiPath(mount: string, ...names: string[]): string {
  return `/v1/${[...mount.split("/"), ...names].map(encodeURIComponent).join("/")}`;
}

/** Sends one request to the secrets service and gives back what it answers. @internal */
export async function call(connection: Connection, request: Omit<Request, "headers">): Promise<unknown> {
  const { tokenHeader, namespaceHeader } = dialectOf(connection);
  const { namespace } = settingsOf(connection);
  const headers = (token?: string): Record<string, string> => ({
    ...(token ? { [tokenHeader]: token } : {}),
    ...(namespace ? { [namespaceHeader]: namespace } : {}),
  });
  return (await send(connection, { ...request, headers })).body;
}

/** Further evidence for a 404 that proves nothing by itself. @internal */
export type Evidence = (error: StewardError) => Promise<boolean>;

/**
 * The `data` of an object, or undefined where it is proven that the object does not exist. A 404 may come from a gateway: in a dialect where the 404
 * alone is no proof, one read more is the evidence. With `anyNotFound` none is needed. @internal
 */
export async function readData(
  connection: Connection,
  path: string,
  {
    query,
    evidence = documentsPath(connection),
    anyNotFound = false,
  }: { query?: Record<string, string>; evidence?: Evidence; anyNotFound?: boolean } = {},
): Promise<Record<string, unknown> | undefined> {
  try {
    const body = await call(connection, { method: "GET", path, ...(query ? { query } : {}), retry: "idempotent" });
    const data = isObject(body) ? body.data : undefined;
    if (isObject(data)) return data;
    throw unexpectedAnswer(path);
  } catch (error) {
    if (!(error instanceof StewardError) || error.status !== 404) throw error;
    if (anyNotFound) return undefined;
    const isAbsent = dialectOf(connection).provesAbsence ? error.details.errorCount === 0 : await evidence(error);
    if (isAbsent) return undefined;
    throw error.with({
      rule: "unproven-absence",
      hint: "Nothing proves that it does not exist: check the connection's address, the mount, and any proxy in front of the service.",
    });
  }
}

/** Runs a read before a write that overwrites nothing unseen. `wayRound` says how to do without the read. @internal */
export async function readFirst<T>(wayRound: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof StewardError) || error.status !== 404) throw error;
    throw error.with({ hint: `${error.details.hint} ${wayRound}` });
  }
}

/** How a creation does without that proof. */
const adoptHint = "With adopt: true it is created without this proof.";

/**
 * Reads what a creation would take over. With `adopt: true`, which overwrites whatever there is, any 404 means that nothing is there.
 * @internal
 */
export const readExisting = <T>(adopt: Adopt | undefined, read: (anyNotFound: boolean) => Promise<T>): Promise<T> =>
  adopt === true ? read(true) : readFirst(adoptHint, () => read(false));

/**
 * Whether the service answered by itself, and documents the path to this token: it then serves the path, and there is nothing at it. A gateway that
 * routes `sys` and not the mount would pass for that by its document alone. @internal
 */
const documentsPath =
  (connection: Connection): Evidence =>
  async (error) => {
    if (!isFromService(error)) return false;
    const paths = await visiblePaths(connection, "idempotent");
    if (!paths)
      throw error.with({
        rule: "openapi-unreadable",
        hint: `Only the OpenAPI document can prove that it does not exist, and it cannot be read: allow the token to read ${openApiPath}.`,
      });
    return Object.keys(paths).some((template) => matches(template, documentedPath(error)));
  };

/** Pulumi creates the new resource first, unless the program says otherwise, and asks no provider about a replacement that the user orders. @internal */
export const replaceHint = "To replace it with `pulumi up --replace`, set the resource option deleteBeforeReplace: true.";

/** Deletes an object; one that is gone already, with its mount or without, is as good. @internal */
export async function remove(connection: Connection, path: string): Promise<void> {
  try {
    await call(connection, { method: "DELETE", path, retry: "idempotent" });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Whether an error response has the form of the service's own: a list of errors. @internal */
export const isFromService = (error: StewardError): boolean => error.details.errorCount !== undefined;

/** Whether the service itself answers 404: the object does not exist, or its mount does not. @internal */
export const isNotFound = (error: unknown): boolean => error instanceof StewardError && error.status === 404 && isFromService(error);

/** Whether the service says that it knows no such lease. @internal */
export function isLeaseGone(error: unknown): boolean {
  return error instanceof StewardError && error.status === 400 && /^(invalid lease|lease not found)$/.test(error.details.reason);
}

/** @internal */
export const unexpectedAnswer = (path: string): StewardError =>
  unexpectedResponse("GET", path, "the server's answer is not that of the scheduler engine", "Check the address and the mount.");

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
  throw unexpectedResponse(
    "GET",
    openApiPath,
    "the server's answer is no OpenAPI document",
    "Check the connection's address, and what stands between.",
  );
}

/** Asked for once per server, token and process. @internal */
export function visiblePaths(connection: Connection, retry: Retry): Promise<OpenAPIV3.PathsObject | undefined> {
  const key = JSON.stringify(["openapi", retry, connection.server, connection.token()]);
  const known = connection.cache.get(key) as Promise<OpenAPIV3.PathsObject | undefined> | undefined;
  if (known) return known;
  const asked = readOpenApi(connection, retry).then(
    ({ paths }) => paths,
    () => undefined,
  );
  connection.cache.set(key, asked);
  return asked;
}

/** The path of a request as the OpenAPI document writes it. @internal */
export const documentedPath = ({ path = "" }: StewardError): string => decodeURIComponent(path.replace(/^\/v1/, ""));

/** Whether a path of the document, `/scheduler/role/{name}`, is that of a request. @internal */
export function matches(template: string, path: string): boolean {
  // Part by part: an expression made of the server's template could take as long as it likes.
  const [parts, segments] = [template.replace(/\/$/, "").split("/"), path.split("/")];
  return parts.length === segments.length && parts.every((part, index) => part.includes("{") || part === segments[index]);
}
