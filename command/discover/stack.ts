import { execFile } from "node:child_process";
import { StewardError } from "../../provider/errors";
import { projectFile } from "../../provider/program/project-file";
import { isObject } from "../../provider/text/json";
import { say, Terminal } from "../terminal";

/** Returns the value of a configuration key, or undefined if the key is not set. */
export type Configuration = (key: string) => string | undefined;

/** Reads the configuration of `stack` or of the selected stack. It is empty outside a project, and if no stack is selected. */
export async function readConfiguration(terminal: Terminal, stack: string | undefined): Promise<Configuration> {
  const none = (): undefined => undefined;
  if (stack === undefined && !projectFile()) return none;
  const options = stack === undefined ? [] : ["--stack", stack];
  // A token may be a secret.
  const { error, stdout, stderr } = await runPulumi(terminal, ["config", "--json", "--show-secrets", "--non-interactive", ...options]);
  if (!error) return valuesOf(stdout);
  const reason = error.code === "ENOENT" ? "pulumi is not on the PATH" : lastLine(stderr);
  if (stack === undefined && (error.code === "ENOENT" || /no stack selected/.test(stderr))) {
    say(terminal, `Only the environment names the servers: ${reason}.`);
    return none;
  }
  throw new StewardError({
    code: "ERR_INVALID_INPUT",
    reason: `The configuration of the stack cannot be read: ${reason}`,
    hint: "Run `pulumi config` for details, or name the servers in the environment and run the command outside the project.",
  });
}

interface Ended {
  error: NodeJS.ErrnoException | null;
  stdout: string;
  stderr: string;
}

const runPulumi = ({ environment: env }: Terminal, args: readonly string[]): Promise<Ended> =>
  new Promise((done) => {
    execFile("pulumi", args, { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      done({ error: error as NodeJS.ErrnoException | null, stdout, stderr }),
    );
  });

function valuesOf(output: string): Configuration {
  const values = JSON.parse(output) as Record<string, unknown>;
  return (key) => {
    const entry = values[key];
    return isObject(entry) && typeof entry.value === "string" ? entry.value : undefined;
  };
}

const lastLine = (text: string): string =>
  text
    .trim()
    .split("\n")
    .at(-1)
    ?.replace(/^error: |\.$/g, "") ?? "";
