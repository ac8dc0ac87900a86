import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Aborted by Ctrl-C, which ends the current command and cleans up as after a failure. */
export const interruption: AbortController = new AbortController();

const gracePeriod = 20_000;

export interface Ran {
  /** The wall-clock time from start to exit. */
  seconds: number;
  stdout: string;
}

/** Runs a command to its end. Throws an error with its output if it fails. */
export async function run(command: string, args: string[], options: { cwd: string; env: Record<string, string> }): Promise<Ran> {
  interruption.signal.throwIfAborted();
  const start = performance.now();
  // In its own process group, so that Ctrl-C reaches it only once: after a second signal, Pulumi does not wait for its children.
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let killer: NodeJS.Timeout | undefined;
  const end = (): void => {
    child.kill("SIGINT");
    killer = setTimeout(() => child.kill("SIGKILL"), gracePeriod);
  };
  interruption.signal.addEventListener("abort", end);
  let [stdout, output] = ["", ""];
  child.stdout.on("data", (data) => {
    stdout += data;
    output += data;
  });
  child.stderr.on("data", (data) => {
    output += data;
  });
  try {
    const code = await new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
    const seconds = (performance.now() - start) / 1000;
    interruption.signal.throwIfAborted();
    if (code !== 0) throw new Error(`${[command, ...args].join(" ")} exited with ${code}:\n${output.trim()}`);
    return { seconds, stdout };
  } finally {
    clearTimeout(killer);
    interruption.signal.removeEventListener("abort", end);
  }
}

/** Calls `use` with a temporary folder, and removes it afterwards. */
export async function inTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "steward-bench-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) throw new RangeError("The median requires at least one value.");
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}
