import { loadSandbox } from "../forward/load";
import type { Terminal } from "./terminal";

/** Runs `pulumi-steward-sandbox`, if that package is installed, and returns its exit code. */
export function runSandbox(args: readonly string[], terminal: Terminal, stopped: () => Promise<unknown>): Promise<number> {
  const { run } = loadSandbox(() => require("pulumi-steward-sandbox/command") as typeof import("pulumi-steward-sandbox/command"));
  return run(args, terminal, stopped);
}
