/** The warnings that this process has printed. */
const printed = new Set<string>();

/** Prints a warning once in a process. @internal */
export function warnOnce(say: (line: string) => void, warning: string): void {
  if (printed.has(warning)) return;
  printed.add(warning);
  say(`warning: ${warning}`);
}
