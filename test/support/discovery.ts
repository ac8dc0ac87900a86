import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Project } from "./project";

/** Runs `pulumi-steward discover` in the folder of a project, and returns the resources in its file. */
export async function discoverIn(
  project: Project,
  ...options: string[]
): Promise<{ output: string; resources: { type: string; name: string; id: string }[] }> {
  const command = join(__dirname, "../../dist/command/index.js");
  const { code, output } = await project.node(command, "discover", "--overwrite", ...options);
  if (code !== 0) throw new Error(`discover ended with ${code}:\n${output}`);
  return { output, resources: JSON.parse(readFileSync(join(project.folder, "program/import.json"), "utf8")).resources };
}
