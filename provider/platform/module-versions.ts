import { z } from "zod";
import { StewardError } from "../contract/errors";
import { ReadFunction } from "../contract/function";
import { ConnectionArgs, connectionInput, strictObject } from "../contract/inputs";
import { Operation } from "../contract/operation";
import { invalidResponse } from "../http/failure";
import { read } from "../program/invoke";
import { isObject } from "../text/json";
import { apiPath, call, canRead, dialectOf, isAdministrator, isOwnNotFound, system } from "./client";

/** A private module. */
export interface Module {
  /**
   * The organization that owns the module.
   * @example "acme"
   */
  organizationName: string;
  /**
   * The name of the module.
   * @example "network"
   */
  moduleName: string;
  /**
   * The provider that the module is for.
   * @example "aws"
   */
  moduleProvider: string;
}

/** The address of a version. */
export interface Identity extends Module {
  /**
   * The version, as listed in the registry.
   * @example "2.0.0-rc.1"
   */
  moduleVersion: string;
}

/** A version of a private module in the registry. */
export interface ModuleVersion extends Identity {
  /** The id in the registry. */
  id?: string;
  /** The user who published the version. */
  owner?: string;
  /** The module's address in the registry: `acme/network/aws`. Set only in lists. */
  source?: string;
  /** The description of the module. */
  description?: string;
  /** The reason and the link of the deprecation, or undefined if the version is not deprecated. */
  deprecation?: { reason: string; link?: string };
  /** The root module, as in the response. */
  root?: unknown;
  /** The submodules, as in the response. */
  submodules?: unknown[];
}

/** One segment of a module's address. */
export const part: z.ZodString = z
  .string("must be a string")
  .min(1, "must not be empty")
  .regex(/^(?!\.{1,2}$)[^/\s]*$/, "must be one segment of the address, without slashes or spaces");

export const addressOf = (module: Module): string[] => [module.organizationName, module.moduleName, module.moduleProvider];
const pathOf = (module: Module, last: string): string => apiPath("api", "registry", "v1", "modules", ...addressOf(module), last);

/** The registry's list. Each entry is a module. */
const lists = z.object({
  modules: z.array(z.object({ versions: z.array(z.looseObject({})), source: z.string().optional().catch(undefined) })),
});

/** All versions of a module; undefined if it does not exist. */
export async function readModuleVersions(operation: Operation, module: Module): Promise<ModuleVersion[] | undefined> {
  const path = pathOf(module, "versions");
  try {
    const body = await call(operation, { method: "GET", path, retry: "idempotent" });
    const { modules } = lists.safeParse(body).data ?? {};
    // An existing module has an entry, even without versions. The API specification shows no response without one.
    if (modules?.length === 0 && !dialectOf(operation).formsAreKnown) return undefined;
    if (!modules?.length) throw invalidResponse("GET", path);
    return modules.flatMap(({ versions, source }) =>
      versions.map((version) => versionOf(source === undefined ? version : { ...version, source }, module)),
    );
  } catch (error) {
    if (!isOwnNotFound(error)) throw error;
    if (await canReadRegistry(operation, module)) return undefined;
    throw error.with({
      rule: "module-not-shown",
      reason: `the registry has no module ${addressOf(module).join("/")}, or the token may not read it`,
      hint: "Check its names, and that the token's user is in a team of that organization.",
    });
  }
}

/** True if a 404 of the registry means that the module does not exist. A site administrator reads only the registries of their organizations. */
const canReadRegistry = (operation: Operation, { organizationName }: Module): Promise<boolean> =>
  dialectOf(operation).readsOrganizations
    ? canRead(operation, apiPath("api", "v2", "organizations", organizationName))
    : isAdministrator(operation);

/** A version with the property names of this package, which follow the endpoint that deprecates versions. */
function versionOf(sent: Record<string, unknown>, { organizationName, moduleName, moduleProvider }: Module): ModuleVersion {
  const { namespace, name, provider, version, deprecation, ...rest } = sent;
  const base = { ...rest, organizationName, moduleName, moduleProvider, moduleVersion: version as string };
  if (!deprecation) return base;
  const { reason, link } = deprecation as { reason?: unknown; link?: unknown };
  return {
    ...base,
    deprecation: { reason: typeof reason === "string" ? reason : "", ...(typeof link === "string" && link ? { link } : {}) },
  };
}

