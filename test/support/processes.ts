import { readdirSync, readFileSync } from "node:fs";

/** A process of one run: each process inherits the environment of the one that started it. */
export interface Process {
  pid: number;
  command: string;
}

/** The processes with this environment variable, anywhere in the process tree. */
export function processesWith(variable: string, value: string): Process[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        if (!readFileSync(`/proc/${name}/environ`, "utf8").split("\0").includes(`${variable}=${value}`)) return [];
        return [{ pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").join(" ") }];
      } catch {
        // It has ended, or belongs to another user.
        return [];
      }
    })
    .filter(({ command }) => command !== "");
}

/** Kills processes. Ignores those that have already ended. */
export function kill(processes: readonly Process[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The process has already ended.
    }
  }
}
