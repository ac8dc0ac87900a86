import { z } from "zod";
import { Connection } from "../connection";
import { StewardError } from "../errors";
import { connectionInput, strictObject } from "../inputs";
import { isObject } from "../json";
import { ask } from "../program";
import { apiPath, call, isAdministrator, isNotFound, system, unexpectedAnswer } from "./client";

/** A private module. */
export interface Module {
  /** The organization that owns the module. */
  organizationName: string;
  moduleName: string;
  /** The provider that the module is for. */
  moduleProvider: string;
}

/** A version of a private module, as the registry shows it. */
export interface ModuleVersion extends Module {
  /** As the registry writes it: `1.2.0`, `2.0.0-rc.1`. */
  moduleVersion: string;
  /** Of the registry. */
  id?: string;
  /** Who published it. */
  owner?: string;
  /** The module's address in the registry: `acme/network/aws`. In lists alone. */
  source?: string;
  /** Of the module. */
  description?: string;
  /** Not there: the version is not deprecated. */
  deprecation?: { reason: string; link?: string };
  /** As sent. */
  root?: unknown;
  /** As sent. */
  submodules?: unknown[];
}

/** Options of {@link listModuleVersions}. */
export interface ListModuleVersionsOptions extends Module {
  /**
   * Which connection of the stack's configuration, `steward:<connection>`, names the server.
   * @default "default"
   */
  connection?: string;
}

/** Options of {@link getModuleVersion}. */
export interface GetModuleVersionOptions extends ListModuleVersionsOptions {
  /** As the registry writes it: `1.2.0`, `2.0.0-rc.1`. */
  moduleVersion: string;
}

/** One part of a module's address. @internal */
export const part: z.ZodString = z
  .string("must be a text")
  .min(1, "must not be empty")
  .regex(/^(?!\.{1,2}$)[^/\s]*$/, "must be one part of an address, without slashes and blanks");
const listOptions = strictObject({ organizationName: part, moduleName: part, moduleProvider: part, connection: connectionInput });
const getOptions = strictObject({ ...listOptions.shape, moduleVersion: part });

const addressOf = ({ organizationName, moduleName, moduleProvider }: Module): string[] => [organizationName, moduleName, moduleProvider];
const pathOf = (module: Module, last: string): string => apiPath("api", "registry", "v1", "modules", ...addressOf(module), last);

/** All versions of a module; undefined where there is no such module, which only an administrator can tell from one that he may not see. @internal */
export async function readModuleVersions(connection: Connection, module: Module): Promise<ModuleVersion[] | undefined> {
  const path = pathOf(module, "versions");
  try {
    const body = await call(connection, { method: "GET", path, retry: "idempotent" });
    const { modules } = (body ?? {}) as { modules?: unknown };
    const versions = Array.isArray(modules) ? modules.flatMap(versionsIn) : undefined;
    if (!versions?.every(isObject)) throw unexpectedAnswer("GET", path);
    return versions.map((version) => versionOf(version, module));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (await isAdministrator(connection)) return undefined;
    throw error.with({
      reason: `the registry shows no module ${addressOf(module).join("/")}`,
      advice: "There is none, or the token may not read the registry of that organization: only a site administrator's can tell.",
    });
  }
}

/** The versions in a part of the registry's list, each with the source of its module. */
function versionsIn(module: unknown): unknown[] {
  const { versions, source } = (module ?? {}) as { versions?: unknown; source?: unknown };
  const sourced = typeof source === "string" ? { source } : {};
  return [versions ?? []].flat().map((version: unknown) => (isObject(version) ? { ...version, ...sourced } : version));
}

/** In the names of this package, which are those of the API that deprecates versions. */
function versionOf(sent: Record<string, unknown>, { organizationName, moduleName, moduleProvider }: Module): ModuleVersion {
  const { namespace, name, provider, version, deprecation, ...rest } = sent;
  const shown = { ...rest, organizationName, moduleName, moduleProvider, moduleVersion: version as string };
  if (!deprecation) return shown;
  const { reason, link } = deprecation as { reason?: unknown; link?: unknown };
  return {
    ...shown,
    deprecation: { reason: typeof reason === "string" ? reason : "", ...(typeof link === "string" && link ? { link } : {}) },
  };
}

/**
 * One version of a private module: `GET /api/registry/v1/modules/:namespace/:name/:provider/:version`. Fails with `ERR_NOT_FOUND` where the
 * registry knows none, or does not show it to this token.
 */
export function getModuleVersion(options: GetModuleVersionOptions): Promise<ModuleVersion> {
  return ask("Cannot read module version", system, { schema: getOptions, given: options }, async (connection) => {
    const path = pathOf(options, options.moduleVersion);
    const body = await call(connection, { method: "GET", path, retry: "idempotent" });
    if (!isObject(body) || !("version" in body)) throw unexpectedAnswer("GET", path);
    return versionOf(body, options);
  });
}

/**
 * All versions of a private module: `GET /api/registry/v1/modules/:namespace/:name/:provider/versions`. Fails with `ERR_NOT_FOUND` where the
 * registry knows no such module, or does not show it to this token.
 */
export function listModuleVersions(options: ListModuleVersionsOptions): Promise<ModuleVersion[]> {
  return ask("Cannot list module versions", system, { schema: listOptions, given: options }, async (connection) => {
    const found = await readModuleVersions(connection, options);
    if (found) return found;
    throw new StewardError({
      code: "ERR_NOT_FOUND",
      reason: `the registry shows no module ${addressOf(options).join("/")}`,
      advice: "Check its names, and that the token may read the registry of that organization.",
      status: 404,
      method: "GET",
      path: pathOf(options, "versions"),
    });
  });
}