/** The registry's response for a module, and the versions written since. */
interface Reading {
  versions: Promise<ModuleVersion[] | undefined>;
  written: Set<string>;
}

const keyOf = ({ server }: Operation, module: Module): string =>
  JSON.stringify([...addressOf(module), server.id, server.credentials.token()]);

/**
 * Reads one version. All versions of a module share one response until they are written: otherwise a thousand deprecations would send a
 * thousand requests.
 */
export async function readVersion(operation: Operation, version: Identity): Promise<ModuleVersion | undefined> {
  const { cache } = operation.run;
  const key = keyOf(operation, version);
  let reading = cache.get(key) as Reading | undefined;
  if (!reading || reading.written.has(version.moduleVersion)) {
    reading = { versions: readModuleVersions(operation, version), written: new Set() };
    cache.set(key, reading);
  }
  try {
    return (await reading.versions)?.find(({ moduleVersion }) => moduleVersion === version.moduleVersion);
  } catch (error) {
    cache.delete(key);
    throw error;
  }
}

/** Makes the next read of this version send a request. */
export function clearCachedVersion(operation: Operation, version: Identity): void {
  (operation.run.cache.get(keyOf(operation, version)) as Reading | undefined)?.written.add(version.moduleVersion);
}

/** Options of {@link listModuleVersions}. */
export interface ListModuleVersionsOptions extends Module, ConnectionArgs {}

/** Options of {@link getModuleVersion}. */
export interface GetModuleVersionOptions extends ListModuleVersionsOptions {
  /** The version as in the registry, such as `1.2.0` or `2.0.0-rc.1`. */
  moduleVersion: string;
}

export const listOptions = strictObject({ organizationName: part, moduleName: part, moduleProvider: part, connection: connectionInput });
const getOptions = strictObject({ ...listOptions.shape, moduleVersion: part });

export const moduleVersion: ReadFunction<GetModuleVersionOptions, ModuleVersion> = {
  token: "platform:getModuleVersion",
  operation: "Cannot read module version",
  system,
  options: getOptions,
  async run(operation, options) {
    const path = pathOf(options, options.moduleVersion);
    const body = await call(operation, { method: "GET", path, retry: "idempotent" });
    if (!isObject(body) || !("version" in body)) throw invalidResponse("GET", path);
    return versionOf(body, options);
  },
};

export const moduleVersions: ReadFunction<ListModuleVersionsOptions, ModuleVersion[]> = {
  token: "platform:listModuleVersions",
  operation: "Cannot list module versions",
  system,
  options: listOptions,
  property: "versions",
  async run(operation, options) {
    const versions = await readModuleVersions(operation, options);
    if (versions) return versions;
    throw new StewardError({
      code: "ERR_NOT_FOUND",
      rule: "module-missing",
      reason: `the registry has no module ${addressOf(options).join("/")}`,
      hint: "Check its names, and that the token can read the registry of that organization.",
      status: 404,
      method: "GET",
      path: pathOf(options, "versions"),
    });
  },
};

/**
 * Reads a version of a private module with `GET /api/registry/v1/modules/:namespace/:name/:provider/:version`. The function fails with
 * `ERR_NOT_FOUND` if the version does not exist or the token is not allowed to read it.
 */
export function getModuleVersion(options: GetModuleVersionOptions): Promise<ModuleVersion> {
  return read(moduleVersion, options);
}

/**
 * Lists all versions of a private module with `GET /api/registry/v1/modules/:namespace/:name/:provider/versions`. The function fails with
 * `ERR_NOT_FOUND` if the module does not exist or the token is not allowed to read it.
 */
export function listModuleVersions(options: ListModuleVersionsOptions): Promise<ModuleVersion[]> {
  return read(moduleVersions, options);
}
