import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The settings of the Pulumi project that a folder lies in: the nearest file, as the engine looks for it. @internal */
export function projectFile(folder = process.cwd()): string | undefined {
  const file = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"].map((name) => join(folder, name)).find(existsSync);
  if (file) return file;
  return dirname(folder) === folder ? undefined : projectFile(dirname(folder));
}
