import { z } from "zod";
import { Connection } from "../connection";
import { isObject } from "../json";
import { apiPath, call, isAdministrator, isNotFound, unexpectedAnswer } from "./client";

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

/** One part of a module's address. @internal */
export const part: z.ZodString = z
  .string("must be a text")
  .min(1, "must not be empty")
  .regex(/^(?!\.{1,2}$)[^/\s]*$/, "must be one part of an address, without slashes and blanks");

/** @internal */
export const addressOf = ({ organizationName, moduleName, moduleProvider }: Module): string[] => [
  organizationName,
  moduleName,
  moduleProvider,
];
/** @internal */
export const pathOf = (module: Module, last: string): string => apiPath("api", "registry", "v1", "modules", ...addressOf(module), last);

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
      rule: "module-not-shown",
      reason: `the registry shows no module ${addressOf(module).join("/")}`,
      hint: "There is none, or the token may not read the registry of that organization: only a site administrator's can tell.",
    });
  }
}

/** The versions in a part of the registry's list, each with the source of its module. */
function versionsIn(module: unknown): unknown[] {
  const { versions, source } = (module ?? {}) as { versions?: unknown; source?: unknown };
  const sourced = typeof source === "string" ? { source } : {};
  return [versions ?? []].flat().map((version: unknown) => (isObject(version) ? { ...version, ...sourced } : version));
}

/** In the names of this package, which are those of the API that deprecates versions. @internal */
export function versionOf(sent: Record<string, unknown>, { organizationName, moduleName, moduleProvider }: Module): ModuleVersion {
  const { namespace, name, provider, version, deprecation, ...rest } = sent;
  const shown = { ...rest, organizationName, moduleName, moduleProvider, moduleVersion: version as string };
  if (!deprecation) return shown;
  const { reason, link } = deprecation as { reason?: unknown; link?: unknown };
  return {
    ...shown,
    deprecation: { reason: typeof reason === "string" ? reason : "", ...(typeof link === "string" && link ? { link } : {}) },
  };
}

/** What names a version of a module. @internal */
export interface Identity extends Module {
  moduleVersion: string;
}

/** What the registry said of a module, and the versions that were written since. */
interface Reading {
  versions: Promise<ModuleVersion[] | undefined>;
  written: Set<string>;
}

const keyOf = (connection: Connection, { organizationName, moduleName, moduleProvider }: Module): string =>
  JSON.stringify([organizationName, moduleName, moduleProvider, connection.server, connection.token()]);

/** One response of the registry serves all versions of a module, each until it is written: a thousand deprecations would else read a thousand times. @internal */
export async function readVersion(connection: Connection, of: Identity): Promise<ModuleVersion | undefined> {
  const { cache } = connection;
  const key = keyOf(connection, of);
  let reading = cache.get(key) as Reading | undefined;
  if (!reading || reading.written.has(of.moduleVersion)) {
    reading = { versions: readModuleVersions(connection, of), written: new Set() };
    cache.set(key, reading);
  }
  try {
    return (await reading.versions)?.find(({ moduleVersion }) => moduleVersion === of.moduleVersion);
  } catch (error) {
    cache.delete(key);
    throw error;
  }
}

/** Has the next read of this version ask the registry again. @internal */
export function noteWritten(connection: Connection, of: Identity): void {
  (connection.cache.get(keyOf(connection, of)) as Reading | undefined)?.written.add(of.moduleVersion);
}
