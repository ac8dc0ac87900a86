import { Log } from "./log";

/** The warnings that this process has printed. */
const printed = new Set<string>();

/** Prints a warning once in a process. */
export function warnOnce(log: Log, warning: string): void {
  if (printed.has(warning)) return;
  printed.add(warning);
  log.warn(warning);
}
