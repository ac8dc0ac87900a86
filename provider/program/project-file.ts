import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The path of the project file that the engine uses in a folder: the nearest one, also in parent folders. */
export function projectFile(folder = process.cwd()): string | undefined {
  const file = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"].map((name) => join(folder, name)).find(existsSync);
  if (file) return file;
  return dirname(folder) === folder ? undefined : projectFile(dirname(folder));
}

/** True for a program that Pulumi starts, in the folder where it also starts providers. An inline program of the Automation API runs anywhere. */
export const isRunByPulumi = (): boolean => /[\\/]cmd[\\/]run[\\/]/.test(require.main?.filename ?? "");
