import { info } from "@pulumi/pulumi/log";
import { printable } from "../log";
import { print } from "./print";

// The configuration, secrets and log of the program that calls a function.

export { secret } from "@pulumi/pulumi/output";
export { getConfig } from "@pulumi/pulumi/runtime/config";
export { hideResponses } from "./debug-log";
export { assertDefaultSpelled } from "./default-connection";

/** Prints a line of a function: information in Pulumi's own log, a warning in the program's output. The program stays until its log is written. @internal */
export function say(line: string): void {
  if (line.startsWith("warning:")) print(line);
  else void info(printable(line));
}
