import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pulumiEnvironment } from "../../tools/environment";
import { getPulumi } from "../../tools/pulumi";
import { ended, Project } from "./project";

// Helpers for the stories of `pulumi-steward discover` and `pulumi import`.

/** Runs the command like a shell, in the folder of a project, and returns the resources in its file. */
export async function discoverIn(
  project: Project,
  variables: Record<string, string>,
  ...options: string[]
): Promise<{ output: string; resources: { type: string; name: string; id: string }[] }> {
  const cli = await getPulumi();
  const env = { ...pulumiEnvironment(project.folder, cli), PULUMI_STACK: "dev", ...variables };
  const cwd = join(project.folder, "program");
  const file = join(__dirname, "../../dist/command/index.js");
  const child = spawn(process.execPath, [file, "discover", "--overwrite", ...options], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const { code, output } = await ended(child);
  if (code !== 0) throw new Error(`discover ended with ${code}:\n${output}`);
  return { output, resources: JSON.parse(readFileSync(join(cwd, "import.json"), "utf8")).resources };
}

/** Imports the resources in the file. The language host that is built here cannot generate a program. */
export async function importAll(project: Project): Promise<string> {
  const options = ["--yes", "--skip-preview", "--generate-code=false", "--protect"];
  const { code, output } = await project.pulumi("import", "--file", "import.json", ...options);
  if (code !== 0) throw new Error(`import ended with ${code}:\n${output}`);
  return output;
}
