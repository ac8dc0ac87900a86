import { printable } from "./printable";

/** Receives lines for the user, and shows their severity. */
export interface Log {
  info(line: string): void;
  warn(line: string): void;
}

const print = (line: string): void => console.log(printable(line));

/** Prints lines to the standard output, which `pulumi up` shows. */
export const standardOutput: Log = { info: print, warn: (line) => print(`warning: ${line}`) };

/** The warnings that this process has printed. */
const printed = new Set<string>();

/** Prints a warning once in a process. */
export function warnOnce(log: Log, warning: string): void {
  if (printed.has(warning)) return;
  printed.add(warning);
  log.warn(warning);
}
