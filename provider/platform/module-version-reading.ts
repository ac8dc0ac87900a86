import { Connection } from "../connection";
import { Module, ModuleVersion, readModuleVersions } from "./module-versions";

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
  const { memory } = connection;
  const key = keyOf(connection, of);
  let reading = memory.get(key) as Reading | undefined;
  if (!reading || reading.written.has(of.moduleVersion)) {
    reading = { versions: readModuleVersions(connection, of), written: new Set() };
    memory.set(key, reading);
  }
  try {
    return (await reading.versions)?.find(({ moduleVersion }) => moduleVersion === of.moduleVersion);
  } catch (error) {
    memory.delete(key);
    throw error;
  }
}

/** Has the next read of this version ask the registry again. @internal */
export function noteWritten(connection: Connection, of: Identity): void {
  (connection.memory.get(keyOf(connection, of)) as Reading | undefined)?.written.add(of.moduleVersion);
}
