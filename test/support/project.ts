import { ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import { cached } from "../../tools/cache";
import { cleanEnvironment, passphrase, pulumiEnvironment } from "../../tools/environment";
import { npm } from "../../tools/npm";
import { getPulumi, Pulumi } from "../../tools/pulumi";
import { Run, Stack, settings } from "./stack";
import { decryptedResources, StateResource } from "./state";

export type { Run } from "./stack";

/** The lines of Pulumi.yaml that name the native plugin of this repository. */
export const nativePlugin = `plugins:
  providers:
    - name: steward
      path: ${join(__dirname, "../../bin")}
`;

/** The Pulumi.yaml of a project that uses the native plugin. */
export const nativeProject = (runtime = "nodejs"): string => `name: story\nruntime: ${runtime}\n${nativePlugin}`;

/** The options of Node in which Pulumi's SDK starts faster. */
export const fastStart = { NODE_OPTIONS: `--require ${JSON.stringify(join(__dirname, "deferred.js"))}` };

/** Waits for a process to end. Returns its exit code and output. */
export async function ended(child: ChildProcessByStdio<null, Readable, Readable>): Promise<{ code: number; output: string }> {
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data) => {
      output += data;
    });
  const code = await new Promise<number>((done) => child.on("close", (status) => done(status ?? 1)));
  return { code, output };
}

/** A Pulumi project in a separate folder, with a local backend and the real command line. */
export class Project extends Stack {
  /** The state of its stack, as the backend stores it. */
  readonly stateFile: string = join(this.folder, "backend/.pulumi/stacks/story/dev.json");
  private stack = false;

  /** Installs packages into the program's folder with npm, which replace those of this repository. */
  async install(...packages: string[]): Promise<void> {
    const cwd = this.programFolder;
    rmSync(join(cwd, "node_modules"));
    const env = { ...cleanEnvironment(), ...this.variables };
    await npm(["install", "--engine-strict", "--ignore-scripts", "--prefer-offline", ...packages], { cwd, env });
  }

  /** JSON is valid YAML. The salt belongs to the passphrase, and Pulumi adds it. */
  config(config: Record<string, object>): this {
    const file = join(this.programFolder, "Pulumi.dev.yaml");
    const salt = this.stack ? /^encryptionsalt: .*$/m.exec(readFileSync(file, "utf8"))?.[0] : undefined;
    writeFileSync(file, `${salt ?? ""}\nconfig: ${JSON.stringify(config)}\n`);
    return this;
  }

  async set(key: string, value: string, ...options: string[]): Promise<void> {
    await this.succeed("config", "set", ...options, key, value);
  }

  /** Starts the command line. */
  async launch(...args: string[]): Promise<ChildProcessByStdio<null, Readable, Readable>> {
    const cli = await getPulumi();
    if (!this.stack) {
      this.stack = true;
      await this.begin(cli);
    }
    const options = args[0] === "watch" ? [] : ["--non-interactive"];
    return spawn(cli.command, [...args, ...options, "--color", "never"], {
      cwd: this.programFolder,
      env: this.environment(cli),
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** Creates a stack. All new stacks are equal, so the command line creates only one. */
  private async begin(cli: Pulumi): Promise<void> {
    const empty = await cached(`stack-${cli.version}`, async (folder) => {
      writeFileSync(join(folder, "Pulumi.yaml"), settings);
      const { status, stderr } = spawnSync(cli.command, ["stack", "init", "dev"], { cwd: folder, env: pulumiEnvironment(folder, cli) });
      if (status !== 0) throw new Error(`The empty stack could not be made:\n${stderr}`);
    });
    cpSync(join(empty, "backend"), join(this.folder, "backend"), { recursive: true });
    const file = join(this.programFolder, "Pulumi.dev.yaml");
    const config = existsSync(file) ? readFileSync(file, "utf8") : "";
    writeFileSync(file, readFileSync(join(empty, "Pulumi.dev.yaml"), "utf8") + config);
  }

  private environment(cli: Pulumi): Record<string, string> {
    const environment = pulumiEnvironment(this.folder, cli);
    // Pulumi looks for a test's own programs on the PATH.
    const PATH = [join(this.folder, "bin"), environment.PATH].join(delimiter);
    return { ...environment, ...fastStart, PATH, PULUMI_STACK: "dev", ...this.variables, ...this.more };
  }

  async pulumi(...args: string[]): Promise<Run> {
    const { code, output } = await ended(await this.launch(...args));
    return { code, output, changes: changedLines(output) };
  }

  /** Runs a single file, in the program's folder. */
  async node(...args: string[]): Promise<{ code: number; output: string }> {
    const env = this.environment(await getPulumi());
    return ended(spawn(process.execPath, args, { cwd: this.programFolder, env, stdio: ["ignore", "pipe", "pipe"] }));
  }

  async resources(): Promise<StateResource[]> {
    return decryptedResources(this.stateFile, passphrase);
  }

  /** The content of every file with state, history or a backup of them. */
  stored(): string {
    const backend = join(this.folder, "backend");
    return readdirSync(backend, { recursive: true, withFileTypes: true, encoding: "utf8" })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
      .join("\n");
  }

  /** The automatic logs of Pulumi, oldest first. For an encrypted log, `text` contains its bytes. */
  logs(): { file: string; encrypted: boolean; text: string }[] {
    const folder = join(this.folder, "home/logs");
    const files = readdirSync(folder).map((name) => join(folder, name));
    return files
      .sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs)
      .map((file) => {
        const bytes = readFileSync(file);
        const encrypted = bytes.subarray(0, 4).toString() === "PLOG";
        return { file, encrypted, text: encrypted ? bytes.toString("latin1") : gunzipSync(bytes).toString() };
      });
  }
}

/** Lines such as `~ policies: [`, without `~ pulumi-nodejs:dynamic/…: (update)` and the count at the end. */
function changedLines(output: string): string[] {
  const detail = output.split(/^Resources:$/m)[0] ?? "";
  return (
    detail
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => /^[~+-] /.test(line) && !/^[~+-] (pulumi|steward:)/.test(line))
      // Columns are padded to the longest name.
      .map((line) => line.replace(/ *:/, ":").replace(/ +/g, " "))
  );
}
