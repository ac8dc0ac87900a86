import type { Terminal } from "./terminal";

/** Loads a module of the package `pulumi-steward-sandbox`. Throws an error with the command to install it if it is missing. */
export function loadSandbox<Module>(load: () => Module): Module {
  try {
    return load();
  } catch (error) {
    if (!/^Cannot find module 'pulumi-steward-sandbox/.test((error as Error).message)) throw error;
    throw new Error(
      "The sandbox is a separate package, pulumi-steward-sandbox. Install it: https://github.com/pulumi-steward/pulumi-steward#install-and-use.",
    );
  }
}

/** Runs `pulumi-steward-sandbox`, if that package is installed, and returns its exit code. */
export function runSandbox(args: readonly string[], terminal: Terminal, stopped: () => Promise<unknown>): Promise<number> {
  const { run } = loadSandbox(() => require("pulumi-steward-sandbox/command") as typeof import("pulumi-steward-sandbox/command"));
  return run(args, terminal, stopped);
}
