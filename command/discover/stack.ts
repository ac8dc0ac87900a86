import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { StewardError } from "../../provider/contract/errors";
import { projectFile } from "../../provider/program/project-file";
import { isObject } from "../../provider/text/json";
import { say, Terminal } from "../terminal";

// The stack whose configuration names the servers, by Pulumi's command line.

/** Returns the value of a configuration key, or undefined if the key is not set. */
export type Configuration = (key: string) => string | undefined;

const options = (stack: string | undefined): string[] => (stack === undefined ? [] : ["--stack", stack]);

/** Reads the configuration of `stack` or of the selected stack. It is empty outside a project, and if no stack is selected. */
export async function readConfiguration(terminal: Terminal, stack: string | undefined): Promise<Configuration> {
  const none = (): undefined => undefined;
  if (stack === undefined && !projectFile()) return none;
  // A token may be a secret.
  const { error, stdout, stderr } = await runPulumi(terminal, ["config", "--json", "--show-secrets", ...options(stack)]);
  if (!error) return valuesOf(stdout);
  const reason = reasonOf({ error, stderr });
  if (stack === undefined && (error.code === "ENOENT" || /no stack selected/.test(stderr))) {
    say(terminal, `Only the environment sets the servers: ${reason}.`);
    return none;
  }
  throw new StewardError({
    code: "ERR_INVALID_INPUT",
    reason: `The configuration of the stack cannot be read: ${reason}`,
    hint: "Run `pulumi config` for details, or set the servers in the environment and run the command outside the project.",
  });
}

/** The first version of Pulumi that imports inputs and outputs from a file. */
const [major, minor] = [3, 254];

/** Throws if Pulumi is too old to import the state of dynamic resources. */
export async function assertImportsState(terminal: Terminal): Promise<void> {
  const { stdout } = await runPulumi(terminal, ["version"]);
  const [version, ...numbers] = /^v?(\d+)\.(\d+)\.\S*/.exec(stdout.trim()) ?? [];
  const [first = major, second = minor] = numbers.map(Number);
  if (first > major || (first === major && second >= minor)) return;
  throw new StewardError({
    code: "ERR_INVALID_INPUT",
    reason: `Pulumi ${version} cannot import resources of a dynamic provider: that requires ${major}.${minor} or later. Nothing was searched`,
    hint: "Update Pulumi, or import with the native plugin: set --native.",
  });
}

/** Stores a secret in the configuration of the stack. Throws if the key already has a different value. */
export async function configure(terminal: Terminal, stack: string | undefined, key: string, value: string): Promise<void> {
  const { error, stdout } = await runPulumi(terminal, ["config", "get", key, ...options(stack)]);
  // Pulumi stores a value without the line ends after it.
  if (!error && stdout.trimEnd() !== value.trimEnd())
    throw new StewardError({
      code: "ERR_INVALID_INPUT",
      reason: `the configuration of the stack has a different value of ${key}`,
      hint: `If nothing uses it, remove it with \`pulumi config rm ${key}\`. Otherwise run the command without --secrets.`,
    });
  await succeed(terminal, ["config", "set", "--secret", key, ...options(stack)], value);
}

/** Encrypts a string with the secrets provider of the stack, whose file is `settings`. */
export async function encrypt(terminal: Terminal, stack: string | undefined, settings: string, text: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-steward-"));
  try {
    const file = join(folder, "stack.yaml");
    // It contains the salt or the encrypted key of the secrets provider.
    copyFileSync(settings, file);
    const key = randomUUID();
    await succeed(terminal, ["config", "set", "--secret", key, "--config-file", file, ...options(stack)], text);
    const [, after = ""] = readFileSync(file, "utf8").split(key);
    const [, ciphertext] = /\bsecure["']?:\s*["']?([^\s"'}]+)/.exec(after) ?? [];
    if (ciphertext) return ciphertext;
    throw cannotEncrypt("Pulumi wrote no ciphertext");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The path of Pulumi.<stack>.yaml, which exists once the configuration has a value. */
export async function stackFile(terminal: Terminal, stack: string | undefined): Promise<string> {
  const project = projectFile() ?? "";
  const name = stack ?? (await succeed(terminal, ["stack", "--show-name"])).trim();
  const [, folder = ""] =
    /(?:^|[{,])\s*["']?stackConfigDir["']?:\s*["']?([^"'#,}\n]+?)["']?\s*(?:[#,}]|$)/m.exec(readFileSync(project, "utf8")) ?? [];
  const file = join(dirname(project), folder, `Pulumi.${name.split("/").at(-1)}.yaml`);
  if (existsSync(file)) return file;
  throw cannotEncrypt(`${file} does not exist`);
}

async function succeed(terminal: Terminal, args: readonly string[], input?: string): Promise<string> {
  const { error, stdout, stderr } = await runPulumi(terminal, args, input);
  if (error) throw cannotEncrypt(reasonOf({ error, stderr }));
  return stdout;
}

const cannotEncrypt = (reason: string): StewardError =>
  new StewardError({
    code: "ERR_INVALID_INPUT",
    reason: `the secrets cannot be encrypted for the stack: ${reason}`,
    hint: "Select a stack in a Pulumi project, or run the command without --secrets.",
  });

interface Ended {
  error: NodeJS.ErrnoException | null;
  stdout: string;
  stderr: string;
}

const runPulumi = ({ environment: env }: Terminal, args: readonly string[], input?: string): Promise<Ended> =>
  new Promise((done) => {
    const { stdin } = execFile("pulumi", [...args, "--non-interactive"], { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      done({ error: error as NodeJS.ErrnoException | null, stdout, stderr }),
    );
    // A process that has ended reads no input, and its error is the one that counts.
    stdin?.on("error", () => {}).end(input === undefined ? "" : `${input}\n`);
  });

function valuesOf(output: string): Configuration {
  const values = JSON.parse(output) as Record<string, unknown>;
  return (key) => {
    const entry = values[key];
    return isObject(entry) && typeof entry.value === "string" ? entry.value : undefined;
  };
}

const reasonOf = ({ error, stderr }: Pick<Ended, "error" | "stderr">): string =>
  error?.code === "ENOENT"
    ? "pulumi is not on the PATH"
    : (stderr
        .trim()
        .split("\n")
        .at(-1)
        ?.replace(/^error: |\.$/g, "") ?? "");
