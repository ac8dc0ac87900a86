import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { nativePlugin } from "../test/support/project";
import { root } from "../tools/command";
import { pulumiEnvironment } from "../tools/environment";
import { getPulumi } from "../tools/pulumi";
import { run } from "./measure";

export const operations = ["create", "preview", "refresh", "destroy"] as const;
export type Operation = (typeof operations)[number];

/** The operations of a project. Each resolves to its duration in seconds. */
export type Deployment = Record<Operation, () => Promise<number>>;

const commands: Record<Operation, string[]> = {
  create: ["up", "--yes", "--skip-preview"],
  preview: ["preview", "--expect-no-changes"],
  refresh: ["refresh", "--yes", "--skip-preview", "--expect-no-changes"],
  destroy: ["destroy", "--yes", "--skip-preview"],
};

/** Writes a program into a folder where it can import this package and @pulumi/pulumi. */
export function writeProgram(folder: string, files: Record<string, string>): void {
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
}

/** Creates a Pulumi project in the folder, with its own stack and local backend. */
export async function pulumiProject(
  folder: string,
  program: string,
  variables: Record<string, string> = {},
  native = false,
): Promise<Deployment & { stateBytes(): number }> {
  const cwd = join(folder, "program");
  writeProgram(cwd, {
    "Pulumi.yaml": `name: bench\nruntime: nodejs\n${native ? nativePlugin : ""}`,
    "package.json": '{ "name": "bench", "main": "index.js" }',
    "index.js": program,
  });
  const cli = await getPulumi();
  const env = { ...pulumiEnvironment(folder, cli), ...variables };
  const pulumi = async (...args: string[]): Promise<number> =>
    (await run(cli.command, [...args, "--non-interactive", "--color", "never"], { cwd, env })).seconds;
  await pulumi("stack", "init", "dev");
  if (native) await pulumi("config", "set", "--stack", "dev", "steward:native", "true");
  const stacks = join(folder, "backend/.pulumi/stacks");
  const checkpoint = (): string => {
    const file = readdirSync(stacks, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith(".json"));
    if (!file) throw new Error(`There is no checkpoint file in ${stacks}.`);
    return join(stacks, file);
  };
  return {
    create: () => pulumi(...commands.create),
    preview: () => pulumi(...commands.preview),
    refresh: () => pulumi(...commands.refresh),
    destroy: () => pulumi(...commands.destroy),
    stateBytes: () => {
      // The state contains source positions. Make them as long as in a project with its own node_modules.
      const repository = relative(realpathSync(cwd), root).split(sep).join("/");
      const text = readFileSync(checkpoint(), "utf8")
        .replaceAll(`${repository}/node_modules/`, "node_modules/")
        .replaceAll(`${repository}/dist/`, "node_modules/pulumi-steward/dist/");
      return Buffer.byteLength(text);
    },
  };
}
