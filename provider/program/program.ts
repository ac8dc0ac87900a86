import { info } from "@pulumi/pulumi/log";
import { Log, standardOutput } from "../text/log";
import { printable } from "../text/printable";

// The configuration, secrets and log of the calling program.

export { output, secret, unknown } from "@pulumi/pulumi/output";
export { getConfig } from "@pulumi/pulumi/runtime/config";
export { hideResponses } from "./debug-log";

/** Prints a warning to the standard output, and any other line to Pulumi's log. The program waits until the log is written. */
export const log: Log = { ...standardOutput, info: (line) => void info(printable(line)) };
