#!/usr/bin/env node
import { Command, InvalidArgumentError, Option } from "commander";
import type { Options } from "./index";
import { start } from "./index";

/** The command line. `print` takes each line for the terminal; `stopped` ends a running sandbox. */
export function createCommand(print: (line: string) => void, stopped: () => Promise<unknown>): Command {
  const command = new Command("pulumi-steward").description(
    "Declares the administration of a secrets service, a platform and a scheduler with Pulumi.",
  );
  command
    .command("sandbox")
    .description("Run the three services on this machine, in memory, until Ctrl-C.")
    .addOption(new Option("--dialect <dialect>", "whose names and answers").choices(["standard", "hashicorp"]).default("standard"))
    .option("--port <port>", "the first of four ports (secrets, platform, scheduler, page); 0 takes free ones", port, 0)
    .addHelpText(
      "after",
      `
Prints the variables that point a program at the sandbox, and the shares that unseal it; paste them into another terminal:

  $ pulumi-steward sandbox --port 4700
  # http://127.0.0.1:4703 shows what they hold, as it changes
  export SECRETS_ADDR=http://127.0.0.1:4700
  …`,
    )
    .action(async (options: Pick<Options, "dialect" | "port">) => {
      const sandbox = await start({ dialect: options.dialect, port: options.port });
      const stop = stopped();
      print(`# ${sandbox.page} shows what they hold, as it changes`);
      for (const [name, value] of Object.entries(sandbox.env)) print(`export ${name}=${value}`);
      for (const [index, share] of sandbox.secrets.shares.entries()) print(`export SHARE_${index + 1}=${share}`);
      await stop;
      await sandbox.close();
    });
  return command;
}

function port(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number > 65_532) throw new InvalidArgumentError("It is a number from 0 to 65532.");
  return number;
}

function interrupted(): Promise<unknown> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, resolve);
  });
}

if (require.main === module) {
  createCommand((line) => console.log(line), interrupted)
    .parseAsync()
    .catch((error: Error) => {
      console.error(`pulumi-steward: ${error.message}`);
      process.exitCode = 1;
    });
}
