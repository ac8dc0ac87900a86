#!/usr/bin/env node
import { Writable } from "node:stream";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { Options } from "./options";

/** The output streams of the command: those of the process or of a test. */
export interface Terminal {
  stdout: Writable;
  stderr: Writable;
}

function createCommand(terminal: Terminal, stopped: () => Promise<unknown>): Command {
  return new Command("pulumi-steward-sandbox")
    .description("Run Vault's or OpenBao's, Terraform Enterprise's and Nomad's APIs on this machine, in memory, until Ctrl-C.")
    .version((require("pulumi-steward-sandbox/package.json") as { version: string }).version)
    .addOption(
      new Option("--dialect <dialect>", "names and responses of the API specifications or of the products")
        .choices(["standard", "hashicorp", "openbao"])
        .default("standard"),
    )
    .option("--port <port>", "first of four ports (secrets, platform, scheduler, page); 0 selects free ports", port, 0)
    .addHelpText(
      "after",
      `
Prints the environment variables for a program that uses the sandbox, and the unseal key shares. Paste them into another terminal:

  $ pulumi-steward-sandbox --port 4700
  # http://127.0.0.1:4703 shows their data live
  export SECRETS_ADDR=http://127.0.0.1:4700
  …`,
    )
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.stdout.write(text), writeErr: (text) => terminal.stderr.write(text) })
    .showHelpAfterError(true)
    .action((options: Pick<Options, "dialect" | "port">) => serve(options, terminal, stopped));
}

async function serve(options: Pick<Options, "dialect" | "port">, terminal: Terminal, stopped: () => Promise<unknown>): Promise<void> {
  // Loaded here, since help and version do not need it.
  const { start } = require("./index") as typeof import("./index");
  const sandbox = await start(options).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    throw new Error(`One of the four ports from ${options.port} on is in use. Choose another --port, or 0 for free ports.`);
  });
  const stop = stopped();
  try {
    await print(terminal, `# ${sandbox.page} shows their data live`);
    for (const [name, value] of Object.entries(sandbox.env)) await print(terminal, `export ${name}=${value}`);
    for (const [index, share] of sandbox.secrets.shares.entries()) await print(terminal, `export SHARE_${index + 1}=${share}`);
    await stop;
  } finally {
    await sandbox.close();
  }
}

function port(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number > 65_532) throw new InvalidArgumentError("It must be a number from 0 to 65532.");
  return number;
}

/** Rejects if the pipe is closed. */
function print({ stdout }: Terminal, line: string): Promise<void> {
  return new Promise((resolve, reject) => stdout.write(`${line}\n`, (error) => (error ? reject(error) : resolve())));
}

/** Runs a command line until `stopped` resolves, and returns its exit code. Prints an error as one message to stderr. */
export async function run(args: readonly string[], terminal: Terminal, stopped: () => Promise<unknown>): Promise<number> {
  try {
    await createCommand(terminal, stopped).parseAsync([...args], { from: "user" });
    return 0;
  } catch (error) {
    // Commander has already printed it.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { code, message } = error as NodeJS.ErrnoException;
    // The reader closed the pipe on purpose.
    if (code !== "EPIPE") terminal.stderr.write(`pulumi-steward-sandbox: ${message}\n`);
    return 1;
  }
}

function interrupted(): Promise<unknown> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, resolve);
  });
}

if (require.main === module) {
  // `print` reports the error. Without a listener it would crash the process.
  process.stdout.on("error", () => {});
  void run(process.argv.slice(2), process, interrupted).then((code) => {
    process.exitCode = code;
  });
}
