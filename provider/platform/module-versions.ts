import { StewardError } from "../contract/errors";
import { ReadFunction } from "../contract/function";
import { ConnectionArgs, connectionInput, strictObject } from "../contract/inputs";
import { invalidResponse } from "../http/failure";
import { read } from "../program/invoke";
import { isObject } from "../text/json";
import { call, system } from "./client";
import { addressOf, Module, ModuleVersion, part, pathOf, readModuleVersions, versionOf } from "./module-version";

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
