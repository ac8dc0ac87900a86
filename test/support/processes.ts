import { readdirSync, readFileSync } from "node:fs";

/** A process of one run: every process started by it, and by these in turn, inherits its environment. */
export interface Process {
  pid: number;
  command: string;
}

/** The processes that carry this variable with this value, wherever in the tree they are. */
export function processesWith(variable: string, value: string): Process[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        if (!readFileSync(`/proc/${name}/environ`, "utf8").split("\0").includes(`${variable}=${value}`)) return [];
        return [{ pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").join(" ") }];
      } catch {
        // It has ended, or is none of ours.
        return [];
      }
    })
    .filter(({ command }) => command !== "");
}

/** Ends processes at once; those that have ended meanwhile are as good. */
export function kill(processes: readonly Process[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}
