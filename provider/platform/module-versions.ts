import { z } from "zod";
import { Connection } from "../connection";
import { StewardError } from "../errors";
import { isObject } from "../http";
import { connectionInput, strictObject } from "../inputs";
import { ask } from "../program";
import { apiPath, call, isAdministrator, isNotFound, unexpectedAnswer } from "./client";

/** A version of a private module, as the registry shows it. */
export interface ModuleVersion {
  /** Of the registry. */
  id?: string;
  /** Who published it. */
  owner?: string;
  /** The organization that owns the module. */
  namespace?: string;
  /** Of the module. */
  name?: string;
  /** The provider that the module is for. */
  provider?: string;
  /** As the registry writes it: `1.2.0`, `2.0.0-rc.1`. */
  version: string;
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
export interface ListModuleVersionsOptions {
  /** The organization that owns the module. */
  namespace: string;
  /** Of the module. */
  name: string;
  /** The provider that the module is for. */
  provider: string;
  /**
   * Which connection of the stack's configuration, `steward:<connection>`, names the server.
   * @default "default"
   */
  connection?: string;
}

/** Options of {@link getModuleVersion}. */
export interface GetModuleVersionOptions extends ListModuleVersionsOptions {
  /** As the registry writes it: `1.2.0`, `2.0.0-rc.1`. */
  version: string;
}

/** One part of a module's address. @internal */
export const part: z.ZodString = z
  .string("must be a text")
  .min(1, "must not be empty")
  .regex(/^(?!\.{1,2}$)[^/\s]*$/, "must be one part of an address, without slashes and blanks");
const listOptions = strictObject({ namespace: part, name: part, provider: part, connection: connectionInput });
const getOptions = strictObject({ ...listOptions.shape, version: part });

/** A module by its address in the registry. @internal */
export type Module = Pick<ListModuleVersionsOptions, "namespace" | "name" | "provider">;

const pathOf = ({ namespace, name, provider }: Module, last: string): string =>
  apiPath("api", "registry", "v1", "modules", namespace, name, provider, last);

/** All versions of a module; undefined where there is no such module, which only an administrator can tell from one that he may not see. @internal */
export async function readModuleVersions(connection: Connection, module: Module): Promise<ModuleVersion[] | undefined> {
  const path = pathOf(module, "versions");
  try {
    const body = await call(connection, { method: "GET", path, retry: "idempotent" });
    const { modules } = (body ?? {}) as { modules?: { versions?: unknown }[] };
    const versions = Array.isArray(modules) ? modules.flatMap((each) => each?.versions ?? []) : undefined;
    if (!versions?.every(isObject)) throw unexpectedAnswer("GET", path);
    return versions.map(versionOf);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (await isAdministrator(connection)) return undefined;
    const { namespace, name, provider } = module;
    throw error.with({
      reason: `the registry shows no module ${namespace}/${name}/${provider}`,
      advice: "There is none, or the token may not read the registry of that organization: only a site administrator's can tell.",
    });
  }
}

function versionOf(sent: Record<string, unknown>): ModuleVersion {
  const { deprecation, ...rest } = sent as Record<string, unknown> & { version: string };
  if (!deprecation) return rest;
  const { reason, link } = deprecation as { reason?: unknown; link?: unknown };
  return {
    ...rest,
    deprecation: { reason: typeof reason === "string" ? reason : "", ...(typeof link === "string" && link ? { link } : {}) },
  };
}

/**
 * One version of a private module: `GET /api/registry/v1/modules/:namespace/:name/:provider/:version`. Fails with `ERR_NOT_FOUND` where the
 * registry knows none, or does not show it to this token.
 */
export function getModuleVersion(options: GetModuleVersionOptions): Promise<ModuleVersion> {
  return ask("Cannot read module version", "platform", { schema: getOptions, given: options }, async (connection) => {
    const path = pathOf(options, options.version);
    const body = await call(connection, { method: "GET", path, retry: "idempotent" });
    if (!isObject(body) || !("version" in body)) throw unexpectedAnswer("GET", path);
    return versionOf(body);
  });
}

/**
 * All versions of a private module: `GET /api/registry/v1/modules/:namespace/:name/:provider/versions`. Fails with `ERR_NOT_FOUND` where the
 * registry knows no such module, or does not show it to this token.
 */
export function listModuleVersions(options: ListModuleVersionsOptions): Promise<ModuleVersion[]> {
  return ask("Cannot list module versions", "platform", { schema: listOptions, given: options }, async (connection) => {
    const found = await readModuleVersions(connection, options);
    if (found) return found;
    const { namespace, name, provider } = options;
    throw new StewardError({
      code: "ERR_NOT_FOUND",
      reason: `the registry shows no module ${namespace}/${name}/${provider}`,
      advice: "Check its names, and that the token may read the registry of that organization.",
      status: 404,
      method: "GET",
      path: pathOf(options, "versions"),
    });
  });
}
