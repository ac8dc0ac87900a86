import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { StewardError } from "../contract/errors";
import { isRunByPulumi, projectFile } from "./project-file";

const executable = process.platform === "win32" ? "pulumi-resource-steward.exe" : "pulumi-resource-steward";

function isFound(): boolean {
  const file = projectFile();
  // The file names plugins under these keys.
  const [, ...places] = file ? readFileSync(file, "utf8").split(/^\s*"?(?:plugins|packages)"?:/m) : [];
  if (places.some((place) => place.includes("steward"))) return true;
  if ((process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, executable)))) return true;
  const installed = join(process.env.PULUMI_HOME ?? join(homedir(), ".pulumi"), "plugins");
  return existsSync(installed) && readdirSync(installed).some((name) => name.startsWith("resource-steward-"));
}

let isAvailable = false;

/** Throws if Pulumi cannot find the plugin: Pulumi would try to download it, and fail. */
export function assertPluginFound(): void {
  isAvailable ||= !isRunByPulumi() || isFound();
  if (!isAvailable)
    throw new StewardError({
      code: "ERR_NOT_INSTALLED",
      reason: "`steward:native` is true, but Pulumi cannot find the plugin",
      hint: "Add `plugins: { providers: [{ name: steward, path: node_modules/pulumi-steward/bin }] }` to Pulumi.yaml.",
    });
}
