#!/usr/bin/env node
import { writeFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { addDiscover } from "./discover";
import { addRekey } from "./rekey";
import { isRejection } from "./rekey/outcome";
import { addRoot } from "./root";
import { runSandbox } from "./sandbox";
import { addShapes } from "./shapes";
import { Canceled, say, Terminal } from "./terminal";

function createCommand(terminal: Terminal): Command {
  const program = new Command("pulumi-steward")
    .description("Discover resources to import, participate in a rekey, generate a root token, compare responses, and run the sandbox.")
    .version((require("pulumi-steward/package.json") as { version: string }).version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      // An unexpected argument may be a share, and the log of a pipeline may be public.
      outputError: (text, write) => write(text.replace(/[\w+/=-]{40,}/g, "[secret]")),
    });
  // Only for the help: `run` passes the arguments on unparsed.
  program.command("sandbox").description("Run the sandbox. Requires the package pulumi-steward-sandbox.");
  addDiscover(program, terminal);
  addRekey(program, terminal);
  addRoot(program, terminal);
  addShapes(program, terminal);
  program.showHelpAfterError(true);
  return program;
}

/** Runs one command line and returns its exit code. Errors are one message on stderr. `stopped` ends a running sandbox. */
export async function run(args: readonly string[], terminal: Terminal, stopped: () => Promise<unknown>): Promise<number> {
  try {
    if (args[0] === "sandbox") return await runSandbox(args.slice(1), terminal, stopped);
    await createCommand(terminal).parseAsync([...args], { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof Canceled) {
      say(terminal, `pulumi-steward: ${error.message}`);
      return 130;
    }
    const { code, message } = error as NodeJS.ErrnoException;
    // The reader closed the pipe.
    if (code !== "EPIPE") say(terminal, `pulumi-steward: ${message}`);
    return isRejection(error) ? 3 : 1;
  }
}

function interrupted(): Promise<unknown> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, resolve);
  });
}

/** Runs the command line of this process. */
export function main(): void {
  const { stdin, stdout, stderr, env: environment } = process;
  // A core dump contains no memory, and so no share. macOS and Windows write none by default.
  if (process.platform === "linux") writeFileSync("/proc/self/coredump_filter", "0");
  // `print` rejects with the error. Without a listener, the error would end the process at once.
  stdout.on("error", () => {});
  // A notice that nobody reads must not end a command that has begun to send shares.
  stderr.on("error", () => {});
  void run(process.argv.slice(2), { stdin, stdout, stderr, environment }, interrupted).then((code) => {
    process.exitCode = code;
  });
}

if (require.main === module) main();
