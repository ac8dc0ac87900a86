import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { passphrase } from "../../tools/environment";
import { Project, Run } from "./project";
import { decryptedResources } from "./state";

/**
 * Runs the command line with these variables and every log. Returns also all that it wrote, by its place: what is encrypted also decrypted.
 */
export async function loudly(
  project: Project,
  variables: Record<string, string>,
  ...args: string[]
): Promise<Run & { written: [place: string, text: string][] }> {
  for (const folder of ["home/logs", "logged", "temporary"]) rmSync(join(project.folder, folder), { recursive: true, force: true });
  const [logged, TMPDIR] = [join(project.folder, "logged"), join(project.folder, "temporary")];
  for (const folder of [logged, TMPDIR]) mkdirSync(folder);
  const [calls, events, traces] = ["calls", "events", "traces"].map((name) => join(logged, name)) as [string, string, string];
  project.with({ ...variables, TMPDIR, PULUMI_DEBUG_COMMANDS: "true", PULUMI_DEBUG_GRPC: calls });
  const loud = ["-v=11", "--logtostderr", "--otel-traces", `file://${traces}`, "--event-log", events];
  const run = await project.pulumi(...args, ...loud);
  project.with({});
  const [log, ...others] = project.logs();
  expect(others).toEqual([]);
  for (const file of [calls, events, traces]) expect(readFileSync(file).length).toBeGreaterThan(1000);
  const files = readdirSync(project.folder, { recursive: true, withFileTypes: true, encoding: "utf8" }).filter((entry) => entry.isFile());
  const written = files.flatMap(({ parentPath, name }): [string, string][] => {
    const file = join(parentPath, name);
    const text = readFileSync(file, "latin1");
    const isState = text.includes('"checkpoint":');
    return [
      [relative(project.folder, file), text],
      ...(isState ? [[`decrypted ${name}`, JSON.stringify(decryptedResources(file, passphrase))] as [string, string]] : []),
    ];
  });
  const { output: decrypted } = await project.succeed("logs", "decrypt", log?.file ?? "");
  expect(decrypted.length).toBeGreaterThan(1000);
  const { output: exported } = await project.succeed("stack", "export", "--show-secrets");
  return { ...run, written: [...written, ["terminal", run.output], ["decrypted log", decrypted], ["exported state", exported]] };
}
